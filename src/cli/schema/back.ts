import {
  about,
  anything,
  count,
  type Described,
  either,
  list,
  nullable,
  object,
  text,
  word,
} from './build.ts'
import { oid } from './parts.ts'

/** The old and the new position of a branch. */
const PLACE = {
  session: text,
  branch: about('null where the session stands on none', nullable(text)),
  before: about('where the branch stood', nullable(oid)),
  tip: about('where it stands now', nullable(oid)),
}

/** The common output of commands that append entries of another branch. */
const BROUGHT = {
  ...PLACE,
  map: about(
    'what was written: the entry that was said again, and what it is now; null where a merge brings nothing new',
    list(object({ from: oid, to: nullable(oid) })),
  ),
  lost: about(
    'links of new entries to what did not come along',
    list(object({ oid, link: word('firstKept', 'kept', 'target'), to: oid })),
  ),
}

/** The output of commands that append entries of one branch to another. */
export const back: Readonly<Record<string, Described>> = {
  'cherry-pick': about(
    'One object.',
    object({
      ...BROUGHT,
      along: about('what came along, of tool calls and their results', list(oid)),
      skipped: about('what was there already', list(oid)),
    }),
  ),
  edit: about(
    'One object; with --print-plan the plan.',
    either(
      object({
        ...BROUGHT,
        change: word('edited', 'unchanged'),
        dropped: list(oid),
        along: about('what went with it, of tool calls and their results', list(oid)),
        lifted: about('results that were put right behind their calls', list(oid)),
        tokens: about('what the model sees, estimated', object({ before: count, after: count })),
      }),
      object({ session: text, tip: oid, plan: text }),
    ),
  ),
  merge: about(
    'One object.',
    object({
      ...PLACE,
      change: word('merged', 'fast-forward', 'up-to-date'),
      other: oid,
      base: about('the newest entry of the path of the other side that this side has', nullable(oid)),
      entries: about('how many of that path this side did not have', count),
      settled: about(
        'settings that differ: those of this side stay',
        list(object({ setting: word('model', 'thinking', 'mode'), kept: anything, other: anything })),
      ),
    }),
  ),
  rebase: about(
    'One object.',
    object({ ...BROUGHT, onto: oid, change: word('rebased', 'fast-forward', 'up-to-date') }),
  ),
}

import { about, type Described, list, nullable, object, text, word } from './build.ts'
import { oid } from './parts.ts'

/** What all commands say that bring entries to a branch. */
const BROUGHT = {
  session: text,
  branch: about('null where the session stands on none', nullable(text)),
  before: about('where the branch stood', nullable(oid)),
  tip: about('where it stands now', nullable(oid)),
  map: about(
    'what was written: the entry that was said again, and what it is now; null where a merge brings nothing new',
    list(object({ from: oid, to: nullable(oid) })),
  ),
  lost: about(
    'links of new entries to what did not come along',
    list(object({ oid, link: word('firstKept', 'kept', 'target'), to: oid })),
  ),
}

/** What the commands print that bring entries of one branch to another. */
export const back: Readonly<Record<string, Described>> = {
  'cherry-pick': about(
    'One object.',
    object({
      ...BROUGHT,
      along: about('what came along, of tool calls and their results', list(oid)),
      skipped: about('what was there already', list(oid)),
    }),
  ),
  rebase: about(
    'One object.',
    object({ ...BROUGHT, onto: oid, change: word('rebased', 'fast-forward', 'up-to-date') }),
  ),
}

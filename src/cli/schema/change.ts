import {
  about,
  count,
  type Described,
  either,
  list,
  map,
  nullable,
  object,
  text,
  truth,
  word,
} from './build.ts'
import { dollars, head, oid, role, time, tokens } from './parts.ts'

const branch = object(
  {
    name: text,
    oid,
    current: truth,
    labels: list(text),
    forkPoint: about('where it parts from another branch, null where it begins at a root', nullable(oid)),
    entries: about('of its own since then, as what follows', count),
    calls: count,
    estimated: about('tokens', count),
  },
  {
    figures: about(
      'with -v',
      object({
        messages: count,
        tokens: nullable(tokens),
        cost: nullable(dollars),
        lastActivity: nullable(time),
      }),
    ),
  },
)

const changed = object(
  { session: text, action: word('create', 'rename'), name: text, oid, current: truth },
  { before: text },
)

const treeMove = object({
  session: text,
  cancelled: truth,
  aborted: truth,
  head,
  tip: about('null before the first entry', nullable(oid)),
  before: head,
  beforeTip: nullable(oid),
  commonAncestor: nullable(oid),
  abandoned: about('how many entries were left', count),
  kept: about('the branch that was made for what was left', nullable(text)),
  text: about('to be said anew, where a message of the user was chosen', nullable(text)),
  summary: about('the entry that stands for what was left', nullable(oid)),
})

/** The output of commands that add to sessions and move their branches. */
export const change: Readonly<Record<string, Described>> = {
  append: about(
    'A line for each entry, once it is durable; with --new a line with the session first.',
    either(object({ oid }), object({ session: text })),
  ),
  compact: about(
    'One object.',
    object({
      session: text,
      branch: nullable(text),
      created: truth,
      oid,
      before: oid,
      firstKept: nullable(oid),
      summarized: count,
      kept: count,
      tokensBefore: count,
      tokensAfter: count,
      summary: text,
    }),
  ),
  fork: about(
    'One object.',
    object(
      { session: text, tip: about('null where it has no entries', nullable(oid)) },
      { text: about('with --before: of the message', text) },
    ),
  ),
  branch: about(
    'A line for each branch; one object where one is made, renamed (before: its old name) or removed.',
    either(branch, changed, object({ deleted: text, oid })),
  ),
  label: about(
    'A line for each label; one object where one is set or removed.',
    either(
      object({ session: text, name: text, oid, role: nullable(role), text: nullable(text) }),
      object({ session: text, name: text, oid, before: nullable(oid) }),
      object({ session: text, deleted: text, oid }),
    ),
  ),
  navigate: about('One object.', treeMove),
  pop: about('One object.', treeMove),
  mv: about(
    'A line for each session.',
    object({ session: text, title: nullable(text), before: text, cwd: text }),
  ),
  rename: about('One object.', object({ session: text, title: nullable(text), before: nullable(text) })),
  set: about(
    'One object, with all that is set now.',
    object({ session: text, set: map(text), before: map(nullable(text)) }),
  ),
  rm: about(
    'A line for each session.',
    object({ session: text, title: nullable(text), tip: nullable(oid), source: nullable(text) }),
  ),
  switch: about(
    'One object.',
    object({ session: text, head, tip: nullable(oid), before: head, beforeTip: nullable(oid) }),
  ),
}

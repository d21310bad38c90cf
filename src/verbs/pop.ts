import { defined } from '../model/json.ts'
import { pop as popEntries } from '../ops/pop.ts'
import { flag, optional } from './input.ts'
import { summaryOf } from './summary.ts'
import { label, revision, session, text } from './values.ts'
import { output, verb } from './verb.ts'
import { treeMoveSchema } from './wire.ts'

export const pop = verb({
  name: 'pop',
  summary: 'go back on the path, leaving a summary of what follows',
  effect: 'write',
  input: {
    revision: optional(revision(), 'a session, or the entry to go back to'),
    session: optional(session(), 'the session, if the revision names none (@)'),
    root: flag('go back to before the first entry'),
    label: optional(label(), 'a label for the summary'),
    summary: optional(text('text'), 'the summary'),
  },
  output: output(treeMoveSchema),
  run: (context, { revision: name, session: owner, root, label: named, summary }) =>
    popEntries(context.repo, name, {
      ...defined({ session: owner, label: named }),
      root,
      ...summaryOf(context, summary),
    }),
})

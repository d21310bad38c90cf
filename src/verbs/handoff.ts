import { handoff as briefing } from '../ops/handoff.ts'
import { current, optional, required } from './input.ts'
import { nullable, object, string } from './schema.ts'
import { summaryOf } from './summary.ts'
import { revision, text } from './values.ts'
import { output, verb } from './verb.ts'
import { oidSchema } from './wire.ts'

export const handoff = verb({
  name: 'handoff',
  summary: 'write a briefing for a new session',
  effect: 'read',
  input: {
    goal: required(text('goal'), 'the task of the new session'),
    revision: current(revision(), 'a session or an entry'),
    summary: optional(text('text'), 'the summary'),
  },
  output: output(object({ goal: string, session: nullable(string), tip: oidSchema, text: string })),
  run: (context, { goal, revision: name, summary }) =>
    briefing(context.repo, goal, name, summaryOf(context, summary)),
})

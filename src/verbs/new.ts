import { defined } from '../model/json.ts'
import { createSession } from '../ops/append/append.ts'
import { makeSessionCurrent } from '../ops/switch.ts'
import { optional } from './input.ts'
import { object, string } from './schema.ts'
import { text } from './values.ts'
import { output, verb } from './verb.ts'

export const newSession = verb({
  name: 'new',
  summary: 'start a session without entries, and make it current',
  effect: 'write',
  input: { title: optional(text('title'), 'the title of the session') },
  output: output(object({ session: string })),
  run: async ({ repo }, { title }) => {
    const id = await createSession(repo, defined({ title }))
    await makeSessionCurrent(repo, id)
    return { session: id }
  },
})

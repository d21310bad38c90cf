import { fork as forkVerb } from '../../verbs/fork.ts'
import { required } from '../../verbs/input.ts'
import { nullable, object, string } from '../../verbs/schema.ts'
import { revision } from '../../verbs/values.ts'
import { perform } from '../../verbs/verb.ts'
import { CITED, shortOidOrNull } from '../cited.ts'
import { lineOrNull, Quoted } from '../quoted.ts'
import { shownIn } from '../shownin.ts'
import { writeTool } from '../tool.ts'
import { WRITTEN, writtenData } from './written.ts'

const { title, before } = forkVerb.input

export const fork = writeTool({
  name: 'fork',
  title: 'Fork a session',
  description: `Start a new session in the store from any entry; it shares the history up to there, and the session itself stays as it is. Writes one operation and says its number; "sess undo NUMBER" takes it back. "sess resume SESSION" then opens it in an agent.`,
  isIdempotent: false,
  input: { revision: required(revision(), 'the oid of an entry, or a session'), title, before },
  about: WRITTEN,
  item: object({ ...CITED, from: nullable(string), prompt: nullable(string) }),
  run: async ({ context }, { revision: at, ...how }, terms) => {
    const entry = await shownIn(context, at)
    const written = await perform(forkVerb, context, { revision: at, ...how }, terms)
    const made = written.result
    const data = {
      session: made?.session ?? null,
      oid: shortOidOrNull(made?.tip),
      time: entry?.time ?? null,
      from: lineOrNull(entry?.session),
      prompt: made?.text === undefined ? null : new Quoted(made.text, { limit: 4000, lines: true }),
    }
    return { about: writtenData(written, terms), items: [{ data }] }
  },
})

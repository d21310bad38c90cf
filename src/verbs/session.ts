import { SessError } from '../model/errors.ts'
import { findSessionId } from '../ops/sessionids.ts'
import { current } from './input.ts'
import { listedSession, sessionPage } from './ls.ts'
import { session } from './values.ts'
import { verb } from './verb.ts'

export const sessionVerb = verb({
  name: 'session',
  summary: 'show a session as lists show it',
  effect: 'read',
  input: { session: current(session(), 'its id, title, or a prefix of its id') },
  output: listedSession,
  run: async (context, { session: name }) => {
    const id = await findSessionId(context.repo, name)
    const { items } = await sessionPage(context, { where: [`id=${id}`], sort: 'updated' }, { limit: 1 })
    const [found] = items
    if (!found) throw new SessError('no-session', id)
    const { cursor: _, ...row } = found
    return row
  },
})

import { SessError } from '../model/errors.ts'
import { listPage } from '../ops/rows/listpage.ts'
import { findSessionId } from '../ops/sessionids.ts'
import { current } from './input.ts'
import { listedSession } from './ls.ts'
import { session } from './values.ts'
import { verb } from './verb.ts'

export const sessionVerb = verb({
  name: 'session',
  summary: 'show a session as lists show it',
  effect: 'read',
  input: { session: current(session(), 'its id, title, or a prefix of its id') },
  output: listedSession,
  run: async ({ repo, priceOf }, { session: name }) => {
    const id = await findSessionId(repo, name)
    const { items } = await listPage(repo, { where: [`id=${id}`], limit: 1, priceOf })
    const [found] = items
    if (!found) throw new SessError('no-session', id)
    const { cursor: _, ...row } = found
    return row
  },
})

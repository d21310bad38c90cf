import { type DiscoveredFiles, discoverSessions } from '../ops/discover.ts'
import { placeData, placeSchema } from './importing.ts'
import { optional } from './input.ts'
import { machineOf } from './open.ts'
import { agent } from './values.ts'
import { listOf, sentAs, verb } from './verb.ts'

export const places = verb({
  name: 'places',
  summary: 'list the folders of agents on this machine that hold sessions to import',
  effect: 'read',
  input: { agent: optional(agent(), 'only of this agent: claude, codex, pi, …') },
  output: listOf(sentAs(placeSchema, (found: DiscoveredFiles) => placeData(found))),
  run: (context, { agent: name }) => {
    const asked = name === undefined ? {} : { agent: name }
    const found = discoverSessions(context.repo, { ...machineOf(context), ...asked })
    return Promise.resolve(found.filter(({ files }) => files.length > 0))
  },
})

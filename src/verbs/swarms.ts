import { listSwarms } from '../ops/swarm.ts'
import { swarmOutput } from './swarmdata.ts'
import { listOf, verb } from './verb.ts'

export const swarms = verb({
  name: 'swarms',
  summary: 'list the swarms',
  effect: 'read',
  input: {},
  output: listOf(swarmOutput),
  run: ({ repo }) => listSwarms(repo),
})

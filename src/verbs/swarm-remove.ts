import { removeFromSwarm } from '../ops/swarm.ts'
import { optional } from './input.ts'
import { swarmName, swarmOutput } from './swarmdata.ts'
import { text } from './values.ts'
import { verb } from './verb.ts'

export const swarmRemove = verb({
  name: 'swarm-remove',
  summary: 'remove a swarm or a member of it; sessions and branches stay',
  effect: 'write',
  input: { swarm: swarmName, name: optional(text('name'), 'the member; without it, the swarm') },
  output: swarmOutput,
  run: ({ repo }, { swarm, name }) => removeFromSwarm(repo, swarm, name),
})

import { createSwarm } from '../ops/swarm.ts'
import { optional } from './input.ts'
import { swarmName, swarmOutput } from './swarmdata.ts'
import { session, text } from './values.ts'
import { verb } from './verb.ts'

export const swarmNew = verb({
  name: 'swarm-new',
  summary: 'start a swarm: a group of branches on which agents work at one task',
  effect: 'write',
  input: {
    swarm: swarmName,
    task: optional(text('task'), 'the first message of its session, where that is new'),
    session: optional(session(), 'the session in which branches are made; a new one by default'),
  },
  output: swarmOutput,
  run: ({ repo }, { swarm, ...how }) => createSwarm(repo, swarm, how),
})

import { addToSwarm } from '../ops/swarm.ts'
import { optional, required } from './input.ts'
import { swarmBranchOutput, swarmName } from './swarmdata.ts'
import { branch, text } from './values.ts'
import { verb } from './verb.ts'

export const swarmAdd = verb({
  name: 'swarm-add',
  summary: 'add a session, or a branch of one, to a swarm',
  effect: 'write',
  input: {
    swarm: swarmName,
    name: required(text('name'), 'its name in the swarm'),
    of: required(branch('session'), 'a session, or SESSION/BRANCH'),
    about: optional(text('text'), 'what is tried there'),
  },
  output: swarmBranchOutput,
  run: ({ repo }, { swarm, name, ...how }) => addToSwarm(repo, swarm, name, how),
})

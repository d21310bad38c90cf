import { createSwarmBranch } from '../ops/swarm.ts'
import { optional, required } from './input.ts'
import { swarmBranchOutput, swarmName } from './swarmdata.ts'
import { revision, text } from './values.ts'
import { verb } from './verb.ts'

export const swarmBranch = verb({
  name: 'swarm-branch',
  summary: 'make a branch in the session of a swarm',
  effect: 'write',
  input: {
    swarm: swarmName,
    name: required(text('name'), 'the new branch'),
    about: optional(text('text'), 'what is tried there'),
    start: optional(
      revision('start'),
      'the entry that it starts at; the current one of the session by default',
    ),
  },
  output: swarmBranchOutput,
  run: ({ repo }, { swarm, name, ...how }) => createSwarmBranch(repo, swarm, name, how),
})

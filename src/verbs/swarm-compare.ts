import { compareSwarm } from '../ops/swarm.ts'
import { compare } from './compare.ts'
import { several } from './input.ts'
import { swarmName } from './swarmdata.ts'
import { text } from './values.ts'
import { verb } from './verb.ts'

const { metric, whole } = compare.input

export const swarmCompare = verb({
  name: 'swarm-compare',
  summary: 'compare the branches of a swarm',
  effect: 'read',
  input: {
    swarm: swarmName,
    name: several(text('name'), 'two or more members; all by default'),
    metric,
    whole,
  },
  output: compare.output,
  run: ({ repo, priceOf }, { swarm, name, ...how }) => compareSwarm(repo, swarm, name, { ...how, priceOf }),
})

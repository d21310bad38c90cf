import { getSwarm } from '../ops/swarm.ts'
import { swarmName, swarmOutput } from './swarmdata.ts'
import { verb } from './verb.ts'

export const swarm = verb({
  name: 'swarm',
  summary: 'show a swarm and where its branches are',
  effect: 'read',
  input: { swarm: swarmName },
  output: swarmOutput,
  run: ({ repo }, { swarm: name }) => getSwarm(repo, name),
})

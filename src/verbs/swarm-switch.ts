import { switchSwarm } from '../ops/swarm.ts'
import { required } from './input.ts'
import { swarmBranchOutput, swarmName } from './swarmdata.ts'
import { text } from './values.ts'
import { verb } from './verb.ts'

export const swarmSwitch = verb({
  name: 'swarm-switch',
  summary: 'make a member of a swarm current, and its branch that of its session',
  effect: 'write',
  input: { swarm: swarmName, name: required(text('name'), 'the member') },
  output: swarmBranchOutput,
  run: ({ repo }, { swarm, name }) => switchSwarm(repo, swarm, name),
})

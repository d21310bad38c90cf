import { takeDown } from '../live/setup.ts'
import { changedSetup, namedAgents, setupPlace } from './setup.ts'
import { folderVerb } from './verb.ts'

export const setupUninstall = folderVerb({
  name: 'setup-uninstall',
  summary: 'take what was set up out of the settings of agents',
  effect: 'write',
  input: { agent: namedAgents },
  output: changedSetup,
  run: (context, { agent: agents }) =>
    Promise.resolve({
      agents: takeDown(setupPlace(context), { agents, dryRun: context.dryRun }),
      others: [],
    }),
})

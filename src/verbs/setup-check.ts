import { checkSetup } from '../live/check.ts'
import { thisProgram } from '../live/launcher.ts'
import { arrayOf, boolean, integer, nullable, object, oneOf, string } from './schema.ts'
import { agentFacts, setupPlace } from './setup.ts'
import { folderVerb, output } from './verb.ts'

export const setupCheck = folderVerb({
  name: 'setup-check',
  summary: 'show which agents are set up, and which of their hooks do not run and why',
  effect: 'read',
  input: {},
  output: output(
    object({
      agents: arrayOf(
        object({
          ...agentFacts,
          state: oneOf('live', 'partly', 'absent'),
          problems: arrayOf(string),
        }),
      ),
      problems: arrayOf(string),
      waiting: integer,
      settling: boolean,
      faults: arrayOf(
        object({
          time: string,
          code: string,
          message: string,
          path: nullable(string),
          store: nullable(string),
        }),
      ),
    }),
  ),
  run: (context) => Promise.resolve(checkSetup(setupPlace(context), thisProgram(), Date.now())),
})

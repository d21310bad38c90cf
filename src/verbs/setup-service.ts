import { thisProgram } from '../live/launcher.ts'
import { setService } from '../live/service.ts'
import { flag, optional } from './input.ts'
import { arrayOf, nullable, object, oneOf, string } from './schema.ts'
import { setupPlace } from './setup.ts'
import { folder } from './values.ts'
import { folderVerb, output } from './verb.ts'

export const setupService = folderVerb({
  name: 'setup-service',
  summary: 'write a service of the user that watches all agents, or remove it',
  effect: 'write',
  input: {
    remove: flag('remove it'),
    into: optional(folder(), 'the store that it imports into; by default the usual one', {
      excludes: ['remove'],
    }),
  },
  output: output(
    object({
      kind: oneOf('systemd', 'launchd'),
      path: string,
      change: oneOf('create', 'change', 'remove', 'none'),
      text: nullable(string),
      commands: arrayOf(arrayOf(string)),
    }),
  ),
  run: (context, { remove, into }) =>
    Promise.resolve(
      setService(setupPlace(context), {
        program: thisProgram(),
        store: into,
        remove,
        dryRun: context.dryRun,
      }),
    ),
})

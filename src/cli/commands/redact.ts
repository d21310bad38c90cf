import { SessError } from '../../model/errors.ts'
import { redact } from '../../ops/redact.ts'
import { loadSecretList } from '../../sources/secretlint.ts'
import type { Define } from '../call.ts'
import { examples } from '../examples.ts'
import { typed } from '../quoted.ts'
import { counted } from '../render/text.ts'
import { secretFrom } from '../secretfrom.ts'

/** `sess redact`: copies a session without its secrets. */
export const define: Define = (command, act) => {
  command
    .argument('<session>', 'its id, title, or a prefix of its id')
    .option('--secret <->', 'also mask a secret read from standard input (-)')
    .addHelpText(
      'after',
      `
The copy has the same branches, with marks such as [redacted:github:1f2e3d4c] in place of what 'sess scan' finds;
equal secrets have equal marks. The session itself does not change. To share its file, byte for byte except for the
marks, use sess export --redact.`,
    )
    .action(
      act(async (call, session: string, { secret }: { readonly secret?: string }) => {
        const { io, world } = call
        if (secret !== undefined && secret !== '-')
          throw new SessError('bad-usage', '--secret takes - alone, so that no secret is typed', {
            hint: `type 'sess redact ${typed(session)} --secret - < FILE'`,
          })
        const secrets = secret === undefined ? [] : [await secretFrom(world)]
        const made = await redact(await call.repo(), session, { find: await loadSecretList(), secrets })
        if (io.json) {
          await io.data(made)
          return
        }
        if (made.session === null) {
          await io.print(`Session ${made.from} holds no secret: nothing was copied`)
          return
        }
        await io.print(
          `Made session ${made.session} from ${made.from}: ${counted(made.secrets.length, 'secret')} replaced in ` +
            counted(made.replaced, 'place'),
        )
        await io.note('take the copy back with: sess undo')
      }),
    )
  examples(command, [
    ['sess redact 3b1f', 'copy a session with masked secrets'],
    ['sess redact -n 3b1f', 'show how many secrets would be masked'],
  ])
}

import { SessError } from '../../model/errors.ts'
import { redact } from '../../ops/secrets/redact.ts'
import { loadSecretList } from '../../sources/secretrules.ts'
import { counted, did } from '../../text/text.ts'
import { arrayOf, described, integer, nullable, object, string } from '../../verbs/schema.ts'
import { oidSchema } from '../../verbs/wire.ts'
import { defineCommand, output } from '../define.ts'
import { option, required, session, text } from '../parameters.ts'
import { typed } from '../shellwords.ts'
import { secretFrom } from '../stdin.ts'

/** `sess redact`: copies a session with its secrets masked. */
export const command = defineCommand({
  effect: 'write',
  arguments: { session: required(session(), 'its id, title, or a prefix of its id') },
  options: { secret: option(text('-'), 'also mask a secret read from standard input (-)') },
  help: `The copy has the same branches, with marks such as [redacted:github:1f2e3d4c] in place of what 'sess scan' finds;
equal secrets have equal marks. The session itself does not change. To share its file, byte for byte except for the
marks, use sess export --redact.`,
  examples: [
    ['sess redact 3b1f', 'copy a session with masked secrets'],
    ['sess redact -n 3b1f', 'show how many secrets would be masked'],
  ],
  output: output(
    'One object; session is null if there was nothing to mask.',
    object({
      session: nullable(string),
      from: string,
      tip: nullable(oidSchema),
      replaced: integer,
      secrets: described('by the 8 digits that scan prints', arrayOf(string)),
    }),
  ),
  run: async (call, { session: name, secret }) => {
    if (secret !== undefined && secret !== '-')
      throw new SessError('bad-usage', '--secret takes only -, so that no secret is typed', {
        hint: `type 'sess redact ${typed(name)} --secret - < FILE'`,
      })
    if (secret !== undefined) await call.announceInput('type the secret')
    const given = secret === undefined ? [] : [await secretFrom(call.platform.stdin)]
    const made = await redact(await call.repo(), name, { find: await loadSecretList(), secrets: given })
    const { session: id, from, secrets, replaced } = made
    if (id === null)
      return { data: made, render: () => [[`Session ${from} holds no secret: nothing was copied`]] }
    const of = `${counted(secrets.length, 'secret')} masked in ${counted(replaced, 'place')}`
    return {
      data: made,
      render: () => [[`${did(call, 'Created')} session ${id} from ${from}: ${of}`]],
      back: 'sess undo',
    }
  },
})

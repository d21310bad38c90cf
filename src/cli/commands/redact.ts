import { typed } from '../../text/shellwords.ts'
import { counted, did } from '../../text/text.ts'
import { redact } from '../../verbs/redact.ts'
import { defineCommand } from '../define.ts'
import { option, text } from '../parameters.ts'
import { answerOf, outputOf } from '../present.ts'
import { secretsGiven } from '../secretinput.ts'

/** `sess redact`: copies a session with its secrets masked. */
export const command = defineCommand({
  effect: redact.effect,
  arguments: { session: redact.input.session },
  options: { secret: option(text('-'), 'also mask a secret read from standard input (-)') },
  help: `The copy has the same branches, with marks such as [redacted:github:1f2e3d4c] in place of what 'sess scan' finds;
equal secrets have equal marks. The session itself does not change. To share its file, byte for byte except for the
marks, use sess export --redact.`,
  examples: [
    ['sess redact 3b1f', 'copy a session with masked secrets'],
    ['sess redact -n 3b1f', 'show how many secrets would be masked'],
  ],
  output: outputOf('One object; session is null if there was nothing to mask.', redact.output),
  run: async (call, { session: name, secret }) => {
    const given = await secretsGiven(call, secret, `sess redact ${typed(name)}`)
    const made = await redact.run(await call.context(), { session: name, secret: given })
    const { session: id, from, secrets, replaced } = made
    if (id === null)
      return answerOf(redact, made, {
        render: () => [[`Session ${from} holds no secret: nothing was copied`]],
      })
    const of = `${counted(secrets.length, 'secret')} masked in ${counted(replaced, 'place')}`
    return answerOf(redact, made, {
      render: () => [[`${did(call, 'Created')} session ${id} from ${from}: ${of}`]],
      back: 'sess undo',
    })
  },
})

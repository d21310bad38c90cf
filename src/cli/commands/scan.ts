import { short } from '../../model/encoding/oid.ts'
import { counted, firstLine, type Line, styled } from '../../text/text.ts'
import { scan } from '../../verbs/scan.ts'
import type { FoundSecret } from '../../verbs/types.ts'
import { defineCommand, output } from '../define.ts'
import { EXIT } from '../exitcodes.ts'
import { performed } from '../progress.ts'

/** `sess scan`: finds keys and tokens. */
export const command = defineCommand({
  effect: scan.effect,
  paged: true,
  arguments: { revision: scan.input.revision },
  help: `Keys and tokens are recognised by their form (secretlint's recommended rules), not by entropy. Signatures, encrypted
reasoning and images are skipped. A secret is never printed whole: only its first characters, and 8 digits that are
the same wherever it occurs. The exit code is ${EXIT.user} if any secret was found.`,
  examples: [
    ['sess scan', 'the whole store'],
    ['sess scan 3b1f', 'a session'],
    ['sess scan 3b1f~3..3b1f', 'the newest entries of a session'],
    ['sess scan --json', 'print findings as JSON'],
  ],
  output: output('A line for each place of a secret.', scan.item.schema),
  run: async (call, input, out) => {
    const { io } = call
    const context = await call.context()
    const secrets = new Set<string>()
    let places = 0
    const begin = { step: 'scanning', done: { entries: 0, records: 0, places } }
    await performed(call, begin, async (progress) => {
      for await (const found of scan.items(context, input)) {
        places++
        secrets.add(found.secret)
        if (io.json) await out.data(found)
        else {
          progress.clear()
          await io.print(...secretLine(found))
        }
      }
    })
    if (places > 0) call.status = EXIT.user
    if (io.json) return
    const { entries = 0, records = 0 } = call.progress?.done ?? {}
    const looked = `${counted(entries, 'entry')} and ${counted(records, 'record')}`
    if (places === 0) await io.note(`no secret was found in ${looked}`)
    else {
      await io.note(`${counted(secrets.size, 'secret')} in ${counted(places, 'place')}, of ${looked}`)
      call.hint('scan', "revoke them; 'sess export --redact' and 'sess redact' make copies without them")
    }
  },
})

const secretLine = ({ secret, session, oid, field, rule, masked }: FoundSecret): Line => [
  styled('red', secret),
  ' ',
  styled('yellow', oid === null ? '-' : short(oid)),
  ` ${session === null ? '-' : firstLine(session)}  `,
  styled('cyan', rule),
  ` ${masked}  `,
  styled('dim', firstLine(field)),
]

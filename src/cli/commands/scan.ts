import { short } from '../../model/encoding/oid.ts'
import { type FoundSecret, type Scanned, scan } from '../../ops/secrets/scan.ts'
import { loadSecretList } from '../../sources/secretrules.ts'
import { counted, firstLine, type Line, styled } from '../../text/text.ts'
import { described, nullable, object, string } from '../../verbs/schema.ts'
import { oidSchema } from '../../verbs/wire.ts'
import { defineCommand, output } from '../define.ts'
import { EXIT } from '../exitcodes.ts'
import { revision, several } from '../parameters.ts'
import { during, type ProgressStep } from '../progress.ts'

/** `sess scan`: finds keys and tokens. */
export const command = defineCommand({
  effect: 'read',
  paged: true,
  arguments: {
    revision: several(revision(), 'sessions, ranges or entries; by default the whole store'),
  },
  help: `Keys and tokens are recognised by their form (secretlint's recommended rules), not by entropy. Signatures, encrypted
reasoning and images are skipped. A secret is never printed whole: only its first characters, and 8 digits that are
the same wherever it occurs. The exit code is ${EXIT.user} if any secret was found.`,
  examples: [
    ['sess scan', 'the whole store'],
    ['sess scan 3b1f', 'a session'],
    ['sess scan 3b1f~3..3b1f', 'the newest entries of a session'],
    ['sess scan --json', 'print findings as JSON'],
  ],
  output: output(
    'A line for each place of a secret.',
    object({
      session: nullable(string),
      oid: nullable(oidSchema),
      field: described('where in the record, or what else holds it', string),
      rule: string,
      masked: described('its first characters, and how many it has', string),
      secret: described('8 hex digits, the same for the same secret in this store', string),
    }),
  ),
  run: async (call, { revision: revisions }, out) => {
    const { io } = call
    const [repo, find] = [await call.repo(), await loadSecretList()]
    let scanned: Scanned = { entries: 0, records: 0, characters: 0 }
    const secrets = new Set<string>()
    let places = 0
    const step = (): ProgressStep => ({
      text: `scanning: ${counted(scanned.records, 'record')}, ${counted(places, 'place')}`,
    })
    const onProgress = (now: Scanned): void => {
      scanned = now
    }
    await during(call, step, async (progress) => {
      for await (const found of scan(repo, { find, revisions, onProgress })) {
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
    const looked = `${counted(scanned.entries, 'entry')} and ${counted(scanned.records, 'record')}`
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

import { EXIT } from '../../model/errors.ts'
import { type Scanned, scan } from '../../ops/scan.ts'
import { loadSecretList } from '../../sources/secretlist.ts'
import type { Define } from '../call.ts'
import { examples } from '../examples.ts'
import { Progress } from '../progress.ts'
import { secretLine } from '../render/secrets.ts'
import { counted } from '../render/text.ts'

/** `sess scan`: finds secrets. */
export const define: Define = (command, act) => {
  command
    .argument('[revision...]', 'sessions, ranges or entries; by default the whole store')
    .addHelpText(
      'after',
      `
Keys and tokens are recognised by their form (secretlint's recommended rules), not by entropy. Signatures, encrypted
reasoning and images are skipped. A secret is never printed whole: only its first characters, and 8 digits that are
the same wherever it occurs. The exit code is ${EXIT.user} if any secret was found.`,
    )
    .action(
      act(async (call, revisions: string[]) => {
        const { io } = call
        const [repo, find] = [await call.repo(), await loadSecretList()]
        let scanned: Scanned = { entries: 0, records: 0, characters: 0 }
        const secrets = new Set<string>()
        let places = 0
        const progress = new Progress(call, () => ({
          text: `scanning: ${counted(scanned.records, 'record')}, ${counted(places, 'place')}`,
        }))
        try {
          const onProgress = (now: Scanned): void => {
            scanned = now
          }
          for await (const found of scan(repo, { find, revisions, onProgress })) {
            places++
            secrets.add(found.secret)
            if (io.json) await io.data(found)
            else {
              progress.clear()
              await io.print(...secretLine(found))
            }
          }
        } finally {
          progress.end()
        }
        if (places > 0) call.status = EXIT.user
        if (io.json) return
        const looked = `${counted(scanned.entries, 'entry', 'entries')} and ${counted(scanned.records, 'record')}`
        if (places === 0) await io.note(`no secret was found in ${looked}`)
        else {
          await io.note(`${counted(secrets.size, 'secret')} in ${counted(places, 'place')}, of ${looked}`)
          call.hint('scan', HINT)
        }
      }),
    )
  examples(command, [
    ['sess scan', 'the whole store'],
    ['sess scan 3b1f', 'a session'],
    ['sess scan 3b1f~3..3b1f', 'the newest entries of a session'],
    ['sess scan --json', 'print findings as JSON'],
  ])
}

const HINT = "revoke what was found; 'sess export --redact' and 'sess redact' give copies without it"

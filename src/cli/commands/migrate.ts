import { rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Option } from 'commander'
import { type Shape, TARGETS } from '../../formats/migrate/index.ts'
import { SessError } from '../../model/errors.ts'
import type { JsonObject } from '../../model/json.ts'
import { type Migration, migrate } from '../../ops/migrate.ts'
import { statOf } from '../../sources/files.ts'
import { isWritten, keepCopy, type Written } from '../../sources/newfile.ts'
import type { Call, Define } from '../call.ts'
import { examples } from '../examples.ts'
import { writeNew } from '../newfile.ts'
import { filled } from '../options.ts'
import { quoted } from '../quoted.ts'

interface Options {
  readonly to: Shape
  readonly out?: string
  readonly inPlace?: boolean
}

/** `sess migrate`: turns a session file into another version of its format. */
export const define: Define = (command, act) => {
  command
    .argument('<file>', 'a session file of pi, Dash, rollouts or a draft', filled)
    .addOption(new Option('--to <version>', 'the target version').choices([...TARGETS]).makeOptionMandatory())
    .option('--out <file>', 'write to a new file', filled)
    .option('--in-place', 'replace the file, and keep the original as FILE.bak')
    .addHelpText('after', `\n${ABOUT}`)
    .action(
      act(async (call, file: string, { to, out, inPlace = false }: Options) => {
        if (inPlace && out !== undefined)
          throw new SessError('bad-usage', '--in-place and --out exclude each other', {
            hint: "type 'sess help migrate' to see how it is used",
          })
        const path = resolve(call.world.env.cwd, file)
        const migration = await migrate(path, to)
        const target = inPlace ? path : out
        if (target === undefined) {
          for (const line of migration.lines) await call.io.bytes(utf8.encode(line))
          await (call.io.json ? call.io.noteData(dataOf(migration)) : tell(call, migration))
          return
        }
        // A process may have been killed right after it replaced the file.
        const isDone =
          inPlace &&
          migration.way.length === 1 &&
          (await isWritten(path, utf8.encode([...migration.lines].join('')), call))
        const kept = inPlace && !isDone ? await keepCopy(path, call) : null
        const backup = kept?.path ?? null
        const how = { force: inPlace }
        const written = await (isDone
          ? alreadyThere(path)
          : writeNew(call, target, pieces(migration), how)
        ).catch(async (error: unknown) => {
          if (kept?.isNew && !call.dryRun) await rm(kept.path)
          throw error
        })
        if (call.io.json) {
          await call.io.data({ ...dataOf(migration), path: written.path, bytes: written.bytes, backup })
          return
        }
        await tell(call, migration)
        await call.io.note(`Wrote ${written.bytes} bytes to ${written.path}`)
        if (backup !== null)
          await call.io.note(
            `The file as it was is ${backup}; to go back: mv ${quoted(backup)} ${quoted(path)}`,
          )
      }),
    )
  examples(command, [
    ['sess migrate old.jsonl --to v3 > new.jsonl', 'convert a session of the first pi'],
    ['sess migrate old.jsonl --to v4 --out four.jsonl', 'convert to version 4, into a new file'],
    ['sess migrate old.jsonl --to v3 --in-place', 'replace the file, and keep the original'],
  ])
}

const utf8 = new TextEncoder()

// oxlint-disable-next-line typescript/require-await -- as `writeNew`
const alreadyThere = async (path: string): Promise<Pick<Written, 'path' | 'bytes'>> => ({
  path,
  bytes: statOf(path).size,
})

// oxlint-disable-next-line typescript/require-await -- pieces of any source are asynchronous
async function* pieces({ lines }: Migration): AsyncGenerator<Uint8Array> {
  for (const line of lines) yield utf8.encode(line)
}

const dataOf = ({ way, records, salvaged, skipped, edits }: Migration): JsonObject => ({
  way: [...way],
  records,
  salvaged,
  skipped: [...skipped],
  edits,
})

async function tell({ io }: Call, { way, records, salvaged, skipped, edits }: Migration): Promise<void> {
  const damaged = salvaged === 0 ? '' : `, ${salvaged} of them from damaged lines`
  await io.note(`${way.join(' -> ')}: ${records} records${damaged}`)
  if (edits > 0) await io.note(`edits that it has no place for, and which do nothing there: ${edits}`)
  if (skipped.length > 0) await io.note(`left out, for they are no records: ${linesNamed(skipped)}`)
}

/** So many lines are named. */
const MOST = 10

const linesNamed = (lines: readonly number[]): string =>
  `line${lines.length === 1 ? '' : 's'} ${lines.slice(0, MOST).join(', ')}${lines.length > MOST ? ` and ${lines.length - MOST} more` : ''}`

const ABOUT = `pi v1 is converted to v2, v3 and v4, step by step; the drafts index-tree and uuid-tree to each other and to v3; Dash
and rollouts to v3. The file is only read, unless --in-place is given. New ids are derived from the content, so the same
file always gives the same result. No store is needed.`

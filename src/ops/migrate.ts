import { isWritten, keepCopy, removeCopy } from '../files/newfile.ts'
import { sampleOf } from '../formats/core/sample.ts'
import { migrated, recordsIn, shapeOf, TARGETS, wayBetween } from '../formats/migrate/index.ts'
import type { MigrationShape } from '../formats/migrate/migration.ts'
import { joined } from '../model/bytes.ts'
import { SessError } from '../model/errors.ts'
import { chunksOf, folderOf, headOf, kindOf, nameOf, statOf } from '../sources/files.ts'
import type { Files } from './export/destinations.ts'

/** The versions and formats that files can be converted to. */
export const MIGRATION_TARGETS: readonly MigrationShape[] = TARGETS

/** A session file that was converted to another version or format. */
export interface Migration {
  /** Its original version or format, the intermediate ones, and the final one. */
  readonly way: readonly MigrationShape[]
  /** The number of records that were read. */
  readonly records: number
  /** The number of records that were salvaged from damaged lines. */
  readonly salvaged: number
  /** The numbers of lines without a record, which were left out. */
  readonly skipped: readonly number[]
  /** The number of context edits that the new format cannot hold: the original text is kept there. */
  readonly edits: number
  /** The lines of the new file. Equal files give equal lines. */
  readonly lines: Iterable<string>
  /** Whether the file is as it was read. */
  readonly isCurrent: () => boolean
}

/** The number of bytes from which the version of a file is detected. */
const HEAD = 256 << 10

/**
 * Converts a session file to another version of its format, or to another format of its family. Does not change the file.
 * Throws `bad-usage` if there is no conversion, and errors of reading the file.
 */
export async function migrate(path: string, to: MigrationShape): Promise<Migration> {
  const kind = kindOf(path)
  if (kind !== 'file')
    throw new SessError(kind === 'missing' ? 'no-path' : 'unreadable-path', path, {
      hint: 'give the path of a session file',
      ...(kind !== 'missing' && { detail: 'it is no file' }),
    })
  const { size, mtime } = statOf(path)
  const from = shapeOf(sampleOf(nameOf(path), headOf(path, Math.min(HEAD, size)), size, folderOf(path)))
  const way = from && wayBetween(from, to)
  if (!way)
    throw new SessError('bad-usage', `'${path}' ${from ? `is ${from}: no way leads to ${to}` : NO_SHAPE}`, {
      remedy: { kind: 'name-conversion' },
    })
  const chunks: Uint8Array[] = []
  for await (const chunk of chunksOf(path, size)) chunks.push(Buffer.from(chunk))
  const { items, salvaged, skipped } = recordsIn(joined(chunks))
  const edits = way.includes('v4') ? items.filter(({ value }) => value.type === 'context_edit').length : 0
  const isCurrent = (): boolean => {
    const now = statOf(path)
    return now.size === size && now.mtime === mtime
  }
  return { way, records: items.length, salvaged, skipped, edits, lines: migrated(items, way), isCurrent }
}

const NO_SHAPE = 'is no session of pi, Dash or rollouts and no draft'

/** A conversion that was written to a file. */
export interface MigratedFile extends Omit<Migration, 'lines' | 'isCurrent'> {
  readonly path: string
  readonly bytes: number
  /** The copy of the original; null unless the file was replaced now. */
  readonly backup: string | null
}

const utf8 = new TextEncoder()

/**
 * Converts a session file into a new file, or in place, where the original is kept beside it. Throws as `migrate`, as
 * `keepCopy`, `exists` for a new file that exists, and `conflict` where the file changed since it was read.
 */
export async function migrateFile(
  path: string,
  to: MigrationShape,
  out: string | undefined,
  files: Files,
): Promise<MigratedFile> {
  const { lines, isCurrent, ...migration } = await migrate(path, to)
  const dry = { dryRun: files.dryRun ?? false }
  if (out !== undefined) {
    const { path: written, bytes } = await files.file(out, piecesOf(lines), {})
    return { ...migration, path: written, bytes, backup: null }
  }
  // A process may have been killed right after it replaced the file.
  if (migration.way.length === 1 && (await isWritten(path, utf8.encode([...lines].join('')), dry)))
    return { ...migration, path, bytes: statOf(path).size, backup: null }
  const kept = await keepCopy(path, dry)
  const checkCurrent = (): void => {
    if (!isCurrent())
      throw new SessError('conflict', path, { hint: 'end the agent that writes it, and repeat the command' })
  }
  try {
    const { bytes } = await files.file(path, piecesOf(lines, checkCurrent), {
      force: true,
    })
    return { ...migration, path, bytes, backup: kept.path }
  } catch (error) {
    if (!dry.dryRun) await removeCopy(path, kept)
    throw error
  }
}

/** Yields the new content, and checks at its end that it may be put in place. */
// oxlint-disable-next-line typescript/require-await -- pieces of any source are asynchronous
async function* piecesOf(lines: Iterable<string>, check?: () => void): AsyncGenerator<Uint8Array> {
  for (const line of lines) yield utf8.encode(line)
  check?.()
}

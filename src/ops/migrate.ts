import { sampleOf } from '../formats/core/sample.ts'
import { migrated, recordsIn, type Shape, shapeOf, wayBetween } from '../formats/migrate/index.ts'
import { joined } from '../model/bytes.ts'
import { SessError } from '../model/errors.ts'
import { chunksOf, folderOf, headOf, kindOf, nameOf, statOf } from '../sources/files.ts'

/** A session file that was turned into another version or format. */
export interface Migration {
  /** What it was, what it became on the way, and what it is now. */
  readonly way: readonly Shape[]
  /** How many records were read. */
  readonly records: number
  /** How many of them were recovered from damaged lines. */
  readonly salvaged: number
  /** The lines that hold bytes which are no record, and are left out. */
  readonly skipped: readonly number[]
  /** How many edits of what the model sees have no place in what it became: there it says what it said before. */
  readonly edits: number
  /** The file that it became, a line at a time. The same file gives the same lines. */
  readonly lines: Iterable<string>
}

/** From so many bytes the version of a file is told. */
const HEAD = 256 << 10

/**
 * Turns a session file into another version of its format, or another format of its family; the file is only read.
 * Throws `bad-usage` where there is no way, and as files are read.
 */
export async function migrate(path: string, to: Shape): Promise<Migration> {
  const kind = kindOf(path)
  if (kind !== 'file')
    throw new SessError(kind === 'missing' ? 'no-path' : 'unreadable-path', path, {
      hint: 'give the path of a session file',
      ...(kind !== 'missing' && { detail: 'it is no file' }),
    })
  const { size } = statOf(path)
  const from = shapeOf(sampleOf(nameOf(path), headOf(path, Math.min(HEAD, size)), size, folderOf(path)))
  const way = from && wayBetween(from, to)
  if (!way)
    throw new SessError('bad-usage', `'${path}' ${from ? `is ${from}: no way leads to ${to}` : NO_SHAPE}`, {
      hint: "type 'sess help migrate' to see what becomes what, or 'sess export --format' to write any session",
    })
  const chunks: Uint8Array[] = []
  for await (const chunk of chunksOf(path, size)) chunks.push(chunk.slice())
  const { items, salvaged, skipped } = recordsIn(joined(chunks))
  const edits = way.includes('v4') ? items.filter(({ value }) => value.type === 'context_edit').length : 0
  return { way, records: items.length, salvaged, skipped, edits, lines: migrated(items, way) }
}

const NO_SHAPE = 'is no session of pi, Dash or rollouts and no draft'

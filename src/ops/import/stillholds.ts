import { sampleOf } from '../../formats/core/sample.ts'
import { detectFormat, formatNamed } from '../../formats/registry.ts'
import type { Reader } from '../../repo/reader.ts'
import type { ExportHead, SourceHead } from '../../repo/session.ts'
import { isCompressed } from '../../sources/compressed.ts'
import { containerOf } from '../../sources/databases.ts'
import { headOf, statOf } from '../../sources/files.ts'
import { beginningOf } from './comparesource.ts'
import { holdsMessage } from './silentfiles.ts'
import { namesOf } from './source.ts'

/** The number of bytes at the beginning of a file that are enough to detect its format. */
const HEAD = 256 << 10

/** A file as the store has it. */
interface StoredFile {
  readonly format: string
  readonly head: SourceHead | ExportHead
}

/**
 * Returns whether a file still begins with what the store has of it; if its agent writes it whole with every change, whether
 * it holds a conversation. Rows of a database, compressed files and those of which something was expunged are not compared.
 */
export async function stillHolds(
  reader: Reader,
  path: string,
  { format: name, head }: StoredFile,
): Promise<boolean> {
  if (containerOf(path) !== path || isCompressed(path) || head.bundled || head.expunged) return true
  const { size } = statOf(path)
  const format = formatNamed(name)
  const names = namesOf(path)
  const sample = sampleOf(names.name, headOf(path, Math.min(HEAD, size)), size, names.folder, names.above)
  const slot = format?.mutablePrefix?.(sample.head) ?? 0
  if (!format || (await beginningOf(reader, { path, size, slot }, head))) return true
  return (
    format.rewrittenWhole === true &&
    detectFormat(sample) === format &&
    holdsMessage({ format, sample, file: path, size })
  )
}

import type { Format, Sample, Unit } from '../../formats/format.ts'
import { BlobRef } from '../../model/canonical.ts'
import { Numbers } from '../../model/numbers.ts'
import { type Backend, NO_ROW, type Row } from '../../repo/backend.ts'
import type { Change } from '../../repo/repo.ts'
import type { ExportHead, SourceHead } from '../../repo/session.ts'
import type { Indexer } from '../index.ts'
import type { Given, Target } from './target.ts'

/** What a log has of a source whose bytes are known to begin with those that were read into it, by the same reading. */
export interface Known extends Required<Target> {
  /** By position in the log: the row of the entry that the record carries, or NO_ROW. */
  readonly rows: Numbers
  /** The row of the tip after its last record. */
  readonly tip: Row
  /** How many bytes of the source its records and those before them stand for. */
  readonly bytes: number
}

/** What a source is read into. */
export interface Into extends Pick<Change, 'backend' | 'transaction'> {
  readonly indexer: Indexer
  /** Is told of the ids that its records have. */
  readonly onNative?: ((native: string) => void) | undefined
}

/** What is read: its format, its names, and the log that it is read into, where it is. */
export interface Intaken {
  readonly format: Format
  readonly sample: Pick<Sample, 'name' | 'folder' | 'above' | 'beginning'>
  readonly target?: Target | undefined
  readonly given?: Given | undefined
  /** What the target, or a log that has all of the source, is known to have of it. */
  readonly known?: Known | undefined
  /** Is told of each unit before it is read. */
  readonly onUnit?: (unit: Unit) => void
  /** Is told of the ids that its records have. */
  readonly onNative?: ((native: string) => void) | undefined
}

/** Gives what a log has of a source, from its spine; `first` records of the source precede it. */
export async function knownBy(
  backend: Backend,
  head: SourceHead | ExportHead,
  first: number,
): Promise<Known> {
  const { log, count, hash } = head
  const rows = new Numbers(Float64Array)
  let tip = NO_ROW
  for await (const [, spine] of backend.spine(log, 0, count)) {
    rows.push(spine.row)
    tip = spine.tip
  }
  let { bytes } = head
  for (const [block, index] of head.tail) bytes -= (await backend.bytes(new BlobRef(block, index))).length
  return { log, count, hash, first, rows, tip, bytes }
}

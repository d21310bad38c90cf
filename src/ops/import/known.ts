import type { Format, Sample } from '../../formats/format.ts'
import type { Unit } from '../../formats/unit.ts'
import type { EntryHandle } from '../../model/node.ts'
import { readHeaders } from '../../repo/logreading.ts'
import type { Reader } from '../../repo/reader.ts'
import type { Change } from '../../repo/repo.ts'
import type { ExportHead, SourceHead } from '../../repo/session.ts'
import type { Indexer } from '../index.ts'
import type { Given, Target } from './target.ts'

/** What a log has of a source whose bytes are known to begin with those that were read into it, by the same reading. */
export interface Known extends Required<Target> {
  /** By position in the log: the entry that the record carries, if any. */
  readonly entries: readonly (EntryHandle | undefined)[]
  /** The tip after its last record. */
  readonly tip: EntryHandle | undefined
  /** How many bytes of the source its records and those before them stand for. */
  readonly bytes: number
}

/** What a source is read into. */
export interface Into extends Pick<Change, 'reader' | 'writer'> {
  readonly indexer: Indexer
  /** Is told of the ids that its records have. */
  readonly onNative?: ((native: string) => void) | undefined
}

/** What is read: its format, its names, and the log that it is read into, where it is. */
export interface Intaken {
  readonly format: Format
  readonly sample: Pick<Sample, 'name' | 'folder' | 'above' | 'headUnits'>
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
export async function knownBy(reader: Reader, head: SourceHead | ExportHead, first: number): Promise<Known> {
  const { log, count, hash } = head
  const entries: (EntryHandle | undefined)[] = []
  let tip: EntryHandle | undefined
  for await (const [, header] of readHeaders(reader, log, 0, count)) {
    entries.push(header.entry)
    tip = header.tip
  }
  let { bytes } = head
  for (const blob of head.tail) bytes -= (await reader.readBlob(blob)).length
  return { log, count, hash, first, entries, tip, bytes }
}

import type { Format } from '../../formats/core/format.ts'
import type { Sample } from '../../formats/core/sample.ts'
import type { Unit } from '../../formats/core/splitter.ts'
import type { Hasher } from '../../model/encoding/sha256.ts'
import type { Change } from '../../repo/repo.ts'
import type { Indexer } from '../indexing.ts'
import type { Standing } from './base.ts'
import type { KnownRecords } from './knownrecords.ts'
import type { ExportedRecords, LogTarget } from './logtarget.ts'

/** The store that a source is read into. */
export interface IngestContext extends Pick<Change, 'reader' | 'writer'> {
  readonly indexer: Indexer
  /** Called with the native ids of its records. */
  readonly onNative?: ((native: string) => void) | undefined
}

/** A source: its format, its names, and the log that it is read into, if any. */
export interface IngesterOptions extends Standing {
  readonly format: Format
  readonly sample: Pick<Sample, 'name' | 'folder' | 'above' | 'headUnits'>
  readonly target?: LogTarget | undefined
  readonly exportedRecords?: ExportedRecords | undefined
  /** The records that the target, or a log that has all of the source, is known to have of it. */
  readonly known?: KnownRecords | undefined
  /** The digest of bytes that the source begins with, and their number. Further bytes are added to it. */
  readonly digest?: { readonly hasher: Hasher; readonly bytes: number } | undefined
  /** Returns whether the state after a number of bytes is to be kept. */
  readonly keeps?: ((bytes: number) => boolean) | undefined
  /** Called with each unit before it is read. */
  readonly onUnit?: (unit: Unit) => void
  /** Called with the native ids of its records. */
  readonly onNative?: ((native: string) => void) | undefined
}

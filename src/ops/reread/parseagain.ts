import type { Format } from '../../formats/core/format.ts'
import { inOrder } from '../../graph/order.ts'
import type { EntryHandle } from '../../model/node.ts'
import { lookIn, type Reader } from '../../repo/reader.ts'
import { bytesOfRecord, readRecords } from '../../repo/records.ts'
import type { Change } from '../../repo/repo.ts'
import type { SessionState, SourceHead } from '../../repo/session.ts'
import type { Standing } from '../import/base.ts'
import { Ingester } from '../import/ingester.ts'
import { emptyTarget, type LogTarget } from '../import/logtarget.ts'
import { sourceNames } from '../import/source.ts'
import type { Indexer } from '../indexing.ts'

/** Parses the stored bytes of a source again into a new log, and maps the former entries to the new ones. */
export class Rereading {
  readonly target: LogTarget
  readonly ingester: Ingester
  /** The SHA-256 of the bytes. */
  digest = ''
  /** The new entry of each former one; undefined if there is none. */
  readonly map = new Map<EntryHandle, EntryHandle | undefined>()
  readonly #reader: Reader
  readonly #source: SourceHead
  /** The entry of each former record, and the byte of the source at which the record ends. */
  readonly #old: { readonly handle: EntryHandle | undefined; readonly end: number }[] = []
  /** The end of each new record, and its position. */
  readonly #new: { readonly position: number; readonly end: number }[] = []
  #end = 0

  constructor(
    change: Change,
    indexer: Indexer,
    format: Format,
    { meta, source }: SessionState & { readonly source: SourceHead },
    standing: Standing,
  ) {
    this.#reader = change.reader
    this.#source = source
    this.target = emptyTarget(change.writer.newLog())
    this.ingester = new Ingester(change, indexer, {
      format,
      sample: sourceNames(meta),
      target: this.target,
      ...standing,
      onUnit: ({ bytes }) => {
        this.#end += bytes.length
        this.#new.push({ position: this.ingester.records, end: this.#end })
      },
    })
  }

  /** Reads it; `onRecord` is called before each record. */
  async read(onRecord: () => void): Promise<void> {
    const { log, count, tail } = this.#source
    let end = 0
    for await (const [, record] of readRecords(this.#reader, log, 0, count)) {
      onRecord()
      for await (const bytes of bytesOfRecord(this.#reader, record)) {
        await this.ingester.push(bytes)
        end += bytes.length
      }
      this.#old.push({ handle: record.entry, end })
    }
    for (const blob of tail) await this.ingester.push(await this.#reader.readBlob(blob))
    this.digest = await this.ingester.end()
    await this.#match()
  }

  /** Returns the number of new records for a number of former ones. */
  countFor(count: number): number {
    const end = count === 0 ? 0 : (this.#old[count - 1]?.end ?? this.#end)
    const next = this.#new.find((one) => one.end > end)
    return next ? next.position : this.ingester.records
  }

  /** Maps each former entry to the last new entry within the bytes of its record, else to that of its parent. */
  async #match(): Promise<void> {
    let from = 0
    let next = 0
    for (const { handle, end } of this.#old) {
      while ((this.#new[next]?.end ?? end) <= from) next++
      let found: EntryHandle | undefined
      for (let at = next; at < this.#new.length; at++) {
        const before = this.#new[at - 1]?.end ?? 0
        if (before >= end) break
        const entry = this.ingester.entries.at((this.#new[at] as { position: number }).position)
        if (entry !== undefined) found = entry
      }
      if (handle !== undefined && !this.map.has(handle)) this.map.set(handle, found)
      from = end
    }
    for (const handle of await inOrder(this.map.keys(), lookIn(this.#reader)))
      if (this.map.get(handle) === undefined) {
        const [parent] = (await this.#reader.node(handle)).parents
        this.map.set(handle, parent === undefined ? undefined : (this.map.get(parent) ?? parent))
      }
  }
}

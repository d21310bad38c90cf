import type { Eraser } from '../../model/expunged.ts'
import { jsonText } from '../../model/json.ts'
import type { EntryHandle } from '../../model/node.ts'
import type { BlobId, LogId, LogRecord } from '../../model/record.ts'
import { textOfBytes } from '../../model/textofbytes.ts'
import { readRecords } from '../logreading.ts'
import type { Reader } from '../reader.ts'
import { bytesOfRecord } from '../records.ts'
import type { SourceHead } from '../session.ts'

/** The content that is to be expunged. */
export interface Removal {
  readonly eraser: Eraser
  /** The replacements of entries that are expunged as a whole, by their digests. */
  readonly digests: ReadonlyMap<string, string>
}

/** Where a store holds the content that is to be expunged, as far as it was searched. */
export class Occurrences {
  readonly #removal: Removal
  /** The replacements of entries that are expunged as a whole. */
  readonly replacements = new Map<EntryHandle, string>()
  /** The entries that hold the content. */
  readonly entries = new Set<EntryHandle>()
  /** The positions of records that hold the content, by log. Empty for a log of which only the tail does. */
  readonly records = new Map<LogId, Set<number>>()
  /** The replacements of tails that hold the content, by blob. */
  readonly tails = new Map<BlobId, Uint8Array>()
  /** The newest entry that was searched. */
  #newest: EntryHandle | undefined
  #seen: ReadonlyMap<LogId, number> = new Map()

  constructor(removal: Removal) {
    this.#removal = removal
  }

  /** The number of records that were searched, by log. */
  get seen(): ReadonlyMap<LogId, number> {
    return this.#seen
  }

  /** Searches everything that was written since the last call. */
  async search(reader: Reader): Promise<void> {
    // The lengths of logs are read first: the entries of all their records are then stored already.
    const ends = new Map<LogId, number>()
    for await (const [log, count] of reader.logs()) ends.set(log, count)
    let newest = this.#newest
    for await (const entry of reader.entries(newest)) {
      await this.#searchEntry(reader, entry)
      newest = entry
    }
    for (const [log, count] of ends) {
      const from = this.#seen.get(log) ?? 0
      for await (const [position, record] of readRecords(reader, log, from, count))
        if (await this.#recordMatches(reader, record)) this.#positions(log).add(position)
    }
    await this.#searchTails(reader)
    this.#newest = newest
    this.#seen = ends
  }

  #positions(log: LogId): Set<number> {
    const known = this.records.get(log) ?? new Set()
    this.records.set(log, known)
    return known
  }

  async #searchEntry(reader: Reader, handle: EntryHandle): Promise<void> {
    const { digests, eraser } = this.#removal
    const replacement = digests.get((await reader.node(handle)).digest)
    if (replacement !== undefined) this.replacements.set(handle, replacement)
    if (replacement !== undefined || (!eraser.isIdle && eraser.holds(jsonText(await reader.body(handle)))))
      this.entries.add(handle)
  }

  async #recordMatches(reader: Reader, record: LogRecord): Promise<boolean> {
    if (record.entry !== undefined && this.entries.has(record.entry)) return true
    const { eraser } = this.#removal
    if (eraser.isIdle) return false
    let text = ''
    for await (const bytes of bytesOfRecord(reader, record)) text += textOfBytes(bytes).text
    return eraser.holds(`${record.native}\n${text}`)
  }

  async #searchTails(reader: Reader): Promise<void> {
    for await (const [, value] of reader.refs('')) {
      const { log, tail } = value as Partial<SourceHead>
      if (log === undefined || !tail) continue
      for (const blob of tail) await this.#searchTail(reader, log, blob)
    }
  }

  async #searchTail(reader: Reader, log: LogId, blob: BlobId): Promise<void> {
    const bytes = await reader.readBlob(blob)
    const { eraser } = this.#removal
    if (!eraser.holds(textOfBytes(bytes).text)) return
    this.#positions(log)
    this.tails.set(blob, eraser.bytes(bytes))
  }
}

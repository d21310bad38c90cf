import type { Eraser } from '../../model/expunged.ts'
import { jsonText } from '../../model/json.ts'
import type { EntryHandle } from '../../model/node.ts'
import type { BlobId, LogId, LogRecord } from '../../model/record.ts'
import { textOfBytes } from '../../model/textofbytes.ts'
import { readRecords } from '../logreading.ts'
import type { Reader } from '../reader.ts'
import { bytesOfRecord } from '../records.ts'
import type { SourceHead } from '../session.ts'

/** What is to be removed from a store for good. */
export interface Removal {
  readonly eraser: Eraser
  /** By digest what stands instead of what entries say, where all of that goes. */
  readonly digests: ReadonlyMap<string, string>
}

/** What of a store holds something of what is to be removed, as far as it was looked at. */
export class Occurrences {
  readonly #removal: Removal
  /** By entry the text that replaces what it says, where all of that goes. */
  readonly emptied = new Map<EntryHandle, string>()
  /** The entries that say something of what goes. */
  readonly entries = new Set<EntryHandle>()
  /** By log the positions of records that hold something of it; none of a log that does so at its end only. */
  readonly records = new Map<LogId, Set<number>>()
  /** By blob of a tail that holds something of it: the bytes that replace it. */
  readonly tails = new Map<BlobId, Uint8Array>()
  /** The newest entry that was looked at. */
  #newest: EntryHandle | undefined
  #seen: ReadonlyMap<LogId, number> = new Map()

  constructor(removal: Removal) {
    this.#removal = removal
  }

  /** By log how many of its records were looked at. */
  get seen(): ReadonlyMap<LogId, number> {
    return this.#seen
  }

  /** Looks at all that was written since it was called last. */
  async look(reader: Reader): Promise<void> {
    // Ends of logs first: the entries of all records before them are there by now.
    const ends = new Map<LogId, number>()
    for await (const [log, count] of reader.logs()) ends.set(log, count)
    let newest = this.#newest
    for await (const entry of reader.entries(newest)) {
      await this.#lookAtEntry(reader, entry)
      newest = entry
    }
    for (const [log, count] of ends) {
      const from = this.#seen.get(log) ?? 0
      for await (const [position, record] of readRecords(reader, log, from, count))
        if (await this.#isHeld(reader, record)) this.#positions(log).add(position)
    }
    await this.#lookAtTails(reader)
    this.#newest = newest
    this.#seen = ends
  }

  #positions(log: LogId): Set<number> {
    const known = this.records.get(log) ?? new Set()
    this.records.set(log, known)
    return known
  }

  async #lookAtEntry(reader: Reader, handle: EntryHandle): Promise<void> {
    const { digests, eraser } = this.#removal
    const instead = digests.get((await reader.node(handle)).digest)
    if (instead !== undefined) this.emptied.set(handle, instead)
    if (instead !== undefined || (!eraser.isIdle && eraser.holds(jsonText(await reader.body(handle)))))
      this.entries.add(handle)
  }

  async #isHeld(reader: Reader, record: LogRecord): Promise<boolean> {
    if (record.entry !== undefined && this.entries.has(record.entry)) return true
    const { eraser } = this.#removal
    if (eraser.isIdle) return false
    let text = ''
    for await (const bytes of bytesOfRecord(reader, record)) text += textOfBytes(bytes).text
    return eraser.holds(`${record.native}\n${text}`)
  }

  async #lookAtTails(reader: Reader): Promise<void> {
    for await (const [, value] of reader.refs('')) {
      const { log, tail } = value as Partial<SourceHead>
      if (log === undefined || !tail) continue
      for (const blob of tail) await this.#lookAtTail(reader, log, blob)
    }
  }

  async #lookAtTail(reader: Reader, log: LogId, blob: BlobId): Promise<void> {
    const bytes = await reader.readBlob(blob)
    const { eraser } = this.#removal
    if (!eraser.holds(textOfBytes(bytes).text)) return
    this.#positions(log)
    this.tails.set(blob, eraser.bytes(bytes))
  }
}

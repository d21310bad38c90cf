import { joined, textOfBytes } from '../../model/bytes.ts'
import { hasCode } from '../../model/errors.ts'
import { field, type Json, jsonText } from '../../model/json.ts'
import type { EntryHandle } from '../../model/node.ts'
import type { RefValue } from '../../model/operation.ts'
import { type BlobId, isLogId, type LogId, type LogRecord } from '../../model/record.ts'
import type { RefName } from '../../model/refname.ts'
import { plainBlobs } from '../../model/refs/table.ts'
import { blanked, type Eraser } from '../../model/secrets/expunged.ts'
import { operationsBetween } from '../oplog/operationlog.ts'
import type { Reader } from '../reader.ts'
import { bytesOfRecord } from '../records.ts'

/** The content that is to be expunged. */
export interface Removal {
  readonly eraser: Eraser
  /** The replacements of entries that are expunged as a whole, by their digests. */
  readonly digests: ReadonlyMap<string, string>
  /** The replacements of files that are expunged as a whole, by their logs. */
  readonly files: ReadonlyMap<LogId, string>
  /** Returns the truncated prompts that refs may hold; always the same number. */
  readonly prompts: (type: string, body: Json) => readonly (string | undefined)[]
}

/** The parts of a store that hold the content to be expunged, as far as it was searched. */
export class Occurrences {
  readonly #removal: Removal
  /** The replacements of entries that are expunged as a whole. */
  readonly replacements = new Map<EntryHandle, string>()
  /** The entries that hold the content. */
  readonly entries = new Set<EntryHandle>()
  /** The positions of records that hold the content, by log. Empty for a log where only the tail holds it. */
  readonly records = new Map<LogId, Set<number>>()
  /** The replacements of consecutive blobs that refs name and that hold the content, such as the tail of a source. */
  readonly blobs = new Map<string, Uint8Array>()
  /** The replacements of prompts. Refs hold truncated prompts, in which a secret at the end would not be recognised. */
  readonly prompts = new Map<string, string>()
  readonly #searchedBlobs = new Set<string>()
  readonly #onEntry: () => void
  /** The newest entry that was searched. */
  #newest: EntryHandle | undefined
  #seen: ReadonlyMap<LogId, number> = new Map()

  /** `onEntry` is called before each entry that is searched. */
  constructor(removal: Removal, onEntry: () => void = () => undefined) {
    this.#removal = removal
    this.#onEntry = onEntry
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
      this.#onEntry()
      await this.#searchEntry(reader, entry)
      newest = entry
    }
    for (const [log, count] of ends) {
      const from = this.#seen.get(log) ?? 0
      // After a repair there may be gaps beyond the head of a log.
      const isWhole = this.#removal.files.has(log)
      for await (const { start, records } of reader.readLog(log, { from, to: count }))
        for (const [at, record] of records().entries())
          if (isWhole || (await this.#recordMatches(reader, record))) this.#positions(log).add(start + at)
    }
    await this.#searchRefs(reader)
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
    const { digest, type } = await reader.node(handle)
    const replacement = digests.get(digest)
    if (replacement !== undefined) this.replacements.set(handle, replacement)
    if (replacement === undefined && eraser.isIdle) return
    const body = await reader.body(handle)
    const text = eraser.isIdle ? '' : jsonText(body)
    if (replacement === undefined && !eraser.holds(text)) return
    this.entries.add(handle)
    const after = replacement === undefined ? eraser.value(body) : (blanked(body, replacement) as Json)
    const now = this.#removal.prompts(type, after)
    for (const [i, old] of this.#removal.prompts(type, body).entries())
      if (old !== undefined && old !== now[i]) this.prompts.set(old, now[i] ?? '')
  }

  async #recordMatches(reader: Reader, record: LogRecord): Promise<boolean> {
    if (record.entry !== undefined && this.entries.has(record.entry)) return true
    const { eraser } = this.#removal
    if (eraser.isIdle) return false
    let text = ''
    for await (const bytes of bytesOfRecord(reader, record)) text += textOfBytes(bytes).text
    return eraser.holds(`${record.native}\n${text}`)
  }

  /** Searches the blobs that refs name, now or at an earlier point in time. */
  async #searchRefs(reader: Reader): Promise<void> {
    for await (const [name, value] of reader.refs('')) await this.#searchBlobs(reader, name, value)
    for await (const { moves } of operationsBetween(reader, 0))
      for (const { name, old, new: value } of moves)
        for (const side of [old, value]) {
          try {
            await this.#searchBlobs(reader, name, side)
          } catch (error) {
            // A repair could not recover a tail that no ref names any more.
            if (!hasCode(error, 'corrupt')) throw error
          }
        }
  }

  async #searchBlobs(reader: Reader, name: RefName, value: RefValue | undefined): Promise<void> {
    for (const blobs of plainBlobs(name, value)) {
      const key = blobsKey(blobs)
      if (!this.#searchedBlobs.has(key)) {
        this.#searchedBlobs.add(key)
        const chunks: Uint8Array[] = []
        for (const blob of blobs) chunks.push(await reader.readBlob(blob))
        const bytes = joined(chunks)
        const next = this.#removal.eraser.bytes(bytes)
        if (next !== bytes) this.blobs.set(key, next)
      }
      const log = field(value, 'log')
      if (this.blobs.has(key) && isLogId(log)) this.#positions(log)
    }
  }
}

/** Returns a key of consecutive blobs. */
export const blobsKey = (blobs: readonly BlobId[]): string => blobs.join(' ')

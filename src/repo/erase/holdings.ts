import { BlobRef } from '../../model/canonical.ts'
import type { Eraser } from '../../model/expunged.ts'
import { jsonText } from '../../model/json.ts'
import { textOfBytes } from '../../model/textofbytes.ts'
import type { Backend } from '../../storage/backend.ts'
import type { Row, StoredRecord } from '../../storage/record.ts'
import { bytesOfRecord } from '../records.ts'

/** What is to be removed from a store for good. */
export interface Removal {
  readonly eraser: Eraser
  /** By digest what stands instead of what entries say, where all of that goes. */
  readonly digests: ReadonlyMap<string, string>
}

/** What of a store holds something of what is to be removed, as far as it was looked at. */
export class Holdings {
  readonly #removal: Removal
  /** By row what stands instead of what entries say, where all of that goes. */
  readonly rows = new Map<Row, string>()
  /** The entries that say something of what goes. */
  readonly entries = new Set<Row>()
  /** By log the positions of records that hold something of it; none of a log that does so at its end only. */
  readonly records = new Map<number, Set<number>>()
  /** The first row that was not looked at. */
  #end: Row = 0
  #seen: ReadonlyMap<number, number> = new Map()

  constructor(removal: Removal) {
    this.#removal = removal
  }

  /** By log how many of its records were looked at. */
  get seen(): ReadonlyMap<number, number> {
    return this.#seen
  }

  /** Looks at all that was written since it was called last. */
  async look(backend: Backend): Promise<void> {
    // Ends of logs first: the entries of all records before them are there by now.
    const ends = new Map<number, number>()
    for await (const [log, count] of backend.logs()) ends.set(log, count)
    const end = await backend.next()
    for await (const row of backend.rows(this.#end)) await this.#lookAtEntry(backend, row)
    for (const [log, count] of ends) {
      const from = this.#seen.get(log) ?? 0
      for await (const [position, record] of backend.records(log, from, count))
        if (await this.#isHeld(backend, record)) this.#positions(log).add(position)
    }
    await this.#lookAtTails(backend)
    this.#end = end
    this.#seen = ends
  }

  #positions(log: number): Set<number> {
    const known = this.records.get(log) ?? new Set()
    this.records.set(log, known)
    return known
  }

  async #lookAtEntry(backend: Backend, row: Row): Promise<void> {
    const { digests, eraser } = this.#removal
    const instead = digests.get((await backend.node(row)).digest)
    if (instead !== undefined) this.rows.set(row, instead)
    if (instead !== undefined || (!eraser.isIdle && eraser.holds(jsonText(await backend.body(row)))))
      this.entries.add(row)
  }

  async #isHeld(backend: Backend, record: StoredRecord): Promise<boolean> {
    if (this.entries.has(record.row)) return true
    const { eraser } = this.#removal
    if (eraser.isIdle) return false
    let text = ''
    for await (const bytes of bytesOfRecord(backend, record)) text += textOfBytes(bytes).text
    return eraser.holds(`${record.native}\n${text}`)
  }

  async #lookAtTails(backend: Backend): Promise<void> {
    for await (const [, value] of backend.refs('')) {
      const { log, tail } = value as {
        readonly log?: number
        readonly tail?: readonly (readonly [number, number])[]
      }
      if (log === undefined || !tail) continue
      for (const [block, index] of tail)
        if (this.#removal.eraser.holds(textOfBytes(await backend.bytes(new BlobRef(block, index))).text))
          this.#positions(log)
    }
  }
}

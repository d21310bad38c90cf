import type { Format } from '../formats/format.ts'
import type { Line } from '../formats/write.ts'
import type { Oid } from '../model/oid.ts'
import { exportedRef, exportRef } from '../model/refname.ts'
import { NO_ROW, type Row } from '../repo/backend.ts'
import type { Change } from '../repo/repo.ts'
import { type ExportHead, MAIN, refValue, type Session } from '../repo/session.ts'
import { Indexer } from './index.ts'
import { Intake } from './intake.ts'
import type { Part } from './part.ts'
import { emptyTarget } from './target.ts'

/** What is written: in which format, under which id and name, of which branch of a session. */
interface Writing {
  readonly format: Format
  readonly branched: boolean
  readonly native: string
  readonly name: string
  readonly session: Session
  readonly onto: string | undefined
}

const utf8 = new TextEncoder()

/**
 * Remembers what is written of a session line by line, as the import of its file will read it: a log whose records say
 * up to which entry each line tells the session.
 */
export class Memory {
  readonly #change: Change
  readonly #writing: Writing
  readonly #part: Part
  readonly #log: number
  readonly #rows: Row[] = []
  readonly #intake: Intake

  private constructor(change: Change, indexer: Indexer, part: Part, tip: Row, writing: Writing) {
    this.#change = change
    this.#writing = writing
    this.#part = part
    const { transaction } = change
    this.#log = transaction.newLog()
    this.#intake = new Intake(change, indexer, {
      format: writing.format,
      sample: { name: writing.name },
      target: emptyTarget(this.#log),
      given: { rows: this.#rows, tip },
    })
  }

  /** Begins to remember what is written of a part of a session that stands on an entry. */
  static async begin(change: Change, part: Part, tip: Row, writing: Writing): Promise<Memory> {
    const indexer = await Indexer.begin(change.backend, change.transaction)
    return new Memory(change, indexer, part, tip, writing)
  }

  /** Takes the next line that is written, and gives its bytes. */
  async take({ text, entry }: Line): Promise<Uint8Array> {
    const [before, row] = [this.#rows.at(-1) ?? NO_ROW, this.#part.rows[entry ?? -1]]
    // On one path a line that comes late stands for all that was written before it.
    this.#rows.push(row === undefined ? before : this.#writing.branched ? row : Math.max(before, row))
    const bytes = utf8.encode(text)
    await this.#intake.push(bytes)
    return bytes
  }

  /** Ends it, and tells whether the session will go on with the file: where each line is one unit of it. */
  async end(tip: Oid): Promise<boolean> {
    const { backend, transaction, move } = this.#change
    const { session, format, native, onto } = this.#writing
    const sha256 = await this.#intake.end()
    const { records, bytes, hash, tail, parted } = this.#intake
    if (records === 0 || records !== this.#rows.length || parted) return false
    const head: ExportHead = {
      format: format.name,
      written: [this.#log, records],
      tip,
      ...(onto !== undefined && { onto }),
      log: transaction.newLog(),
      count: 0,
      entries: 0,
      hash,
      updated: null,
      reading: format.reading,
      bytes,
      sha256,
      tail: tail.map((piece) => transaction.keepBytes(piece)).map(({ block, index }) => [block, index]),
      branches: { [MAIN]: tip },
      salvaged: 0,
    }
    const before = session.exports.get(native)
    move(exportRef(session.id, native), before && refValue(before), refValue(head))
    const owner = exportedRef(native)
    const owned = await backend.ref(owner)
    if (owned === undefined) move(owner, undefined, { session: session.id })
    return true
  }
}

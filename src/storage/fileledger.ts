import { SessError } from '../model/errors.ts'
import type { Ledger, Numbered } from './ledger.ts'
import { beyondDamage, readLedger } from './ledgerfile.ts'
import { LedgerFile } from './ledgerwriter.ts'

/**
 * A ledger in two files beside the database: while what one of them has goes to its place, the other one takes what
 * comes, and where that is in its place by then, the first one is begun anew. So they stay as long as they are, and to
 * sync what is written over what was there takes a third of the time of LevelDB's own synced put.
 */
export class FileLedger implements Ledger {
  readonly #folder: string
  readonly #before: Ledger
  readonly #beforeFirst: () => void
  #files: readonly [now: LedgerFile, other: LedgerFile] | undefined
  /** All before this number is in its place. */
  #free = 0
  #isWritten = false

  /**
   * `before` is what earlier versions kept a ledger in: it is read first, and not written to. `beforeFirst` is called
   * before the first write.
   */
  constructor(folder: string, before: Ledger, beforeFirst: () => void = () => undefined) {
    this.#folder = folder
    this.#before = before
    this.#beforeFirst = beforeFirst
  }

  *read(from: number): Generator<Numbered> {
    let next = from
    for (const numbered of this.#before.read(from)) {
      yield numbered
      next++
    }
    const contents = readLedger(this.#folder, next)
    for (const content of contents) {
      for (const { number, bytes } of content.standing) {
        if (number < next) continue
        if (number > next) throw lost(next)
        yield [number, bytes]
        next++
      }
      // Even where what is damaged is in its place: what stands behind it is not, and would be written over.
      for (const [number] of beyondDamage(content)) if (number >= next) throw behindDamage(number)
    }
    const [older, newer] = contents.map((content) => new LedgerFile(this.#folder, content)) as [
      LedgerFile,
      LedgerFile,
    ]
    this.#files = [newer, older]
    this.#free = from
  }

  async write(number: number, pieces: readonly Uint8Array[], confirm: () => void): Promise<void> {
    const file = this.#fileToWrite()
    file.add(number, pieces)
    const synced = file.sync()
    try {
      // Whoever takes the store over from now on copies what was added.
      confirm()
    } finally {
      await synced
    }
  }

  #fileToWrite(): LedgerFile {
    if (!this.#files) throw new Error('a ledger is read before it is written to')
    if (!this.#isWritten) this.#beforeFirst()
    this.#isWritten = true
    const [now, other] = this.#files
    if (now.last < this.#free) now.begin()
    else if (now.isFull && other.last < this.#free) {
      other.begin()
      this.#files = [other, now]
    }
    return this.#files[0]
  }

  free(to: number): Promise<void> {
    this.#free = to
    return this.#before.free(to)
  }

  close(): void {
    for (const file of this.#files ?? []) file.close()
  }
}

const lost = (number: number): SessError =>
  new SessError('corrupt', `commit ${number} of the ledger is lost, and more follows it`)

const behindDamage = (number: number): SessError =>
  new SessError('corrupt', `commit ${number} of the ledger stands behind damage`)

import { appendFileSync, closeSync, fstatSync, ftruncateSync, statSync } from 'node:fs'
import { SessError } from '../model/errors.ts'
import { APPEND, openFile } from './directory/safefile.ts'
import { type JournalLine, journalPath, journalText } from './journal.ts'

const NOT_DONE = 'nothing was changed; make room, then repeat the command'

/** Lines wait so many milliseconds, and so many of them at most, to be written together. */
const WAIT = 10
const MOST = 64

/** Gives a line that stands for two of one operation: what refs are after the later one. */
function joined(earlier: JournalLine, later: JournalLine): JournalLine {
  const moved = new Set(later.refs.map(([name]) => name))
  const others = earlier.refs.filter(([name]) => !moved.has(name))
  return others.length === 0 ? later : { ...later, refs: [...others, ...later.refs] }
}

/** The second copy of the refs that lies beside the database, as a process adds to it. */
export class JournalWriter {
  readonly #path: string
  #file: { readonly handle: number; readonly inode: number } | undefined
  /** Lines that are not written yet, one for each operation. */
  #lines: JournalLine[] = []
  #later: NodeJS.Timeout | undefined
  /** How many were added since lines were written last. */
  #added = 0
  #hasFailed = false
  #isFenced = (): boolean => false

  constructor(dir: string) {
    this.#path = journalPath(dir)
  }

  /** Notes that a database was opened; `isFenced` tells whether another process took the store over since. */
  opened(isFenced: () => boolean): void {
    this.#dropLate()
    this.#isFenced = isFenced
  }

  /**
   * Has a line appended in a moment, with those that are added meanwhile: those of one operation, as appends in a row are,
   * become one. Not synced by itself: it serves to rebuild refs and to notice a database that lost its end, not to
   * acknowledge.
   */
  add(line: JournalLine): void {
    const last = this.#lines.at(-1)
    if (last?.operation === line.operation) this.#lines[this.#lines.length - 1] = joined(last, line)
    else this.#lines.push(line)
    this.#later ??= setTimeout(() => this.settle(), WAIT)
    // Who never lets the event loop turn waits for no timer.
    if (++this.#added >= MOST) this.settle()
  }

  /** Appends what waits. Where that fails, `check` throws. */
  settle(): void {
    try {
      this.#flush()
    } catch {
      this.#hasFailed = true
    }
  }

  /** Throws `cannot-write` where a line could not be written and still cannot be, before anything else is done. */
  check(): void {
    if (this.#hasFailed) this.#flush()
  }

  #flush(): void {
    clearTimeout(this.#later)
    this.#later = undefined
    this.#added = 0
    this.#dropLate()
    if (this.#lines.length === 0) return
    try {
      const { handle, size } = this.#open()
      try {
        // A write may take only a part of a long line.
        appendFileSync(handle, journalText(this.#lines))
      } catch (error) {
        ftruncateSync(handle, size)
        throw error
      }
    } catch (cause) {
      const detail = cause instanceof Error ? cause.message : ''
      throw new SessError('cannot-write', this.#path, { detail, hint: NOT_DONE, cause })
    }
    this.#hasFailed = false
    this.#lines = []
  }

  /** Who takes a store over makes up for what lacks, and may since have removed for good what a line holds. */
  #dropLate(): void {
    if (this.#lines.length === 0 || !this.#isFenced()) return
    this.#lines = []
    this.#hasFailed = false
  }

  /** Another process may have written the journal again. */
  #open(): { readonly handle: number; readonly size: number } {
    const { ino, size } = statSync(this.#path, { throwIfNoEntry: false }) ?? {}
    if (this.#file && this.#file.inode === ino && size !== undefined)
      return { handle: this.#file.handle, size }
    this.#release()
    const handle = openFile(this.#path, APPEND)
    const made = fstatSync(handle)
    this.#file = { handle, inode: made.ino }
    return { handle, size: made.size }
  }

  /** Appends what waits, for the last time. What cannot be written the next opening adds from the operation log. */
  close(): void {
    this.settle()
    this.#release()
  }

  #release(): void {
    if (this.#file) closeSync(this.#file.handle)
    this.#file = undefined
  }
}

/** Appends a single line, as a writer does. */
export function appendJournal(dir: string, line: JournalLine): void {
  const writer = new JournalWriter(dir)
  writer.add(line)
  writer.close()
}

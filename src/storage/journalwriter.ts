import { appendFileSync, closeSync, fstatSync, ftruncateSync, statSync } from 'node:fs'
import { SessError } from '../model/errors.ts'
import { APPEND, openFile } from './directory/safefile.ts'
import { type JournalLine, journalPath, journalText } from './journal.ts'

const NOT_DONE = 'nothing was changed; make room, then repeat the command'

/** Lines are written together after this many milliseconds, or once there are this many. */
const WAIT = 10
const MAX_LINES = 64

/** Joins two lines of one operation: of a ref in both, the later value counts. */
function joined(earlier: JournalLine, later: JournalLine): JournalLine {
  const moved = new Set(later.refs.map(([name]) => name))
  const others = earlier.refs.filter(([name]) => !moved.has(name))
  const commits = (earlier.commits ?? 1) + (later.commits ?? 1)
  return { ...later, commits, refs: others.length === 0 ? later.refs : [...others, ...later.refs] }
}

/** Appends to the journal of a store. */
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

  /** Notes that the database was opened. `isFenced` returns whether another process took the store over since. */
  opened(isFenced: () => boolean): void {
    this.#dropLate()
    this.#isFenced = isFenced
  }

  /**
   * Appends a line soon, together with those that are added until then; those of one operation, such as consecutive
   * appends, become one. It is not synced: it serves to rebuild refs and to notice a database that lost its end, and
   * acknowledges nothing.
   */
  add(line: JournalLine): void {
    const last = this.#lines.at(-1)
    if (last?.operation === line.operation) this.#lines[this.#lines.length - 1] = joined(last, line)
    else this.#lines.push(line)
    this.#later ??= setTimeout(() => this.settle(), WAIT)
    // A timer does not fire while a caller keeps the event loop busy.
    if (++this.#added >= MAX_LINES) this.settle()
  }

  /** Appends the waiting lines. Where that fails, `check` throws. */
  settle(): void {
    try {
      this.#flush()
    } catch {
      this.#hasFailed = true
    }
  }

  /** Writes the lines that could not be written before. Throws `cannot-write` where they still cannot be. */
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

  /**
   * Drops lines of a fenced database: the new holder has completed the journal, and may have expunged what a line
   * holds.
   */
  #dropLate(): void {
    if (this.#lines.length === 0 || !this.#isFenced()) return
    this.#lines = []
    this.#hasFailed = false
  }

  /** Opens the journal again where another process has replaced it. */
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

  /**
   * Appends the waiting lines and closes the file. The next opening adds lines that cannot be written from the
   * operation log.
   */
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

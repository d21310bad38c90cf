import { fstatSync, readSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { RefName } from '../model/refname.ts'
import { isMissing, readText, replaceFile, sync } from './directory/directory.ts'
import { withFile } from './directory/safefile.ts'
import { type JournalLine, journalText, lastCommitIn, readLines } from './journalline.ts'

/** Beyond this size, and twice that of what the refs were, the journal is rewritten with what they are now. */
const ROTATE = 8 << 20

/** A last line up to this size is read at once. */
const SHORT = 4096

/**
 * The journal, `refs.journal`: an append-only copy of every move of a ref, beside the database. It exists because LevelDB
 * drops a lost end of its log in silence: the journal is the second witness of how far the database went, and what refs
 * are rebuilt from. It is never synced and acknowledges nothing.
 */

/** Returns the path of the journal in a store's folder. */
export const journalPath = (dir: string): string => join(dir, 'refs.journal')

/** The sound lines of a journal in the order of commits, and the number of damaged ones before the last sound one. */
export interface Journal {
  readonly lines: readonly JournalLine[]
  readonly damaged: number
  /** Whether anything after the last sound line fails its checksum. */
  readonly torn: boolean
}

/** Reads the whole journal. A torn tail is no damage: it is what a kill or a power cut leaves. */
export function readJournal(dir: string): Journal {
  const text = readText(journalPath(dir)) ?? ''
  const lines: JournalLine[] = []
  let [damaged, tail] = [0, 0]
  for (const source of text.split('\n')) {
    if (source === '') continue
    const read = readLines(source)
    if (read) {
      lines.push(...read)
      damaged += tail
      tail = 0
    } else tail++
  }
  // A stopped process may write a line after those of a process that took the store over meanwhile.
  return { lines: lines.sort((a, b) => a.commit - b.commit), damaged, torn: tail > 0 }
}

/**
 * Gives the number of the last commit in the journal, 0 where there is none or the end is torn. Reads the end of the
 * file only.
 */
export function lastCommit(dir: string): number {
  return withJournal(dir, 0, (file, size) => {
    for (let window = Math.min(size, SHORT); ; window = Math.min(size, window * 8)) {
      const bytes = Buffer.alloc(window)
      readSync(file, bytes, 0, window, size - window)
      const start = bytes.lastIndexOf('\n') + 1
      if (start === 0 && window < size) continue
      return lastCommitIn(bytes.toString('utf8', start))
    }
  })
}

/** Gives what is read of a journal of so many bytes, or something else where there is none or nothing in it. */
function withJournal<T>(dir: string, none: T, read: (file: number, size: number) => T): T {
  try {
    return withFile(journalPath(dir), (file) => {
      const { size } = fstatSync(file)
      return size === 0 ? none : read(file, size)
    })
  } catch (error) {
    if (isMissing(error)) return none
    throw error
  }
}

/** Gives the names of refs that were moved lately, the newest first: from the last 64 KiB of the file, whole lines only. */
export function recentlyMoved(dir: string): RefName[] {
  return withJournal<RefName[]>(dir, [], (file, size) => {
    const bytes = Buffer.alloc(Math.min(size, 64 << 10))
    readSync(file, bytes, 0, bytes.length, size - bytes.length)
    const texts = bytes.toString('utf8').split('\n').slice(1)
    const lines = texts.flatMap((text) => readLines(text) ?? []).reverse()
    return lines.flatMap(({ refs }) => refs.map(([name]) => name))
  })
}

/** Tells whether the journal has grown so far that it should be rewritten: never soon after it was. */
export function journalIsLarge(dir: string): boolean {
  const path = journalPath(dir)
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  return size > ROTATE && size > 2 * withFile(path, (file) => firstLineOf(file, size))
}

/** Gives how many bytes the first line has, with the newlines around it. */
function firstLineOf(file: number, size: number): number {
  const chunk = Buffer.alloc(1 << 20)
  for (let at = 1; at < size; at += chunk.length) {
    const read = readSync(file, chunk, 0, chunk.length, at)
    const end = chunk.subarray(0, read).indexOf('\n')
    if (end >= 0) return at + end + 1
  }
  return size
}

/** Writes the journal again from what the refs are now. Opening reads the last line: behind a long one stands a short one. */
export function rewriteJournal(dir: string, line: JournalLine): void {
  const text = journalText([line])
  replaceFile(journalPath(dir), text.length < SHORT ? text : text + journalText([{ ...line, refs: [] }]))
}

/** Returns whether a store's folder has a journal. */
export const hasJournal = (dir: string): boolean =>
  statSync(journalPath(dir), { throwIfNoEntry: false }) !== undefined

/** Removes the journal durably: the next process that opens the store writes it again from its refs. */
export function removeJournal(dir: string): void {
  rmSync(journalPath(dir), { force: true })
  sync(dir)
}

import { fstatSync, readSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import type { RefValue } from '../model/operation.ts'
import type { RefName } from '../model/refname.ts'
import { isMissing, readText, replaceFile, sync } from './directory/files.ts'
import { withFile } from './directory/safefile.ts'
import { compressNow, decompress } from './levelbackend/compression.ts'
import { MAX_NUMBER } from './levelbackend/keys.ts'
import { decodeRef, encodeRef, fullNames, shortNames } from './levelbackend/refs.ts'

/** The values that refs took with an operation; null where a ref was removed. */
export interface JournalLine {
  readonly operation: number
  /** The number of the commit: several may belong to one operation. */
  readonly commit: number
  /** How many commits up to that one it stands for; 1 unless given. */
  readonly commits?: number
  readonly refs: readonly (readonly [RefName, RefValue | null])[]
}

type RefValues = JournalLine['refs']

type ShortRefs = readonly (readonly [name: string, value: RefValue | null])[]

/**
 * Of lines that are written as one, the last one first: by how many operations and commits each precedes the next one,
 * how many refs it has, and how many commits it stands for unless that is one.
 */
type JoinedLines = readonly (readonly [operations: number, ahead: number, refs: number, commits?: number])[]

type ParsedLine = readonly [
  operation: number,
  commit: number,
  /** How many commits it stands for, unless that is one. */
  ...commits: readonly [number?],
  ...refs: ShortRefs | readonly [string, JoinedLines?],
]

/** A line's refs are compressed from this many characters on: an import may move thousands of refs. */
const LONG = 4096

/** Brotli's quality for long lines: 9 gains 0.1 % and takes eight times as long. */
const QUALITY = 5

/**
 * Brotli's quality for lines that are written as one: 5 gains an eighth and takes three times as long, while others
 * wait.
 */
const QUICK = 2

const checksum = (text: string): string => crc32(text).toString(16).padStart(8, '0')

/**
 * Returns one or more lines as one line of the journal: they repeat much of each other. It begins with its newline, so
 * that a torn line before it does not take it along. Opening a store reads the last line, so a short one without refs
 * follows a long one.
 */
export function journalText(lines: readonly JournalLine[]): string {
  const last = lines.at(-1) as JournalLine
  const { operation, commit } = last
  const refs = lines.length === 1 ? refsText(last.refs) : joinedRefsText(lines)
  const count = lines.length > 1 || commitsOf(last) === 1 ? '' : `,${commitsOf(last)}`
  const text = `[${operation},${commit}${count}${refs}]`
  const line = `\n${checksum(text)} ${text}`
  return line.length < SHORT_LINE ? line : line + journalText([{ operation, commit, refs: [] }])
}

const commitsOf = ({ commits = 1 }: JournalLine): number => commits

/** Returns refs as the rest of a line: one after the other, or compressed. */
function refsText(refs: RefValues): string {
  if (refs.length === 0) return ''
  const short = shortened(refs)
  const text = JSON.stringify(short)
  return text.length < LONG ? `,${text.slice(1, -1)}` : `,${compressedRefs(short, QUALITY)}`
}

/** Returns the refs of all lines, packed as one, and the line of each. */
function joinedRefsText(lines: readonly JournalLine[]): string {
  const parts = lines.map((line, i) => {
    const { operation, commit, refs } = line
    const next = lines[i + 1] ?? line
    const count = commitsOf(line) === 1 ? [] : [commitsOf(line)]
    return [next.operation - operation, next.commit - commit, refs.length, ...count]
  })
  const short = shortened(lines.flatMap(({ refs }) => refs))
  return `,${compressedRefs(short, QUICK)},${JSON.stringify(parts.reverse())}`
}

function shortened(refs: RefValues): ShortRefs {
  const names = shortNames(refs.map(([name]) => name))
  return refs.map(([, value], i) => [names[i] as string, value])
}

const compressedRefs = (refs: ShortRefs, quality: number): string =>
  `"${Buffer.from(compressNow(encodeRef(refs), quality)).toString('base64')}"`

const isSound = (text: string): boolean => text.slice(0, 8) === checksum(text.slice(9))

/** How much of a journal is read where it was not followed before. */
const LATEST = 256 << 10

/** Reads lines that were written as one. Returns undefined where the checksum fails or the content is malformed. */
function readLines(text: string): JournalLine[] | undefined {
  if (!isSound(text)) return undefined
  try {
    return parseLines(text.slice(9))
  } catch {
    // Counted by the caller like a line that fails its checksum.
    return undefined
  }
}

/** Returns the number of the last commit in lines that are written as one, 0 where that fails its checksum. */
const lastCommitIn = (text: string): number =>
  // All of a long line is not read for a number at its beginning.
  isSound(text) ? Number(/^\[\d+,(\d+)/.exec(text.slice(9))?.[1] ?? 0) : 0

function parseLines(text: string): JournalLine[] {
  const [operation, commit, ...all] = JSON.parse(text) as ParsedLine
  if (![operation, commit].every(isNumber)) throw new RangeError('a line has no numbers')
  const counted = isNumber(all[0]) ? { commits: all[0] as number } : {}
  const rest: readonly unknown[] = 'commits' in counted ? all.slice(1) : all
  const [first, parts] = rest as readonly [unknown, JoinedLines?]
  if (typeof first !== 'string') return [{ operation, commit, ...counted, refs: fullRefs(rest as ShortRefs) }]
  const last = { operation, commit, ...counted, refs: fullRefs(decompressedRefs(first)) }
  return parts ? splitLines(last, parts) : [last]
}

const isNumber = (value: unknown): boolean =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAX_NUMBER

function decompressedRefs(text: string): ShortRefs {
  return decodeRef(decompress(Buffer.from(text, 'base64'))) as ShortRefs
}

/** Returns the lines that `last` is made of. */
function splitLines(last: JournalLine, parts: JoinedLines): JournalLine[] {
  let { operation, commit } = last
  let end = last.refs.length
  // A count below 0 would let a short line stand for any number of refs.
  if (!parts.every((part) => part.every(isNumber))) throw new RangeError('a line has no numbers')
  const lines = parts.map(([operations, ahead, count, commits]) => {
    operation -= operations
    commit -= ahead
    end -= count
    const counted = commits === undefined ? {} : { commits }
    return { operation, commit, ...counted, refs: last.refs.slice(end, end + count) }
  })
  return lines.reverse()
}

function fullRefs(refs: ShortRefs): RefValues {
  const names = fullNames(refs.map(([name]) => name))
  return refs.map(([, value], i) => [names[i] as RefName, value])
}

/**
 * The journal is rewritten from the present refs beyond this size, and beyond twice its size after the last rewrite.
 */
const ROTATE = 8 << 20

/** The first number of bytes that are read to find the last line, and the number after which the end is damaged. */
const SHORT_LINE = 4096
const LONGEST_LINE = 64 << 20

/**
 * The journal, `refs.journal`: an append-only copy of every move of a ref, in a file of its own. It exists because
 * LevelDB drops a lost end of its log in silence: the journal is the second witness of how far the database went, and
 * what refs are rebuilt from. It is never synced and acknowledges nothing.
 */

/** Returns the path of the journal in a store's folder. */
export const journalPath = (dir: string): string => join(dir, 'refs.journal')

/** The sound lines of a journal in the order of commits, and the number of damaged ones before the last sound one. */
export interface Journal {
  readonly lines: readonly JournalLine[]
  readonly damaged: number
  /** Whether anything after the last sound line fails its checksum. */
  readonly torn: boolean
  /**
   * The first line of the file, which has all refs of its time: a journal begins with the store, or is rewritten from the
   * refs. Undefined where lines are damaged.
   */
  readonly first: JournalLine | undefined
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
      for (const line of read) lines.push(line)
      damaged += tail
      tail = 0
    } else tail++
  }
  const first = damaged === 0 ? lines[0] : undefined
  // A stopped process may write a line after those of a process that took the store over meanwhile.
  return { lines: lines.sort((a, b) => a.commit - b.commit), damaged, torn: tail > 0, first }
}

/**
 * Returns the number of the last commit in the journal, 0 where there is none or the end is torn. Reads the end of the
 * file only.
 */
export function lastCommit(dir: string): number {
  return withJournal(dir, 0, (file, size) => {
    for (let window = Math.min(size, SHORT_LINE); ; window = Math.min(size, window * 8)) {
      const bytes = Buffer.alloc(window)
      readSync(file, bytes, 0, window, size - window)
      const start = bytes.lastIndexOf('\n') + 1
      if (start === 0 && window < Math.min(size, LONGEST_LINE)) continue
      return lastCommitIn(bytes.toString('utf8', start))
    }
  })
}

/** A part of a journal, and where the next part begins. */
export interface JournalPart {
  readonly lines: readonly JournalLine[]
  /** Identifies the file: another one once the journal was rewritten. */
  readonly file: number
  readonly end: number
}

/**
 * Reads the complete lines of the journal from a position on: of another file than the given one, or without a position,
 * those in its last 256 KiB. A line that fails its checksum is left out, and read again while it is the last one.
 */
export function readJournalPart(dir: string, from?: Pick<JournalPart, 'file' | 'end'>): JournalPart {
  return withJournal<JournalPart>(dir, { lines: [], file: 0, end: 0 }, (handle, size) => {
    const file = fstatSync(handle).ino
    const isKnown = from?.file === file && from.end <= size
    const start = isKnown ? from.end : Math.max(0, size - LATEST)
    const bytes = Buffer.alloc(size - start)
    readSync(handle, bytes, 0, bytes.length, start)
    const lastBegin = Math.max(0, bytes.lastIndexOf('\n'))
    const last = readLines(bytes.toString('utf8', lastBegin + 1))
    const before = bytes.toString('utf8', 0, lastBegin).split('\n')
    const lines = [...before.flatMap((text) => readLines(text) ?? []), ...(last ?? [])]
    return { lines, file, end: start + (last ? bytes.length : lastBegin) }
  })
}

/** Reads the journal. Returns `none` where it is missing or empty. */
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

/**
 * Returns the names of refs that moved lately, the newest first, from complete lines in the last 64 KiB of the file.
 */
export function recentlyMoved(dir: string): RefName[] {
  return withJournal<RefName[]>(dir, [], (file, size) => {
    const bytes = Buffer.alloc(Math.min(size, 64 << 10))
    readSync(file, bytes, 0, bytes.length, size - bytes.length)
    const texts = bytes.toString('utf8').split('\n').slice(1)
    const lines = texts.flatMap((text) => readLines(text) ?? []).reverse()
    return lines.flatMap(({ refs }) => refs.map(([name]) => name))
  })
}

/** Returns whether the journal has grown so far that it should be rewritten: never soon after it was. */
export function journalIsLarge(dir: string): boolean {
  const path = journalPath(dir)
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  return size > ROTATE && size > 2 * withFile(path, (file) => firstLineOf(file, size))
}

/** Returns how many bytes the first line has, with the newlines around it. */
function firstLineOf(file: number, size: number): number {
  const chunk = Buffer.alloc(1 << 20)
  for (let at = 1; at < size; at += chunk.length) {
    const read = readSync(file, chunk, 0, chunk.length, at)
    const end = chunk.subarray(0, read).indexOf('\n')
    if (end >= 0) return at + end + 1
  }
  return size
}

/** Rewrites the journal from the present refs. */
export const rewriteJournal = (dir: string, line: JournalLine): void =>
  replaceFile(journalPath(dir), journalText([line]))

/** Returns whether a store's folder has a journal. */
export const hasJournal = (dir: string): boolean =>
  statSync(journalPath(dir), { throwIfNoEntry: false }) !== undefined

/** Removes the journal durably: the next process that opens the store writes it again from its refs. */
export function removeJournal(dir: string): void {
  rmSync(journalPath(dir), { force: true })
  sync(dir)
}

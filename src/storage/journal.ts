import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import type { Json } from '../model/json.ts'
import type { RefName } from '../model/refname.ts'
import type { RefValue } from './backend.ts'
import { packNow, unpack } from './block.ts'
import { readText, replaceFile } from './folder.ts'
import { fullNames, shortNames } from './names.ts'
import { decodeRef, encodeRef } from './refvalue.ts'

/** The values that refs took with an operation; null where a ref was removed. */
export interface JournalLine {
  readonly operation: number
  /** The number of the commit: several may belong to one operation. */
  readonly commit: number
  readonly refs: readonly (readonly [RefName, RefValue | null])[]
}

/** Beyond this size, and twice that of what the refs were, the journal is written anew with what they are now. */
const ROTATE = 8 << 20

/** A last line up to this size is read at once. */
const SHORT = 4096

/** Gives the path of the journal in a store's folder. */
export const journalPath = (dir: string): string => join(dir, 'refs.journal')

const checksum = (text: string): string => crc32(text).toString(16).padStart(8, '0')

type Refs = JournalLine['refs']

/** A line's refs are packed from so many characters on: an import of thousands of sessions moves as many. */
const LONG = 4096

const BRACKET = '['.charCodeAt(0)

/** Brotli's quality for long lines: 9 gains one in a thousand and takes eight times as long, and 5 ms for the shortest. */
const QUALITY = 5

/** Gives a line as it stands in the journal. It begins with its newline, so that one behind a torn one stands by itself. */
export function lineOf({ operation, commit, refs }: JournalLine): string {
  const text = `[${operation},${commit}${laid(refs)}]`
  return `\n${checksum(text)} ${text}`
}

/** Gives refs as they follow in a line, one behind the other, or packed as one. */
function laid(refs: Refs): string {
  if (refs.length === 0) return ''
  const names = shortNames(refs.map(([name]) => name))
  const short: Short = refs.map(([, value], i) => [names[i] as string, value])
  const text = JSON.stringify(short)
  if (text.length < LONG) return `,${text.slice(1, -1)}`
  const packed = packNow(encodeRef(short), QUALITY)
  return `,"${Buffer.from(packed).toString('base64')}"`
}

type Short = readonly (readonly [name: string, value: RefValue | null])[]

type Laid = readonly [operation: number, commit: number, ...refs: Short | readonly [string]]

const isSound = (line: string): boolean => line.slice(0, 8) === checksum(line.slice(9))

/** Reads a line, or gives undefined where it fails its checksum, or has it and is none that is written here. */
function parseLine(line: string): JournalLine | undefined {
  if (!isSound(line)) return undefined
  try {
    return parsed(line.slice(9))
  } catch {
    // Like one that fails its checksum: whoever reads the journal counts it.
    return undefined
  }
}

function parsed(text: string): JournalLine {
  const [operation, commit, ...rest] = JSON.parse(text) as Laid
  const [packed] = rest
  if (typeof packed !== 'string') return { operation, commit, refs: full(rest as Short) }
  const bytes = unpack(Buffer.from(packed, 'base64'))
  // Before, it was packed as JSON.
  const value = bytes[0] === BRACKET ? (JSON.parse(Buffer.from(bytes).toString()) as Json) : decodeRef(bytes)
  return { operation, commit, refs: full(value as unknown as Short) }
}

function full(refs: Short): Refs {
  const names = fullNames(refs.map(([name]) => name))
  return refs.map(([, value], i) => [names[i] as RefName, value])
}

/** What a journal says: its sound lines in the order of commits, and how many before the last fail their checksum. */
export interface Journal {
  readonly lines: readonly JournalLine[]
  readonly damaged: number
  /** Whether the last line fails its checksum. */
  readonly torn: boolean
}

/** Reads the whole journal. A torn last line is no damage: a process was killed while it wrote it. */
export function readJournal(dir: string): Journal {
  const text = readText(journalPath(dir)) ?? ''
  const lines: JournalLine[] = []
  let damaged = 0
  let torn = false
  const all = text.split('\n')
  all.forEach((source, i) => {
    if (source === '') return
    const line = parseLine(source)
    if (line) lines.push(line)
    else if (i < all.length - 1) damaged++
    else torn = true
  })
  // A process that was stopped may write a line behind those of one that took the store over meanwhile.
  return { lines: lines.sort((a, b) => a.commit - b.commit), damaged, torn }
}

/**
 * Gives the number of the last commit in the journal, 0 where there is none or the end is torn. Reads the end of the
 * file only.
 */
export function lastJournalled(dir: string): number {
  const path = journalPath(dir)
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  if (size === 0) return 0
  const file = openSync(path, 'r')
  try {
    for (let window = Math.min(size, SHORT); ; window = Math.min(size, window * 8)) {
      const bytes = Buffer.alloc(window)
      readSync(file, bytes, 0, window, size - window)
      const start = bytes.lastIndexOf('\n') + 1
      if (start === 0 && window < size) continue
      const line = bytes.toString('utf8', start)
      // All of a long line is not read for a number at its beginning.
      return isSound(line) ? Number(/^\[\d+,(\d+)/.exec(line.slice(9))?.[1] ?? 0) : 0
    }
  } finally {
    closeSync(file)
  }
}

/** Gives the names of refs that were moved lately, the newest first: from the last 64 KiB of the file, whole lines only. */
export function recentlyMoved(dir: string): RefName[] {
  const path = journalPath(dir)
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  if (size === 0) return []
  const file = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(Math.min(size, 64 << 10))
    readSync(file, bytes, 0, bytes.length, size - bytes.length)
    const lines = bytes.toString('utf8').split('\n').slice(1).reverse()
    return lines.flatMap((line) => parseLine(line)?.refs.map(([name]) => name) ?? [])
  } finally {
    closeSync(file)
  }
}

/** Tells whether the journal has grown so far that it should be written anew: never soon after it was. */
export function journalIsLarge(dir: string): boolean {
  const path = journalPath(dir)
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  return size > ROTATE && size > 2 * firstLineOf(path, size)
}

/** Gives how many bytes the first line has, with the newlines around it. */
function firstLineOf(path: string, size: number): number {
  const file = openSync(path, 'r')
  try {
    const chunk = Buffer.alloc(1 << 20)
    for (let at = 1; at < size; at += chunk.length) {
      const read = readSync(file, chunk, 0, chunk.length, at)
      const end = chunk.subarray(0, read).indexOf('\n')
      if (end >= 0) return at + end + 1
    }
    return size
  } finally {
    closeSync(file)
  }
}

/** Writes the journal anew from what the refs are now. Opening reads the last line: behind a long one stands a short one. */
export function rewriteJournal(dir: string, line: JournalLine): void {
  const text = lineOf(line)
  replaceFile(journalPath(dir), text.length < SHORT ? text : text + lineOf({ ...line, refs: [] }))
}

import { constants as bufferConstants } from 'node:buffer'
import { appendFileSync, closeSync, constants, openSync, readSync, statSync, writeFileSync } from 'node:fs'
import { StringDecoder } from 'node:string_decoder'
import { isOfSystem } from './folders.ts'
import { isHeader, parseLine } from './migrate.ts'
import type { FileEntry, SessionHeader } from './types.ts'

const CHUNK = 1 << 20
/** The number of bytes in which `readHeader` looks for a header unless it is given a limit. */
const HEAD = 1 << 20
const NEWLINE = 0x0a

/**
 * Gives the lines of a file one by one, of its first `limit` bytes: a file of any length, for it is never held whole. A
 * line that no string can hold is given empty.
 */
function* linesOf(path: string, limit = Number.POSITIVE_INFINITY): Generator<string> {
  const file = openSync(path, 'r')
  try {
    const decoder = new StringDecoder('utf8')
    const chunk = Buffer.allocUnsafe(CHUNK)
    let line: string | undefined = ''
    for (let at = 0; at < limit; ) {
      const read = readSync(file, chunk, 0, Math.min(CHUNK, limit - at), at)
      if (read === 0) break
      at += read
      const [more = '', ...lines] = decoder.write(chunk.subarray(0, read)).split('\n')
      line = longer(line, more)
      for (const next of lines) {
        yield line ?? ''
        line = next
      }
    }
    yield longer(line, decoder.end()) ?? ''
  } finally {
    closeSync(file)
  }
}

/** Gives a text with more behind it, undefined where no string can hold it. */
const longer = (text: string | undefined, more: string): string | undefined =>
  text === undefined || text.length + more.length > bufferConstants.MAX_STRING_LENGTH
    ? undefined
    : text + more

/** Returns the values of the lines of a file one by one, without `null` and lines that are not JSON. */
export function* valuesOf(path: string): Generator<object> {
  for (const line of linesOf(path)) {
    const value = parseLine(line)?.value
    if (value !== undefined && value !== null) yield value
  }
}

/**
 * Gives the values of a file's lines, without lines that are no JSON; nothing where there is no file, or where the
 * first value is no header with an id.
 */
export function readEntries(path: string): FileEntry[] {
  try {
    const entries: FileEntry[] = []
    for (const value of valuesOf(path)) {
      entries.push(value as FileEntry)
      if (entries.length === 1 && !hasHeader(entries)) return []
    }
    return entries
  } catch (error) {
    if (isOfSystem(error) && error.code === 'ENOENT') return []
    throw error
  }
}

/** Gives the values of a file's lines as `readEntries`, and ends its last line where that is not ended. */
export function loadEntriesFromFile(filePath: string): FileEntry[] {
  const entries = readEntries(filePath)
  if (entries.length > 0) endLine(filePath)
  return entries
}

const hasHeader = ([first]: readonly FileEntry[]): boolean =>
  first !== undefined && isHeader(first) && typeof first.id === 'string'

/** How a header is looked for. */
export interface HeaderSearch {
  /** The number of bytes that are read at most. */
  readonly limit?: number
  /** Tells whether a value may come before the header. */
  readonly isBefore?: (value: { readonly type?: unknown }) => boolean
}

/** Returns the header with which a file begins; undefined if there is none in the first bytes. */
export function readHeader(
  path: string,
  { limit = HEAD, isBefore = () => false }: HeaderSearch = {},
): SessionHeader | undefined {
  try {
    for (const line of linesOf(path, limit)) {
      const value = parseLine(line)?.value as FileEntry | null | undefined
      if (value && !isBefore(value)) return hasHeader([value]) ? (value as SessionHeader) : undefined
    }
    return undefined
  } catch (error) {
    if (isOfSystem(error)) return undefined
    throw error
  }
}

/** Ends the last line of a file where that is not ended: what follows it would be lost with it. */
export function endLine(path: string): void {
  const { size } = statSync(path)
  if (size === 0 || byteAt(path, size - 1) === NEWLINE) return
  appendFileSync(path, '\n')
}

function byteAt(path: string, at: number): number | undefined {
  const file = openSync(path, 'r')
  try {
    const byte = Buffer.alloc(1)
    readSync(file, byte, 0, 1, at)
    return byte[0]
  } finally {
    closeSync(file)
  }
}

/** Gives the size of a file, or undefined where there is none. */
export const sizeOf = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.size

/** So many characters are written at once. */
const PIECE = 1 << 20

/** Gives the lines that entries make, in pieces. */
function* piecesOf(entries: readonly FileEntry[]): Generator<string> {
  let lines: string[] = []
  let length = 0
  for (const entry of entries) {
    const line = `${JSON.stringify(entry)}\n`
    lines.push(line)
    length += line.length
    if (length < PIECE) continue
    yield lines.join('')
    lines = []
    length = 0
  }
  yield lines.join('')
}

/** Writes a file anew, or with `exclusive` only where there is none. */
export function writeEntries(
  path: string,
  entries: readonly FileEntry[],
  { exclusive = false }: { readonly exclusive?: boolean } = {},
): void {
  writePieces(path, entries, exclusive ? 'wx' : 'w')
}

/** Appends to a file that is there; throws `ENOENT` where it is not. */
export function appendEntries(path: string, entries: readonly FileEntry[]): void {
  writePieces(path, entries, constants.O_WRONLY | constants.O_APPEND)
}

function writePieces(path: string, entries: readonly FileEntry[], flags: string | number): void {
  const file = openSync(path, flags)
  try {
    for (const piece of piecesOf(entries)) writeFileSync(file, piece)
  } finally {
    closeSync(file)
  }
}

import { constants as bufferConstants } from 'node:buffer'
import {
  appendFileSync,
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { StringDecoder } from 'node:string_decoder'
import { isHeader, parseLine } from './migrate.ts'
import type { FileEntry, SessionHeader } from './types.ts'

const CHUNK = 1 << 20
/** The number of bytes in which `readHeader` looks for a header unless a limit is passed. */
const HEAD = 1 << 20
const NEWLINE = 0x0a

/**
 * Yields the lines of the first `limit` bytes of a file, which may be of any length: it is never in memory whole. A line
 * that no string can hold is yielded empty.
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

/** Returns a text with another appended, undefined where no string can hold it. */
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
 * Returns the values of a file's lines, without lines that are no JSON; nothing where there is no file, or where the
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

/** Returns the values of a file's lines as `readEntries`, and ends its last line where that is not ended. */
export function loadEntriesFromFile(filePath: string): FileEntry[] {
  const entries = readEntries(filePath)
  if (entries.length > 0) endLine(filePath)
  return entries
}

const hasHeader = ([first]: readonly FileEntry[]): boolean =>
  first !== undefined && isHeader(first) && typeof first.id === 'string'

/** Options of a search for a header. */
export interface HeaderSearch {
  /** The number of bytes that are read at most. */
  readonly limit?: number
  /** Returns whether a value may come before the header. */
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

/** Returns the size of a file, or undefined where there is none. */
export const sizeOf = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.size

/** The number of characters that are written at once. */
const WRITE_SIZE = 1 << 20

/** Yields the lines of entries, many at a time. */
function* textsOf(entries: readonly object[]): Generator<string> {
  let lines: string[] = []
  let length = 0
  for (const entry of entries) {
    const line = `${JSON.stringify(entry)}\n`
    lines.push(line)
    length += line.length
    if (length < WRITE_SIZE) continue
    yield lines.join('')
    lines = []
    length = 0
  }
  yield lines.join('')
}

/** Rewrites a file, or with `exclusive` only where there is none. */
export function writeEntries(
  path: string,
  entries: readonly object[],
  { exclusive = false }: { readonly exclusive?: boolean } = {},
): void {
  writeLines(path, entries, exclusive ? 'wx' : 'w')
}

/** Appends to a file that is there; throws `ENOENT` where it is not. */
export function appendEntries(path: string, entries: readonly object[]): void {
  writeLines(path, entries, constants.O_WRONLY | constants.O_APPEND)
}

function writeLines(path: string, entries: readonly object[], flags: string | number): void {
  const file = openSync(path, flags)
  try {
    for (const text of textsOf(entries)) writeFileSync(file, text)
  } finally {
    closeSync(file)
  }
}

/** Returns a folder, which it makes where it is not there. */
export function made(folder: string): string {
  mkdirSync(folder, { recursive: true })
  return folder
}

/** Returns the paths of the session files in a folder; none where it cannot be read. */
export function sessionFiles(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.jsonl'))
      .map((name) => join(folder, name))
  } catch (error) {
    if (isOfSystem(error)) return []
    throw error
  }
}

/** Returns the session file in a folder that was modified last, of those that are accepted; null if there is none. */
export function mostRecent(folder: string, accepts: (path: string) => boolean): string | null {
  const files = sessionFiles(folder)
    .map((path) => ({ path, stat: statSync(path, { throwIfNoEntry: false }) }))
    .flatMap(({ path, stat }) => (stat?.isFile() ? [{ path, time: stat.mtimeMs }] : []))
    .sort((a, b) => b.time - a.time)
  return files.find(({ path }) => accepts(path))?.path ?? null
}

/** Returns the name of the file of a session. */
export const fileName = ({ id, timestamp }: { readonly id: string; readonly timestamp: string }): string =>
  `${timestamp.replaceAll(/[:.]/g, '-')}_${id}.jsonl`

/** Returns whether an error is one of the operating system, such as `ENOENT`. */
export const isOfSystem = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'syscall' in error

import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import { resolve } from 'node:path'
import { hasTitle, TITLE_BYTES, titleSlot } from '../../formats/oh-my-pi.ts'
import type { JsonObject } from '../../model/json.ts'
import { isOfSystem, mostRecent, readHeader, valuesOf, writeEntries } from '../core/files.ts'
import { newSessionId } from '../core/ids.ts'
import { migrated } from '../core/migrate.ts'
import type { OmpFileEntry, OmpSessionEntry, OmpSessionHeader, TitleSource } from './types.ts'

/** The line before the header that holds the title. */
interface TitleLine {
  readonly type: 'title'
  readonly title?: string
  readonly source?: TitleSource
}

type OmpLine = OmpFileEntry | TitleLine

const isTitle = ({ type }: { readonly type?: unknown }): boolean => type === 'title'
const isHeader = (line: OmpLine): line is OmpSessionHeader =>
  line.type === 'session' && typeof line.id === 'string'

/** Options of `loadEntriesFromFile`. */
export interface LoadOptions {
  /** Throws `ENOENT` for a missing file, instead of returning no entries. */
  readonly throwIfMissing?: boolean
}

/**
 * Returns the header and the entries of a session file, with the title of its first line in the header. Lines that are
 * not JSON are skipped. A missing file, or one that does not begin with a header, has no entries.
 */
export function loadEntriesFromFile(
  filePath: string,
  ...[, { throwIfMissing = false } = {}]: [storage?: undefined, options?: LoadOptions]
): OmpFileEntry[] {
  try {
    let title: TitleLine | undefined
    const entries: OmpFileEntry[] = []
    for (const value of valuesOf(filePath)) {
      const line = value as OmpLine
      if (entries.length === 0 && !title && isTitle(line)) title = line as TitleLine
      else if (entries.length > 0) entries.push(line as OmpSessionEntry)
      else if (isHeader(line)) entries.push(title ? titled(line, title) : line)
      else return []
    }
    return entries
  } catch (error) {
    if (!throwIfMissing && isOfSystem(error) && error.code === 'ENOENT') return []
    throw error
  }
}

function titled(header: OmpSessionHeader, { title, source }: TitleLine): OmpSessionHeader {
  const { title: _, titleSource: __, ...rest } = header
  return { ...(rest as OmpSessionHeader), ...(title && { title }), ...(source && { titleSource: source }) }
}

/** Returns the path of the session file in a folder that was modified last; null if there is none. */
export const findMostRecentSession = (sessionDir: string): string | null =>
  mostRecent(sessionDir, (path) => readHeader(path, { isBefore: isTitle }) !== undefined)

/** Converts entries of version 1 or 2 to version 3, in place. */
export function migrateSessionEntries(entries: OmpFileEntry[]): void {
  migrated(entries)
}

/** Reads a session file and converts it to version 3. Throws if it does not begin with a header. */
export function readSession(path: string): {
  readonly header: OmpSessionHeader
  readonly entries: OmpSessionEntry[]
} {
  const lines = loadEntriesFromFile(path, undefined, { throwIfMissing: true })
  if (lines.length === 0) throw new Error(`Session file is not a valid pi session: ${path}`)
  migrateSessionEntries(lines)
  const [header, ...entries] = lines
  return { header: header as OmpSessionHeader, entries: entries as OmpSessionEntry[] }
}

/** Writes a new session file; throws `EEXIST` if there is one. */
export function writeSession(
  path: string,
  header: OmpSessionHeader,
  entries: readonly OmpSessionEntry[],
): void {
  const lines = [titleLine(header), header, ...entries]
  writeEntries(path, lines, { exclusive: true })
}

/** Replaces the title line of a file in place; does nothing if the file has none. */
export function writeTitle(path: string, header: OmpSessionHeader): void {
  const file = openSync(path, 'r+')
  try {
    const head = Buffer.alloc(TITLE_BYTES)
    readSync(file, head, 0, TITLE_BYTES, 0)
    if (hasTitle(head)) writeSync(file, `${JSON.stringify(titleLine(header))}\n`, 0)
  } finally {
    closeSync(file)
  }
}

const titleLine = ({ title = '', titleSource }: OmpSessionHeader): JsonObject =>
  titleSlot({ title, ...(titleSource && { source: titleSource }), updated: Date.now() })

export function newHeader(cwd: string): OmpSessionHeader {
  return {
    type: 'session',
    version: 3,
    id: newSessionId(),
    timestamp: new Date().toISOString(),
    cwd: resolve(cwd),
  }
}

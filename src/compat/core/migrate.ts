import { freshId } from './tree.ts'
import type { FileEntry, SessionHeader } from './types.ts'

/** The version of pi's session files that is written. */
export const CURRENT_SESSION_VERSION = 3

/** An entry as files of versions 1 and 2 may hold it. */
type OldEntry = Record<string, unknown> & { type?: unknown; message?: { role?: unknown } | null }

/** Returns whether an entry is the header of a session. */
export const isHeader = (entry: FileEntry): entry is SessionHeader => entry.type === 'session'

/** Returns the header of a session, or undefined. */
export const headerOf = (entries: readonly FileEntry[]): SessionHeader | undefined => entries.find(isHeader)

/** Reads lines of JSON; what is none is left out. The text need not begin with a header. */
export function parseSessionEntries(content: string): FileEntry[] {
  const entries: FileEntry[] = []
  for (const line of content.trim().split('\n')) {
    const parsed = parseLine(line)
    if (parsed) entries.push(parsed.value as FileEntry)
  }
  return entries
}

/** Parses a line of JSON; returns undefined where it is none. */
export function parseLine(line: string): { readonly value: unknown } | undefined {
  if (line.trim() === '') return undefined
  try {
    return { value: JSON.parse(line) }
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** Brings entries of version 1 or 2 to version 3, in place. */
export function migrateSessionEntries(entries: FileEntry[]): void {
  migrated(entries)
}

/** Does the same, and returns whether anything changed. */
export function migrated(entries: readonly object[]): boolean {
  const olds = entries as readonly OldEntry[]
  const header = olds.find(({ type }) => type === 'session') as SessionHeader | undefined
  const version = header?.version ?? 1
  // no number is less: what others call a version (OpenClaw: '0.1.0') is left alone
  if (!(version < CURRENT_SESSION_VERSION)) return false
  if (version < 2) chain(olds)
  for (const { type, message } of olds)
    if (type === 'message' && message?.role === 'hookMessage') message.role = 'custom'
  if (header) header.version = CURRENT_SESSION_VERSION
  return true
}

/** Assigns ids to the entries of a file without a tree: each is the child of the one before. */
function chain(entries: readonly OldEntry[]): void {
  const ids = new Set<string>()
  let parentId: string | null = null
  for (const entry of entries) {
    if (entry.type === 'session') continue
    const id = freshId(ids)
    ids.add(id)
    entry.id = id
    entry.parentId = parentId
    parentId = id
    if (entry.type === 'compaction') nameKept(entry, entries)
  }
}

/** A place in the file becomes the id that the entry there has: none where it is the header's, or further on. */
function nameKept(entry: OldEntry, entries: readonly OldEntry[]): void {
  const { firstKeptEntryIndex: place } = entry
  if (typeof place !== 'number') return
  const kept = entries[place]
  if (kept && kept.type !== 'session') entry.firstKeptEntryId = kept.id
  delete entry.firstKeptEntryIndex
}

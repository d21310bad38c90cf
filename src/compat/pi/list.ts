import { createReadStream, statSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { defined } from '../../model/json.ts'
import { isOfSystem, mostRecent, readHeader, sessionFiles } from '../core/files.ts'
import { parseLine } from '../core/migrate.ts'
import type {
  AgentMessage,
  FileEntry,
  SessionHeader,
  SessionInfo,
  SessionListProgress,
} from '../core/types.ts'
import { absolute } from './folders.ts'

/** The number of files that are read at a time. */
const AT_ONCE = 10
/** The sessions found so far are reported each time this many files were read. */
const PARTIAL = 100

/** Returns whether a session belongs to a working directory. */
export const isOf = (cwd: string, of: string | undefined): boolean =>
  of !== undefined && of !== '' && absolute(of) === absolute(cwd)

/** Returns the session file in a folder that was modified last, of one working directory if that is passed. */
export const newestSession = (folder: string, cwd?: string): string | null =>
  mostRecent(folder, (path) => {
    const header = readHeader(path)
    return header !== undefined && (cwd === undefined || isOf(cwd, header.cwd))
  })

/** Options of a list of sessions. */
export interface SessionListing {
  /** Only those of one working directory. */
  readonly cwd?: string | undefined
  readonly onProgress?: SessionListProgress | undefined
  readonly signal?: AbortSignal | undefined
  /** Whether progress includes the sessions found so far. */
  readonly partial: boolean
}

/**
 * Returns information on the sessions in folders, the one with the newest message first. Folders that cannot be
 * read have none. Throws the reason of a signal that asks to stop.
 */
export async function listFolders(
  folders: readonly string[],
  { cwd, onProgress, signal, partial }: SessionListing,
): Promise<SessionInfo[]> {
  signal?.throwIfAborted()
  const files = folders.flatMap(sessionFiles)
  const found: SessionInfo[] = []
  let next = 0
  let loaded = 0
  const ordered = (): SessionInfo[] => found.toSorted((a, b) => b.modified.getTime() - a.modified.getTime())
  const work = async (): Promise<void> => {
    for (let file = files[next++]; file !== undefined; file = files[next++]) {
      signal?.throwIfAborted()
      const info = await infoOf(file)
      if (info && (cwd === undefined || isOf(cwd, info.cwd))) found.push(info)
      loaded++
      if (partial) onProgress?.(loaded, files.length, loaded % PARTIAL === 0 ? ordered() : undefined)
      else onProgress?.(loaded, files.length)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  signal?.throwIfAborted()
  return ordered()
}

/** Returns information on one file; undefined where it is no session or cannot be read. */
async function infoOf(path: string): Promise<SessionInfo | undefined> {
  try {
    const collector = new InfoCollector()
    for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
      const value = parseLine(line)?.value as FileEntry | null | undefined
      if (value && !collector.take(value)) return undefined
    }
    return collector.info(path)
  } catch (error) {
    if (isOfSystem(error)) return undefined
    throw error
  }
}

/** Sums up the entries of one file. */
class InfoCollector {
  #header: SessionHeader | undefined
  #name: string | undefined
  #count = 0
  #first: string | undefined
  readonly #texts: string[] = []
  #modified: number | undefined

  /** Takes the next entry; false where the file is no session. */
  take(entry: FileEntry): boolean {
    if (!this.#header) {
      if (entry.type !== 'session' || typeof entry.id !== 'string') return false
      this.#header = entry
    } else if (entry.type === 'session_info') this.#name = entry.name?.trim() || undefined
    else if (entry.type === 'message') {
      this.#count++
      this.#addMessage(entry.message, entry.timestamp)
    }
    return true
  }

  #addMessage(message: AgentMessage | undefined, timestamp: string): void {
    if (message?.role !== 'user' && message?.role !== 'assistant') return
    const time = typeof message.timestamp === 'number' ? message.timestamp : new Date(timestamp).getTime()
    if (!Number.isNaN(time)) this.#modified = Math.max(this.#modified ?? 0, time)
    const text = textOf(message.content)
    if (text === '') return
    this.#texts.push(text)
    if (message.role === 'user') this.#first ??= text
  }

  info(path: string): SessionInfo | undefined {
    const header = this.#header
    if (!header) return undefined
    const created = new Date(header.timestamp)
    const started = Number.isNaN(created.getTime()) ? statSync(path).mtime : created
    return {
      path,
      id: header.id,
      cwd: header.cwd ?? '',
      ...defined({ name: this.#name, parentSessionPath: header.parentSession }),
      created,
      modified: this.#modified === undefined ? started : new Date(this.#modified),
      messageCount: this.#count,
      firstMessage: this.#first ?? '(no messages)',
      allMessagesText: this.#texts.join(' '),
    }
  }
}

function textOf(
  content: string | readonly { readonly type: string; readonly text?: string }[] | null,
): string {
  if (typeof content === 'string') return content
  return (content ?? []).flatMap(({ type, text }) => (type === 'text' ? [text ?? ''] : [])).join(' ')
}

import { dirname } from 'node:path'
import { made, readEntries, readHeader, sessionFiles } from '../core/files.ts'
import { headerOf, migrated } from '../core/migrate.ts'
import type {
  FileEntry,
  NewSessionOptions,
  SessionHeader,
  SessionInfo,
  SessionListProgress,
} from '../core/types.ts'
import { FileSession } from './filesession.ts'
import { absolute, folderOf, placeOf, sessionFolder, sessionFolders, shared, withHome } from './folders.ts'
import type { StoreOptions } from './link.ts'
import { isOf, listFolders, newestSession } from './list.ts'
import { PI, type Policy } from './policy.ts'

/**
 * A session of pi: a tree of entries, kept in memory or in a file of pi's own form, to which each entry is written
 * before the call that makes it returns.
 */
export class SessionManager extends FileSession {
  protected static readonly policy: Policy = PI

  protected constructor(policy: Policy, cwd: string, sessionDir?: string, options?: StoreOptions) {
    super(policy, placeOf(cwd, policy), sessionDir, options)
  }

  /** Begins a session of a folder of work; its file is made with the first message. */
  static create(
    cwd: string,
    sessionDir?: string,
    options?: NewSessionOptions & StoreOptions,
  ): SessionManager {
    const manager = new this(this.policy, cwd, folderOf(this.policy, cwd, sessionDir), options)
    manager.newSession(options)
    return manager
  }

  /** Opens a session file. By default its folder is that of the sessions that begin later. */
  static open(
    path: string,
    sessionDir?: string,
    cwdOverride?: string,
    options?: StoreOptions,
  ): SessionManager {
    const file = absolute(path)
    const cwd = cwdOverride ?? readHeader(file, { limit: Infinity })?.cwd ?? process.cwd()
    const manager = new this(this.policy, cwd, sessionDir ? withHome(sessionDir) : dirname(file), options)
    manager.setSessionFile(file)
    return manager
  }

  /** Opens the session file that was modified last, or begins a session. */
  static continueRecent(cwd: string, sessionDir?: string, options?: StoreOptions): SessionManager {
    const folder = folderOf(this.policy, cwd, sessionDir)
    const file = newestSession(folder, shared(this.policy, cwd, folder))
    const manager = new this(this.policy, cwd, folder, options)
    if (file === null) manager.newSession()
    else manager.setSessionFile(file)
    return manager
  }

  /** Begins a session in memory, or continues one whose entries are stored elsewhere. */
  static inMemory(
    cwd: string = process.cwd(),
    options?: NewSessionOptions,
    entries?: FileEntry[],
  ): SessionManager {
    const manager = new this(this.policy, cwd)
    if (!entries || !headerOf(entries)) manager.newSession(options)
    if (entries) manager.take(entries)
    return manager
  }

  /** Begins a session of another folder of work that holds all that a session file holds. */
  static forkFrom(
    sourcePath: string,
    targetCwd: string,
    sessionDir?: string,
    { id, ...options }: NewSessionOptions & StoreOptions = {},
  ): SessionManager {
    const source = absolute(sourcePath)
    const entries = readEntries(source)
    if (entries.length === 0)
      throw new Error(`Cannot fork: source session file is empty or invalid: ${source}`)
    const manager = new this(this.policy, targetCwd, folderOf(this.policy, targetCwd, sessionDir), options)
    manager.newSession({ ...(id !== undefined && { id }), parentSession: source })
    migrated(entries)
    manager.take([manager.getHeader() as SessionHeader, ...entries.filter(({ type }) => type !== 'session')])
    manager.writeNew()
    return manager
  }

  /** Returns the file of the session with exactly this id, without reading its entries. */
  static findById(cwd: string, id: string, sessionDir?: string): string | undefined {
    const folder = sessionDir ? withHome(sessionDir) : sessionFolder(cwd, undefined, this.policy)
    const of = shared(this.policy, cwd, folder)
    return sessionFiles(folder).find((path) => {
      const header = readHeader(path)
      return header?.id === id && (of === undefined || isOf(of, header.cwd))
    })
  }

  /** Returns information on the sessions of a working folder, the one with the newest message first. */
  static list(
    cwd: string,
    sessionDir?: string,
    onProgress?: SessionListProgress,
    signal?: AbortSignal,
  ): Promise<SessionInfo[]> {
    const folder = folderOf(this.policy, cwd, sessionDir)
    const partial = this.policy.listsByCwd
    return listFolders([folder], { cwd: shared(this.policy, cwd, folder), onProgress, signal, partial })
  }

  /** Returns information on all sessions, or on those in one folder. */
  static listAll(onProgress?: SessionListProgress, signal?: AbortSignal): Promise<SessionInfo[]>
  static listAll(
    sessionDir?: string,
    onProgress?: SessionListProgress,
    signal?: AbortSignal,
  ): Promise<SessionInfo[]>
  static listAll(
    first?: string | SessionListProgress,
    second?: SessionListProgress | AbortSignal,
    third?: AbortSignal,
  ): Promise<SessionInfo[]> {
    const folders = typeof first === 'string' ? [withHome(first)] : sessionFolders()
    const [onProgress, signal] =
      typeof first === 'function' ? [first, second as AbortSignal | undefined] : [second, third]
    return listFolders(folders, {
      onProgress: typeof onProgress === 'function' ? onProgress : undefined,
      signal: onProgress instanceof AbortSignal ? onProgress : signal,
      partial: this.policy.listsByCwd,
    })
  }
}

/** The methods of a session that change nothing. */
export type ReadonlySessionManager = Pick<
  SessionManager,
  | 'getCwd'
  | 'getSessionDir'
  | 'getSessionId'
  | 'getSessionFile'
  | 'getLeafId'
  | 'getLeafEntry'
  | 'getEntry'
  | 'getLabel'
  | 'getBranch'
  | 'buildContextEntries'
  | 'buildSessionProjection'
  | 'getHeader'
  | 'getEntries'
  | 'getTree'
  | 'getSessionName'
>

/** Returns the folder in which pi keeps the sessions of a folder of work, and makes it. */
export const getDefaultSessionDir = (cwd: string, agentDir?: string): string =>
  made(sessionFolder(cwd, agentDir, PI))

/** Returns the session file that changed last, optionally of one working folder; null where there is none. */
export const findMostRecentSession = (sessionDir: string, cwd?: string): string | null =>
  newestSession(sessionDir, cwd)

import { dirname, join } from 'node:path'
import type { AgentPosition } from '../../library/types.ts'
import {
  appendEntries,
  fileName,
  isOfSystem,
  loadEntriesFromFile,
  made,
  readEntries,
  readHeader,
  sessionFiles,
  sizeOf,
  writeEntries,
} from '../core/files.ts'
import { newSessionId } from '../core/ids.ts'
import { CURRENT_SESSION_VERSION, headerOf, migrated } from '../core/migrate.ts'
import { branchedEntries } from '../core/tree.ts'
import type {
  FileEntry,
  NewSessionOptions,
  SessionEntry,
  SessionHeader,
  SessionInfo,
  SessionListProgress,
} from '../core/types.ts'
import { absolute, folderOf, placeOf, sessionFolder, sessionFolders, shared, withHome } from './folders.ts'
import { type Link, linkTo, type StoreOptions } from './link.ts'
import { isOf, listFolders, newestSession } from './list.ts'
import { assertValidSessionId, PI, type Policy } from './policy.ts'
import { SessionJournal } from './session.ts'

/**
 * A session of pi: a tree of entries, kept in memory or in a file of pi's own form, to which each entry is written
 * before the call that makes it returns.
 */
export class SessionManager extends SessionJournal {
  protected static readonly policy: Policy = PI

  protected sessionId = ''
  protected sessionFile: string | undefined
  protected sessionDir: string
  protected cwd: string
  protected persist: boolean
  /** Whether the file holds all entries. */
  protected flushed = false
  readonly #link: Link | undefined
  readonly #leafOfFile: boolean
  /** The number of entries that the file holds, header included. */
  #written = 0

  protected constructor(policy: Policy, cwd: string, sessionDir?: string, options: StoreOptions = {}) {
    super(policy)
    this.cwd = placeOf(cwd, policy)
    this.persist = sessionDir !== undefined
    this.sessionDir = sessionDir ?? ''
    this.#link = this.persist ? linkTo(options, this.cwd) : undefined
    this.#leafOfFile = options.leaf === 'file'
    if (sessionDir) made(sessionDir)
  }

  /** Begins a session of a working directory; its file is made with the first message. */
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
    if (entries) manager.#take(entries)
    return manager
  }

  /** Begins a session of another working directory that holds all that a session file holds. */
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
    manager.#take([manager.getHeader() as SessionHeader, ...entries.filter(({ type }) => type !== 'session')])
    manager.#writeNew()
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

  /** Switches to another file, at its last line; a missing file is created with the first message. */
  setSessionFile(sessionFile: string): void {
    const path = absolute(sessionFile)
    const entries = sizeOf(path) ? loadEntriesFromFile(path) : []
    if (entries.length === 0) this.#beginAt(path)
    else this.#goOn(path, entries)
  }

  #beginAt(path: string): void {
    const size = sizeOf(path)
    if (size && !this.policy.rewritesInvalid)
      throw new Error(`Session file is not a valid pi session: ${path}`)
    this.newSession()
    this.sessionFile = path
    if (size !== undefined) this._rewriteFile()
  }

  #goOn(path: string, entries: FileEntry[]): void {
    const isOld = migrated(entries)
    this.sessionFile = path
    this._loadEntries(entries)
    this.#written = entries.length
    this.flushed = true
    if (isOld) this._rewriteFile()
    this.#restoreLeaf(path)
  }

  /** Moves the leaf to where the session was left, if the store knows that better than the file. */
  #restoreLeaf(path: string): void {
    if (!this.persist || !this.#link) return
    const { leafId: last } = this
    const place = { path, record: last, bytes: sizeOf(path) ?? 0 }
    const leaf = this.#leafOfFile ? undefined : this.#link.leaf(place)
    if (leaf === null || (leaf !== undefined && this.byId.has(leaf))) this.leafId = leaf
    this.#link.follow({ ...place, record: this.leafId })
  }

  /** Moves the leaf. The store keeps its position, for the file does not. */
  protected override moveLeaf(leafId: string | null): void {
    super.moveLeaf(leafId)
    if (this.#place) this.#link?.keep(this.#place)
    this.#follow()
  }

  /** The place that the store keeps, undefined while the session has no file. */
  get #place(): AgentPosition | undefined {
    if (!this.persist || this.sessionFile === undefined || this.#written === 0) return undefined
    const path = absolute(this.sessionFile)
    return { path, record: this.leafId, bytes: sizeOf(path) ?? 0 }
  }

  /** Resolves once the store has the content of the file, or a warning was printed. */
  async settled(): Promise<void> {
    await this.#link?.settled()
  }

  #follow(): void {
    if (this.#place) this.#link?.follow(this.#place)
  }

  _loadEntries(entries: FileEntry[]): void {
    this.fileEntries = entries
    this.sessionId = headerOf(entries)?.id as string
    this._buildIndex()
  }

  /** Begins a new session and returns the path that its file will have; undefined in memory. */
  newSession({ id, parentSession }: NewSessionOptions = {}): string | undefined {
    if (id !== undefined && this.policy.checks) assertValidSessionId(id)
    const header = this.#header(id, parentSession)
    this._loadEntries([header])
    return this.#moveFile(header)
  }

  #header(id: string = newSessionId(), parentSession?: string): SessionHeader {
    const timestamp = new Date().toISOString()
    return { type: 'session', version: CURRENT_SESSION_VERSION, id, timestamp, cwd: this.cwd, parentSession }
  }

  /** Assigns a new session its own file name; the file is created later. */
  #moveFile(header: SessionHeader): string | undefined {
    this.#written = 0
    this.flushed = false
    if (this.persist) this.sessionFile = join(this.sessionDir, fileName(header))
    return this.sessionFile
  }

  _rewriteFile(): void {
    if (!this.persist || this.sessionFile === undefined) return
    writeEntries(this.sessionFile, this.fileEntries)
    this.#wrote()
  }

  #wrote(): void {
    this.#written = this.fileEntries.length
    this.flushed = true
    this.#follow()
  }

  isPersisted(): boolean {
    return this.persist
  }

  getCwd(): string {
    return this.cwd
  }

  getSessionDir(): string {
    return this.sessionDir
  }

  /** Returns whether the sessions are in the folder where pi keeps those of the working directory. */
  usesDefaultSessionDir(): boolean {
    return this.sessionDir === sessionFolder(this.cwd, undefined, this.policy)
  }

  getSessionId(): string {
    return this.sessionId
  }

  getSessionFile(): string | undefined {
    return this.sessionFile
  }

  _hasConversation(): boolean {
    const { startsFile } = this.policy
    return this.fileEntries.some((entry) => entry.type === 'message' && startsFile.has(entry.message?.role))
  }

  /** Writes to the file what it does not hold yet, once there is a message that it is for. */
  _persist(_entry: SessionEntry): void {
    const { sessionFile } = this
    if (!this.persist || sessionFile === undefined) return
    const goesOn = this.policy.appendsSetup && this.#written > 0
    if (!goesOn && !this._hasConversation()) {
      this.flushed = false
      return
    }
    if (this.#written === 0 || !this.#appended(sessionFile)) this.#writeNew()
    else this.#wrote()
  }

  /** Appends to the file; false where it was taken away meanwhile. */
  #appended(path: string): boolean {
    try {
      appendEntries(path, this.fileEntries.slice(this.#written))
      return true
    } catch (error) {
      if (isOfSystem(error) && error.code === 'ENOENT' && sizeOf(dirname(path)) !== undefined) return false
      throw error
    }
  }

  /** Becomes a new session that holds one path of this one, and returns its file; undefined in memory. */
  createBranchedSession(leafId: string): string | undefined {
    const path = this.getBranch(leafId)
    if (path.length === 0) throw new Error(`Entry ${leafId} not found`)
    const labels = this.labels()
    const header = this.#header(undefined, this.sessionFile)
    this._loadEntries([header, ...branchedEntries(path, labels, this.policy)])
    const file = this.#moveFile(header)
    if (this.persist && this._hasConversation()) this._rewriteFile()
    return file
  }

  /** Takes over entries that were kept elsewhere: with their header, or with that of this session. */
  #take(entries: FileEntry[]): void {
    const isWhole = headerOf(entries) !== undefined
    if (isWhole) migrated(entries)
    this._loadEntries(isWhole ? entries : [...this.fileEntries, ...entries])
  }

  /** Writes a file of its own with all that it holds. */
  #writeNew(): void {
    if (this.sessionFile === undefined) return
    writeEntries(this.sessionFile, this.fileEntries, { exclusive: true })
    this.#wrote()
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

/** Returns the folder in which pi keeps the sessions of a working directory, and makes it. */
export const getDefaultSessionDir = (cwd: string, agentDir?: string): string =>
  made(sessionFolder(cwd, agentDir, PI))

/** Returns the session file that changed last, optionally of one working folder; null where there is none. */
export const findMostRecentSession = (sessionDir: string, cwd?: string): string | null =>
  newestSession(sessionDir, cwd)

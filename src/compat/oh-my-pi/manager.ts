import { realpathSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { folderOf } from '../../formats/oh-my-pi.ts'
import { appendEntries, endLine, fileName, isOfSystem, made } from '../core/files.ts'
import { Follower } from '../core/follower.ts'
import { branchedEntries } from '../core/tree.ts'
import { findMostRecentSession, newHeader, readSession, writeSession, writeTitle } from './file.ts'
import { OmpJournal } from './session.ts'
import type { OmpSessionEntry } from './types.ts'

/** Options of a session. */
export interface SessionOptions {
  /** The folder of a store that is kept caught up with the file. */
  readonly store?: string
}

/**
 * A session of oh-my-pi: a tree of entries, in memory or in a file of its dialect, which is made with the first answer
 * and then has each entry before the call that makes it returns.
 */
export class SessionManager extends OmpJournal {
  readonly #dir: string | undefined
  readonly #follower: Follower
  #file: string | undefined
  #isOnDisk = false

  protected constructor(cwd: string, dir: string | undefined, { store }: SessionOptions = {}) {
    super(newHeader(cwd))
    this.#dir = dir
    this.#follower = new Follower(store)
    this.#file = dir && join(dir, fileName(this.header))
  }

  /** Begins a session. */
  static create(cwd: string, sessionDir?: string, options?: SessionOptions): SessionManager {
    return new this(cwd, made(sessionDir ?? SessionManager.getDefaultSessionDir(cwd)), options)
  }

  /** Begins a session that touches no disk. */
  static inMemory(cwd: string = process.cwd()): SessionManager {
    return new this(cwd, undefined)
  }

  /** Opens the session of a file, at its last line. Throws if it is none. */
  // oxlint-disable-next-line typescript/require-await -- asynchronous as there
  static async open(path: string, sessionDir?: string, options?: SessionOptions): Promise<SessionManager> {
    const { header, entries } = readSession(path)
    endLine(path)
    const manager = new this(header.cwd, sessionDir ?? dirname(path), options)
    manager.hold(header, entries)
    manager.#file = path
    manager.#isOnDisk = true
    manager.#follower.follow(path)
    return manager
  }

  /** Opens the session file of a folder that was modified last, or begins a session. */
  static async continueRecent(
    cwd: string,
    sessionDir?: string,
    options?: SessionOptions,
  ): Promise<SessionManager> {
    const dir = sessionDir ?? SessionManager.getDefaultSessionDir(cwd)
    const file = findMostRecentSession(made(dir))
    return file === null ? this.create(cwd, dir, options) : this.open(file, dir, options)
  }

  /** Begins a session that holds all that a file holds; its `parentSession` is the id of that. */
  static async forkFrom(
    source: string,
    cwd: string,
    sessionDir?: string,
    options?: SessionOptions,
  ): Promise<SessionManager> {
    const { header, entries } = readSession(source)
    const manager = this.create(cwd, sessionDir, options)
    manager.hold({ ...manager.header, parentSession: header.id }, entries)
    await manager.ensureOnDisk()
    return manager
  }

  /**
   * Returns the folder for the sessions of a working directory, named by its path below the home, else below the folder
   * for temporary files, else by its whole path.
   */
  static getDefaultSessionDir(cwd: string, agentDir: string = join(homedir(), '.omp', 'agent')): string {
    const machine = { home: canonical(homedir()), temporary: canonical(tmpdir()), real: canonical }
    return join(agentDir, 'sessions', folderOf(cwd, machine))
  }

  isPersisted(): boolean {
    return this.#dir !== undefined
  }

  /** Returns the folder of the session's file; '' in memory. */
  getSessionDir(): string {
    return this.#dir ?? ''
  }

  getSessionFile(): string | undefined {
    return this.#file
  }

  isSessionOnDisk(): boolean {
    return this.#isOnDisk
  }

  /** Becomes a new session that holds one path of this one, with labels created again. Returns its file; undefined in memory. */
  createBranchedSession(leafId: string): string | undefined {
    const path = this.getBranch(leafId)
    if (path.length === 0) throw new Error(`Entry ${leafId} not found`)
    const timestamp = new Date().toISOString()
    const labels = this.labels().map((label) => ({ ...label, timestamp }))
    const entries = branchedEntries(path, labels, { rechains: true })
    const header = {
      ...newHeader(this.header.cwd),
      ...(this.#file !== undefined && { parentSession: this.#file }),
    }
    this.hold(header, entries)
    this.#file = this.#dir && join(this.#dir, fileName(header))
    this.#isOnDisk = false
    this.#ensureFile()
    return this.#file
  }

  /** Writes the file although there is no answer yet, before it returns. */
  // oxlint-disable-next-line typescript/require-await -- asynchronous as there
  async ensureOnDisk(): Promise<void> {
    this.#ensureFile()
  }

  #ensureFile(): void {
    if (this.#file === undefined || this.#isOnDisk) return
    this.#write(this.entries)
  }

  /** Resolves once the store holds what was written before; throws why it does not. */
  async settled(): Promise<void> {
    await this.#follower.settled()
  }

  /** Imports the entries that the store lacks, and closes it. */
  async close(): Promise<void> {
    await this.#follower.close()
  }

  protected persist(entry: OmpSessionEntry): void {
    if (this.#file === undefined) return
    if (this.#isOnDisk) {
      appendEntries(this.#file, [entry])
      if (entry.type === 'title_change')
        writeTitle(this.#file, { ...this.header, title: entry.title, titleSource: entry.source })
      this.#follower.follow(this.#file)
    } else if (entry.type === 'message' && entry.message.role === 'assistant')
      this.#write([...this.entries, entry])
  }

  #write(entries: readonly OmpSessionEntry[]): void {
    const file = this.#file as string
    writeSession(file, this.header, entries)
    this.#isOnDisk = true
    this.#follower.follow(file)
  }
}

/** Returns the path without symbolic links; a path that cannot be resolved as it is spelled. */
function canonical(path: string): string {
  try {
    return realpathSync(path)
  } catch (error) {
    if (isOfSystem(error)) return resolve(path)
    throw error
  }
}

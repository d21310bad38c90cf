import { closeSync, openSync, readFileSync, readSync, realpathSync, writeSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { hasTitle, TITLE_BYTES, titleSlot } from '../../formats/oh-my-pi/slot.ts'
import type { JsonObject } from '../../model/json.ts'
import { realEnv, uuid7 } from '../../repo/env.ts'
import { Follower } from '../follower.ts'
import { branchedEntries } from '../pi/branched.ts'
import { appendEntries, endLine, readHeader, writeEntries } from '../pi/file.ts'
import { made } from '../pi/folders.ts'
import { mostRecent } from '../pi/list.ts'
import { migrated, parseSessionEntries } from '../pi/migrate.ts'
import type { SessionEntry as PiEntry, FileEntry as PiFileEntry } from '../pi/types.ts'
import { SessionJournal } from './journal.ts'
import type { SessionEntry, SessionHeader, TitleSource } from './types.ts'

/** What a session may have besides its file. */
export interface SessionOptions {
  /** The folder of a store that is kept caught up with the file. */
  readonly store?: string
}

/**
 * A session of oh-my-pi: a tree of entries, in memory or in a file of its dialect, which is made with the first answer
 * and then has each entry before the call that makes it returns.
 */
export class SessionManager extends SessionJournal {
  readonly #dir: string | undefined
  readonly #follower: Follower | undefined
  #file: string | undefined
  #isOnDisk = false

  protected constructor(cwd: string, dir: string | undefined, { store }: SessionOptions = {}) {
    super(newHeader(cwd))
    this.#dir = dir
    this.#follower = store === undefined ? undefined : new Follower(store)
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

  /** Goes on with the session of a file, on its last line. Throws where it is none. */
  // oxlint-disable-next-line typescript/require-await -- asynchronous as there
  static async open(path: string, sessionDir?: string, options?: SessionOptions): Promise<SessionManager> {
    const { header, entries } = read(path)
    const manager = new this(header.cwd, sessionDir ?? dirname(path), options)
    manager.hold(header, entries)
    manager.#file = path
    manager.#isOnDisk = true
    manager.#follower?.follow(path)
    return manager
  }

  /** Goes on with the session file of a folder that was changed last, or begins one. */
  static async continueRecent(
    cwd: string,
    sessionDir?: string,
    options?: SessionOptions,
  ): Promise<SessionManager> {
    const dir = sessionDir ?? SessionManager.getDefaultSessionDir(cwd)
    const file = mostRecent(made(dir), undefined, (path) =>
      readHeader(path, { isBefore: ({ type }) => type === 'title' }),
    )
    return file === null ? this.create(cwd, dir, options) : this.open(file, dir, options)
  }

  /** Begins a session that holds all that a file holds; its `parentSession` is the id of that. */
  // oxlint-disable-next-line typescript/require-await -- asynchronous as there
  static async forkFrom(
    source: string,
    cwd: string,
    sessionDir?: string,
    options?: SessionOptions,
  ): Promise<SessionManager> {
    const { header, entries } = read(source)
    const manager = this.create(cwd, sessionDir, options)
    manager.hold({ ...manager.header, parentSession: header.id }, entries)
    manager.ensureOnDisk()
    return manager
  }

  /** Gives the folder for the sessions of a folder of work: by its path below the home or the folder for temporary files. */
  static getDefaultSessionDir(cwd: string, agentDir: string = join(homedir(), '.omp', 'agent')): string {
    const path = canonical(cwd)
    const name =
      below(path, canonical(tmpdir()), '-tmp') ??
      below(path, canonical(homedir()), '') ??
      `--${spelled(path.replace(/^[/\\]/, ''))}--`
    return join(agentDir, 'sessions', name)
  }

  isPersisted(): boolean {
    return this.#dir !== undefined
  }

  getSessionDir(): string | undefined {
    return this.#dir
  }

  getSessionFile(): string | undefined {
    return this.#file
  }

  /** Goes on in a session of its own that holds one path of this one, its labels anew; gives its file, none in memory. */
  createBranchedSession(leafId: string): string | undefined {
    const path = this.getBranch(leafId)
    if (path.length === 0) throw new Error(`Entry ${leafId} not found`)
    const timestamp = new Date().toISOString()
    const labels = [...this.labels].map(([targetId, label]) => ({ targetId, label, timestamp }))
    const entries = branchedEntries(path as PiEntry[], labels, { rechains: true }) as SessionEntry[]
    const header = {
      ...newHeader(this.header.cwd),
      ...(this.#file !== undefined && { parentSession: this.#file }),
    }
    this.hold(header, entries)
    this.#file = this.#dir && join(this.#dir, fileName(header))
    this.#isOnDisk = false
    this.ensureOnDisk()
    return this.#file
  }

  /** Writes the file although no answer was given yet. */
  ensureOnDisk(): void {
    if (this.#file === undefined || this.#isOnDisk) return
    this.#write(this.entries)
  }

  /** Resolves once the store holds what was written before; throws why it does not. */
  async settled(): Promise<void> {
    await this.#follower?.settled()
  }

  /** Has the store take what it does not hold yet, and lets it go. */
  async close(): Promise<void> {
    await this.#follower?.close()
  }

  protected persist(entry: SessionEntry): void {
    if (this.#file === undefined) return
    if (this.#isOnDisk) {
      appendEntries(this.#file, [entry as PiEntry])
      if (entry.type === 'title_change')
        retitle(this.#file, { ...this.header, title: entry.title, titleSource: entry.source })
      this.#follower?.follow(this.#file)
    } else if (entry.type === 'message' && entry.message.role === 'assistant')
      this.#write([...this.entries, entry])
  }

  #write(entries: readonly SessionEntry[]): void {
    const file = this.#file as string
    const lines = [titleOf(this.header), this.header, ...entries]
    writeEntries(file, lines as PiFileEntry[], { exclusive: true })
    this.#isOnDisk = true
    this.#follower?.follow(file)
  }
}

/** Gives the line in which the title stands, before the header. */
const titleOf = ({ title = '', titleSource }: SessionHeader): JsonObject =>
  titleSlot({ title, ...(titleSource && { source: titleSource }), updated: realEnv().now() })

/** Changes the title in its place, where the file has one. */
function retitle(path: string, header: SessionHeader): void {
  const file = openSync(path, 'r+')
  try {
    const head = Buffer.alloc(TITLE_BYTES)
    readSync(file, head, 0, TITLE_BYTES, 0)
    if (hasTitle(head)) writeSync(file, `${JSON.stringify(titleOf(header))}\n`, 0)
  } finally {
    closeSync(file)
  }
}

function newHeader(cwd: string): SessionHeader {
  return {
    type: 'session',
    version: 3,
    id: uuid7(realEnv()),
    timestamp: new Date().toISOString(),
    cwd: resolve(cwd),
  }
}

const fileName = ({ id, timestamp }: SessionHeader): string =>
  `${timestamp.replaceAll(/[:.]/g, '-')}_${id}.jsonl`

/** Reads a file, with what its title line says folded into its header. */
function read(path: string): { readonly header: SessionHeader; readonly entries: SessionEntry[] } {
  const lines = parseSessionEntries(readFileSync(path, 'utf8')) as Line[]
  const header = lines.find(isHeader)
  if (header?.id === undefined) throw new Error(`Session file is not a valid pi session: ${path}`)
  endLine(path)
  migrated(lines as PiFileEntry[])
  const { title, source } = lines.find(isTitle) ?? {}
  return {
    header: { ...header, ...(title && { title }), ...(source && { titleSource: source }) },
    entries: lines.filter((line): line is SessionEntry => !isHeader(line) && !isTitle(line)),
  }
}

/** The line before the header in which the title stands. */
interface TitleLine {
  readonly type: 'title'
  readonly title?: string
  readonly source?: TitleSource
}

type Line = SessionHeader | TitleLine | SessionEntry

const isHeader = (line: Line): line is SessionHeader => line.type === 'session'
const isTitle = (line: Line): line is TitleLine => line.type === 'title'

/** Symbolic links lead to one folder of sessions; a folder that is not there is taken as it is spelled. */
function canonical(path: string): string {
  try {
    return realpathSync(path)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return resolve(path)
    throw error
  }
}

/** Gives the name of a path within another, undefined where it lies elsewhere. */
function below(path: string, folder: string, prefix: string): string | undefined {
  const inside = relative(folder, path)
  return inside.startsWith('..') ? undefined : `${prefix}-${spelled(inside)}`
}

const spelled = (path: string): string => path.replaceAll(/[/\\:]/g, '-')

import { dirname, join } from 'node:path'
import { defined } from '../../model/json.ts'
import type { IdSource } from '../../model/uuid.ts'
import { fileName } from '../core/files.ts'
import { Follower } from '../core/follower.ts'
import { ofProcess } from '../core/ids.ts'
import type { SessionEntryBase } from '../core/types.ts'
import { hexId, newHeader, SessionFile, timeNow } from './file.ts'
import { compared, DashState, MAIN } from './state.ts'
import type {
  AgentAction,
  BranchComparison,
  BranchInfo,
  DashSessionEntry,
  DashSessionHeader,
  DashSessionTreeNode,
  ForkResult,
  MessageMetadata,
  MessageRole,
} from './types.ts'

/** Options of a session. */
export interface SessionTreeOptions {
  /** The folder of a store that is kept caught up with the file. */
  readonly store?: string
  /** The clock and the randomness of its ids and times; those of the process by default. */
  readonly env?: IdSource
}

/** An entry without its place. A field that is undefined is left out. */
type DashEntryFields<T = DashSessionEntry> = T extends DashSessionEntry
  ? { [K in keyof Omit<T, Exclude<keyof SessionEntryBase, 'type'>>]: T[K] | undefined }
  : never

/**
 * A session of Dash: a tree of entries with named branches. Each entry is in the file when the call that makes it
 * returns. Without a folder it is in memory alone.
 */
export class SessionTree {
  readonly #env: IdSource
  readonly #dir: string | undefined
  readonly #follower: Follower
  #file: SessionFile | undefined
  #header: DashSessionHeader
  #state: DashState
  #current = MAIN

  /** Begins a session, or opens that of a file. */
  constructor(
    cwd: string,
    sessionDir?: string,
    sessionFile?: string,
    { store, env = ofProcess }: SessionTreeOptions = {},
  ) {
    this.#env = env
    this.#dir = sessionDir
    this.#follower = new Follower(store)
    this.#header = newHeader(env, cwd)
    this.#state = new DashState([], this.#header.timestamp)
    if (sessionFile !== undefined) this.#load(sessionFile)
  }

  /** Begins a session, whose file is there at once. */
  static create(
    cwd: string,
    sessionDir: string,
    name?: string,
    options: SessionTreeOptions = {},
  ): SessionTree {
    const tree = new SessionTree(cwd, sessionDir, undefined, options)
    tree.#begin({ ...tree.#header, ...defined({ name }) }, [])
    return tree
  }

  /** Opens the session of a file, on the branch of its newest entry. Throws if it is none. */
  static open(sessionFile: string, options: SessionTreeOptions = {}): SessionTree {
    return new SessionTree('', dirname(sessionFile), sessionFile, options)
  }

  /**
   * Makes a session file of the path to an entry of a file, in the same folder unless another is named. A store takes
   * it when it is opened with one.
   */
  static fork(
    sessionFile: string,
    entryId: string,
    newName: string,
    targetDir: string = dirname(sessionFile),
    { env = ofProcess }: Pick<SessionTreeOptions, 'env'> = {},
  ): ForkResult {
    return SessionTree.open(sessionFile, { env }).#fork(entryId, newName, targetDir)
  }

  /** Begins a session that touches no disk. */
  static inMemory(cwd: string = process.cwd(), name?: string, options: SessionTreeOptions = {}): SessionTree {
    const tree = new SessionTree(cwd, undefined, undefined, options)
    if (name !== undefined) tree.setName(name)
    return tree
  }

  appendMessage(role: MessageRole, content: string, metadata?: MessageMetadata): string {
    return this.#append({ type: 'message', role, content, metadata })
  }

  appendAgentAction(action: AgentAction, agentId: string, data?: Record<string, unknown>): string {
    return this.#append({ type: 'agent_action', action, agentId, data })
  }

  /** Labels an entry, or the session itself with ''; without a label it has none. Throws for an unknown entry. */
  appendLabel(targetId: string, label?: string): string {
    if (targetId !== '') this.#entry(targetId)
    return this.#append({ type: 'label', targetId, label })
  }

  getLabel(targetId: string): string | undefined {
    return this.#state.label(targetId)
  }

  /** Begins a branch at the leaf of the current one, and switches to it. Returns the id of its first entry. */
  createBranch(name: string, description?: string): string {
    return this.#branch(name, this.getLeafId(), description)
  }

  /** Begins a branch at an entry, and switches to it. Returns the id of its first entry. */
  createBranchAt(entryId: string, name: string, description?: string): string {
    return this.#branch(name, this.#entry(entryId).id, description)
  }

  switchBranch(name: string): void {
    this.#state.leafOf(name)
    this.#current = name
  }

  getCurrentBranch(): string {
    return this.#current
  }

  /** Returns the entries from the root to the leaf of a branch, by default of the current one. */
  getBranch(name: string = this.#current): DashSessionEntry[] {
    return this.#state.path(this.#state.leafOf(name))
  }

  listBranches(): BranchInfo[] {
    return this.#state.branches()
  }

  /** Writes a session file of the path to an entry next to this one's; this session stays open. */
  forkSession(entryId: string, newName: string): ForkResult {
    if (this.#dir === undefined) throw new Error('Cannot fork a session that is in memory only')
    return this.#fork(entryId, newName, this.#dir)
  }

  getTree(): DashSessionTreeNode[] {
    return this.#state.tree()
  }

  getEntries(): DashSessionEntry[] {
    return [...this.#state.entries]
  }

  getEntry(id: string): DashSessionEntry | undefined {
    return this.#state.get(id)
  }

  getLeafId(): string | null {
    return this.#state.leafOf(this.#current)
  }

  getLeafEntry(): DashSessionEntry | undefined {
    const id = this.getLeafId()
    return id === null ? undefined : this.#state.get(id)
  }

  /** Returns the children of an entry, the earliest first. */
  getChildren(parentId: string): DashSessionEntry[] {
    return this.#state.children(parentId)
  }

  /** Compares branches by their own entries; names that are none are passed over. */
  compareBranches(branchIds: readonly string[]): BranchComparison {
    const known = branchIds.filter((name) => this.#state.hasBranch(name))
    return compared(known.map((name) => ({ info: this.#state.info(name), own: this.#state.own(name) })))
  }

  getSessionId(): string {
    return this.#header.id
  }

  getSessionFile(): string | undefined {
    return this.#file?.path
  }

  getSessionDir(): string | undefined {
    return this.#dir
  }

  getCwd(): string {
    return this.#header.cwd
  }

  getHeader(): DashSessionHeader {
    return { ...this.#header }
  }

  getName(): string | undefined {
    return this.#header.name
  }

  /** Names the session, which rewrites its file. */
  setName(name: string): void {
    this.#catchUp()
    const header = { ...this.#header, name }
    this.#file?.replaceHeader(header)
    this.#follow()
    this.#header = header
  }

  /** Makes the file durable, with what others appended to it. A file that is missing is written again. */
  sync(): void {
    if (!this.#file) this.#begin(this.#header, [])
    else if (this.#file.isMissing) {
      this.#file = SessionFile.create(this.#file.path, [this.#header, ...this.#state.entries])
      this.#follow()
    } else this.#catchUp()
    this.#file?.sync()
  }

  /** Resolves once the store holds what was appended before; throws why it does not. */
  async settled(): Promise<void> {
    await this.#follower.settled()
  }

  /** Imports the entries that the store lacks, and closes it. */
  async close(): Promise<void> {
    await this.#follower.close()
  }

  /** Appends an entry below another, by default below the leaf of the current branch. */
  #append({ type, ...fields }: DashEntryFields, below?: string | null): string {
    this.#catchUp()
    const parentId = below === undefined ? this.getLeafId() : below
    const place = { type, id: this.#freeId(), parentId, timestamp: timeNow(this.#env) }
    const entry = { ...place, ...defined(fields) } as DashSessionEntry
    if (this.#file) this.#file.append(entry)
    else this.#begin(this.#header, [entry])
    this.#follow()
    this.#state.add(entry)
    return entry.id
  }

  #branch(name: string, parentId: string | null, description: string | undefined): string {
    if (this.#state.hasBranch(name)) throw new Error(`Branch ${name} already exists`)
    const id = this.#append({ type: 'branch_point', branchName: name, description }, parentId)
    this.#current = name
    return id
  }

  #fork(entryId: string, name: string, dir: string): ForkResult {
    const path = this.#state.path(this.#entry(entryId).id)
    const from = this.#file && { parentSession: this.#file.path }
    const header = { ...newHeader(this.#env, this.#header.cwd), name, ...from }
    const newSessionFile = join(dir, fileName(header))
    SessionFile.create(newSessionFile, [header, ...path])
    this.#follower.follow(newSessionFile)
    return { newSessionId: header.id, newSessionFile, forkedFromEntryId: entryId }
  }

  #begin(header: DashSessionHeader, entries: readonly DashSessionEntry[]): void {
    if (this.#dir !== undefined)
      this.#file = SessionFile.create(join(this.#dir, fileName(header)), [header, ...entries])
    this.#header = header
    this.#follow()
  }

  #follow(): void {
    if (this.#file) this.#follower.follow(this.#file.path)
  }

  /** Reads the lines that others appended to the file, so that the next entry continues them. */
  #catchUp(): void {
    if (!this.#file?.changed) return
    const current = this.#current
    this.#load(this.#file.path)
    if (this.#state.hasBranch(current)) this.#current = current
  }

  #load(path: string): void {
    const file = SessionFile.read(path)
    if (!file) throw new Error(`Invalid session file: missing header in ${path}`)
    this.#file = file
    this.#header = file.header
    this.#state = new DashState(file.records, file.header.timestamp)
    this.#current = this.#state.newest
    this.#follow()
  }

  #entry(id: string): DashSessionEntry {
    const entry = this.#state.get(id)
    if (!entry) throw new Error(`Entry ${id} not found`)
    return entry
  }

  #freeId(): string {
    for (;;) {
      const id = hexId(this.#env)
      if (!this.#state.get(id)) return id
    }
  }
}

let current: SessionTree | undefined

/** Returns the session of this process, which begins at the first call, by default in `.godel/sessions`. */
export function getGlobalSessionTree(
  cwd: string = process.cwd(),
  sessionDir: string = join(cwd, '.godel', 'sessions'),
): SessionTree {
  current ??= SessionTree.create(cwd, sessionDir)
  return current
}

/** Makes a session that of this process. */
export function setGlobalSessionTree(tree: SessionTree): void {
  current = tree
}

/** Forgets the session of this process: the next call begins another one. */
export function resetGlobalSessionTree(): void {
  current = undefined
}

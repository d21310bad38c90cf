import type { Oid } from '../model/oid.ts'
import type { FindSecrets } from '../model/secret.ts'
import { Repo, type RepoOptions } from '../repo/repo.ts'
import { resolveSession } from '../repo/revision.ts'
import { allSessions } from '../repo/session.ts'
import { createSession, type NewSession } from './append.ts'
import { type CompareOptions, type Comparison, compare } from './compare.ts'
import {
  type ComparedContexts,
  type ContextCompareOptions,
  compareContexts,
} from './context/comparecontexts.ts'
import { type ContextDiff, diffContexts } from './diff/diffcontext.ts'
import { type DiffStat, diffStat } from './diff/diffstat.ts'
import { type Diff, diff, mergeBaseOf } from './diff.ts'
import { type EventName, type Handler, listenersOf } from './events.ts'
import { type Expunged, type ExpungeOptions, expunge } from './expunge.ts'
import { type ForkOptions, fork } from './fork.ts'
import { type Fsck, fsck } from './fsck.ts'
import { type Handoff, handoff } from './handoff.ts'
import { type Listed, type ListOptions, listSessions } from './list.ts'
import { type LogEntry, type LogOptions, log } from './log.ts'
import { type LoggedOperation, type MovedSince, movedSince, operations } from './operations.ts'
import { type Redacted, redact } from './redact.ts'
import { redo } from './redo.ts'
import { type Removed, removeSessions } from './remove.ts'
import { revParse } from './revparse.ts'
import { type FoundSecret, type ScanOptions, scan } from './scan.ts'
import { type Found, type SearchOptions, search } from './search.ts'
import { type SelectOptions, select } from './select.ts'
import { type Shown, show } from './show.ts'
import { type Stats, stats } from './stats.ts'
import { StoredSession } from './store/storedsession.ts'
import { StoreSources } from './store/storesources.ts'
import { WORKS } from './store/works.ts'
import type { SummaryOptions } from './summarize.ts'
import type { Turned } from './turn.ts'
import { type UndoOptions, undo } from './undo.ts'

/**
 * How a store is opened: `create` makes one where there is none, `lockTimeout` is how many milliseconds to wait while
 * another process has the database (5,000 unless said).
 */
export interface OpenOptions extends Pick<RepoOptions, 'create' | 'lockTimeout'> {
  /** The folder that `@` refers to; the process's own unless said. */
  readonly cwd?: string
  /**
   * Read the store as it was right after an operation: its number, 4 or more digits of its id, or a time
   * (`2026-04-02T08:00Z`). Nothing can be written then: `read-only` is thrown.
   */
  readonly atOperation?: number | string
}

/**
 * Opens the store in a folder; with `create` it is made where there is none. Throws `no-store`, `not-a-store`,
 * `newer-store`, `busy` or `corrupt`. The store's database is held only while it is used: other processes come in
 * between.
 */
export async function openStore(
  dir: string,
  { cwd, atOperation, ...options }: OpenOptions = {},
): Promise<Store> {
  return new Store(
    await Repo.open(dir, {
      ...options,
      works: WORKS,
      ...(cwd === undefined ? {} : { cwd }),
      ...(atOperation === undefined ? {} : { atOperation: `${atOperation}` }),
    }),
  )
}

/** An open store. Revisions are as on the command line: `session`, `session/branch`, an oid or a prefix, `~N`, … */
export class Store extends StoreSources {
  readonly #repo: Repo

  constructor(repo: Repo) {
    super(repo)
    this.#repo = repo
  }

  /**
   * Calls a handler before or after what is done through this store, until what it gives is called: before and after
   * `append`, `switch`, `tree` (navigate and pop), `branch`, `fork` and `compact`. Who is told before may cancel, give
   * the summary or attach a label. Handlers may be asynchronous and use the store; what one throws that is told before
   * is thrown to the caller, and nothing is changed; what one throws that is told after goes to the handlers of `error`.
   */
  on<N extends EventName>(name: N, handler: Handler<N>): () => void {
    return listenersOf(this.#repo).on(name, handler)
  }

  /** Makes an empty session, whose id is a UUID of version 7. */
  async createSession(options: NewSession = {}): Promise<StoredSession> {
    return new StoredSession(this.#repo, await createSession(this.#repo, options))
  }

  /** Gives the session with an id, a title, or a prefix of an id; throws `no-session` or `ambiguous-revision`. */
  async session(name: string): Promise<StoredSession> {
    const found = await this.#repo.read((reader) => resolveSession(reader, name, this.#repo.env.cwd))
    return new StoredSession(this.#repo, found.id)
  }

  /** Gives all sessions, in the order of their ids. */
  async sessions(): Promise<StoredSession[]> {
    const ids: string[] = []
    await this.#repo.read(async (reader) => {
      for await (const session of allSessions(reader)) ids.push(session.id)
    })
    return ids.map((id) => new StoredSession(this.#repo, id))
  }

  /** Gives what a list says of sessions, the one that was added to last first, without reading what was said. */
  async list(options: ListOptions = {}): Promise<readonly Listed[]> {
    return [...(await listSessions(this.#repo, options)).rows()]
  }

  /** Removes sessions, all in one operation; their entries stay. Throws `no-session`, and removes none then. */
  remove(sessions: readonly string[]): Promise<Removed[]> {
    return removeSessions(this.#repo, sessions)
  }

  /** Makes a session that shares the path of the entry that a revision names; copies nothing. Throws as `resolve`. */
  async fork(revision: string, options: ForkOptions = {}): Promise<StoredSession> {
    return new StoredSession(this.#repo, (await fork(this.#repo, revision, options)).session)
  }

  /** Gives the oid that a revision names; throws `no-revision`, `ambiguous-revision`, `empty-session`, `no-entry`. */
  resolve(revision: string): Promise<Oid> {
    return revParse(this.#repo, revision)
  }

  /** Gives the best common ancestor of two revisions, or null where there is none. Throws as `resolve`. */
  mergeBase(a: string, b: string): Promise<Oid | null> {
    return mergeBaseOf(this.#repo, a, b)
  }

  /**
   * Gives what two or more revisions come to since their last common entry, or with `whole` from their roots; the
   * differences of each pair, and which has the lowest cost, or the lowest of another metric. Throws as `resolve`, and
   * `bad-usage` for fewer than two.
   */
  compare(revisions: readonly string[], options: CompareOptions = {}): Promise<Comparison> {
    return compare(this.#repo, revisions, options)
  }

  /**
   * Gives as markdown what a new session is to know of a session, or of what another revision names, to go on with it
   * for a goal: by a digest unless a text or a summarizer is given. Throws as `resolve`, and `bad-summary`.
   */
  handoff(goal: string, revision: string | StoredSession, options: SummaryOptions = {}): Promise<Handoff> {
    return handoff(this.#repo, goal, typeof revision === 'string' ? revision : revision.id, options)
  }

  /**
   * Gives where two revisions part, what each said since, in path order, and what corresponds. One text may be a range:
   * of `A...B` the merge base and `B` are compared. Throws as `resolve`, and `bad-usage`.
   */
  diff(a: string, b?: string): Promise<Diff> {
    return diff(this.#repo, a, b)
  }

  /** Counts how much two revisions, or a range, differ by: entries, characters and tokens, by role and by tool. */
  diffStat(a: string, b?: string): Promise<DiffStat> {
    return diffStat(this.#repo, a, b)
  }

  /** Gives which messages left what the model sees, and which came, from one revision to another. Throws as `resolve`. */
  diffContexts(a: string, b: string): Promise<ContextDiff> {
    return diffContexts(this.#repo, a, b)
  }

  /** Tells how far the contexts of two revisions are the same from their beginning. Throws as `resolve`. */
  compareContexts(a: string, b: string, options: ContextCompareOptions = {}): Promise<ComparedContexts> {
    return compareContexts(this.#repo, a, b, options)
  }

  /**
   * Gives the entries that a revision or a range (`A..B`, `A...B`) reaches, children before parents. Throws as
   * `resolve`. The database is held until the last entry.
   */
  log(revision: string, options: LogOptions = {}): AsyncIterable<LogEntry> {
    return log(this.#repo, revision, options)
  }

  /**
   * Gives the entries that an expression means, children before parents: `sess help revsets` tells the language. It looks
   * at the session that is named, `@` unless said, or `everywhere`. Throws `bad-expression`, and as `resolve`, with the
   * place in `at`. The database is held until the last entry.
   */
  select(expression: string, options: SelectOptions = {}): AsyncIterable<LogEntry> {
    return select(this.#repo, expression, options)
  }

  /** Gives one entry with its meaning, its body and its record. Throws as `resolve`, and `corrupt`. */
  show(revision: string): Promise<Shown> {
    return show(this.#repo, revision)
  }

  /**
   * Finds what was said (docs/search.md says how a query is written), the best hits first: 20 unless said. Throws
   * `bad-query`, and as `session` where the query names one.
   */
  search(query: string, options: SearchOptions = {}): Promise<Found> {
    return search(this.#repo, query, options)
  }

  /**
   * Takes back the newest operation that is not undone yet, or the one that is named: each ref that it moved is what it
   * was before. Throws `nothing-to-undo`, `no-operation`, and `conflict` where something else moved one since.
   */
  undo(options: Pick<UndoOptions, 'operation' | 'session'> = {}): Promise<Turned> {
    return undo(this.#repo, { ...options, any: true })
  }

  /** Does again what was undone last. Throws `nothing-to-redo`, and `conflict` as `undo` does. */
  redo(): Promise<Turned> {
    return redo(this.#repo)
  }

  /**
   * Returns the refs that moved since an operation (0 is the beginning), and the newest operation, to be passed the next
   * time: a reader that does so misses no move. Throws `no-operation`.
   */
  movedSince(operation: number): Promise<MovedSince> {
    return movedSince(this.#repo, operation)
  }

  /** Gives what was done to the store, the newest first: at most `limit` operations. */
  operations(options: { readonly limit?: number } = {}): AsyncIterable<LoggedOperation> {
    return operations(this.#repo, options)
  }

  /** Counts what the store holds, in entries, blobs and bytes. Reads all of its index. */
  stats(): Promise<Stats> {
    return stats(this.#repo)
  }

  /** Finds secrets; `find` tells them, as `loadSecretList` gives it. Throws `no-revision`. */
  scan(options: ScanOptions): AsyncIterable<FoundSecret> {
    return scan(this.#repo, options)
  }

  /** Copies a session without its secrets. Throws `no-session`. */
  redact(session: string, options: { readonly find: FindSecrets }): Promise<Redacted> {
    return redact(this.#repo, session, options)
  }

  /**
   * Removes what entries say, or secrets wherever they stand, for good; every oid stays. It cannot be undone, and what
   * went does not come back by an import. Throws `guessable-secret` where the digests that stay would tell it, unless
   * forced to, `no-secret`, and `no-entry` and as `resolve` for entries.
   */
  expunge(options: ExpungeOptions): Promise<Expunged> {
    return expunge(this.#repo, options)
  }

  /** Checks all of the store; what is wrong is in `findings`. */
  fsck(): Promise<Fsck> {
    return fsck(this.#repo)
  }

  /** Lets the store go: what begins later is refused with `closed`. */
  close(): Promise<void> {
    return this.#repo.close()
  }
}

import type { Oid } from '../model/encoding/oid.ts'
import { createSession, type NewSession } from '../ops/append/append.ts'
import { type ChangesOptions, changes, type StoreChange } from '../ops/changes.ts'
import { type CompareOptions, type Comparison, compare } from '../ops/compare.ts'
import {
  type ComparedContexts,
  type ContextCompareOptions,
  type ContextDiff,
  compareContexts,
  diffContexts,
} from '../ops/context/compare.ts'
import { type Diff, type DiffStat, diff, diffStat, mergeBaseOf } from '../ops/diff.ts'
import { type DiscoverOptions, discoverSessions } from '../ops/discover.ts'
import type { LogEntry } from '../ops/entries.ts'
import { type EventName, type Handler, listenersOf } from '../ops/events.ts'
import { type ExportedSession, type ExportFileOptions, exportedSession } from '../ops/export/destinations.ts'
import { type ExportOptions, exportSession } from '../ops/export/export.ts'
import { type ForkOptions, fork } from '../ops/fork.ts'
import { type Fsck, fsck } from '../ops/fsck/fsck.ts'
import { type Grafting, relink } from '../ops/graft.ts'
import { type Handoff, handoff } from '../ops/handoff.ts'
import { type ListedRow, type ListOptions, listSessions } from '../ops/list.ts'
import { type LogOptions, log } from '../ops/log.ts'
import { type Merged, type MergeOptions, merge } from '../ops/merge.ts'
import { type LoggedOperation, type MovedSince, movedSince, operations } from '../ops/operations.ts'
import { type RereadOptions, type RereadResult, rereadSources } from '../ops/reread/reread.ts'
import { type Resume, type ResumeOptions, resumeOf } from '../ops/resume.ts'
import { revParse } from '../ops/revparse.ts'
import { type SelectOptions, select } from '../ops/revset/run.ts'
import { type Found, type SearchOptions, search } from '../ops/search/search.ts'
import { type Expunged, type ExpungeOptions, expunge } from '../ops/secrets/expunge.ts'
import { type Redacted, type RedactOptions, redact } from '../ops/secrets/redact.ts'
import { type FoundSecret, type ScanOptions, scan } from '../ops/secrets/scan.ts'
import { type Shown, show } from '../ops/show.ts'
import {
  type Stats,
  stats,
  type UsageGroup,
  type UsageOptions,
  type UsageStats,
  usageBy,
} from '../ops/stats.ts'
import type { SummaryOptions } from '../ops/summarize.ts'
import { redo, type Turned, type UndoOptions, undo } from '../ops/undo.ts'
import { type FollowOptions, follow, type WatchEvent } from '../ops/watch.ts'
import { thisMachine } from '../repo/environment.ts'
import type { Repo } from '../repo/repo.ts'
import { resolveSession } from '../repo/revision.ts'
import { allSessions } from '../repo/session.ts'
import type { DiscoveredFiles } from '../sources/sessionfolders.ts'
import { type CallOptions, contextOf } from './call.ts'
import { type ContextForm, type ContextForms, type ContextQuery, contextAt } from './context.ts'
import { Pages } from './pages.ts'
import type { Session } from './session.ts'
import { sessionOf } from './session.ts'
import { type OpenOptions, openFolder, SessionStore } from './sessionstore.ts'

/**
 * Opens the store in a folder; with `create` it is created if there is none. The database is held only while it is used,
 * so other processes can use it in between. Throws `no-store`, `not-a-store`, `newer-store`, `older-store`, `busy` or `corrupt`.
 */
export const openStore = (dir: string, options?: OpenOptions): Promise<Store> => Store.open(dir, options)

/**
 * An open store. A revision is text that names an entry, as on the command line: `session`, `session/branch`, an oid or a
 * prefix of one, `@`, then `~N`, `^N`, `@{N}`, `@{TIME}`. Every method throws `closed` after `close`.
 */
export class Store extends SessionStore {
  readonly #repo: Repo
  /** Its lists, in pages. */
  readonly pages: Pages

  protected constructor(repo: Repo) {
    super(repo)
    this.#repo = repo
    this.pages = Pages.of(repo)
  }

  /** Opens the store in a folder, as `openStore` does. */
  static override async open(dir: string, options?: OpenOptions): Promise<Store> {
    return new Store(await openFolder(dir, options))
  }

  /**
   * Returns the store as a call sees it, to be used and dropped: its methods, and those of the sessions that it returns,
   * stop with `stopped` when the signal aborts, and name the caller in the operation log. Only a dry run is to be closed.
   */
  call(options: CallOptions): Store {
    return new Store(this.#repo.call(contextOf(options)))
  }

  /** Creates an empty session, whose id is a UUID of version 7. */
  async createSession(options: NewSession = {}): Promise<Session> {
    return sessionOf(this.#repo, await createSession(this.#repo, options))
  }

  /** Returns the session with an id, a title, or a prefix of an id. Throws `no-session` or `ambiguous-revision`. */
  async session(name: string): Promise<Session> {
    const found = await this.#repo.read((reader) => resolveSession(reader, name))
    return sessionOf(this.#repo, found.id)
  }

  /** Returns all sessions, sorted by id. */
  async sessions(): Promise<Session[]> {
    const ids: string[] = []
    await this.#repo.read(async (reader) => {
      for await (const session of allSessions(reader)) ids.push(session.id)
    })
    return ids.map((id) => sessionOf(this.#repo, id))
  }

  /** Returns title, counts, branches and times of sessions, the last changed first, without reading entries. */
  async list(options: ListOptions = {}): Promise<readonly ListedRow[]> {
    return [...(await listSessions(this.#repo, options)).rows()]
  }

  /**
   * Creates a session that shares the path of the entry that a revision names; nothing is copied. Throws as `resolve`,
   * and `no-prompt` with `before` for an entry that is no message of the user.
   */
  async fork(revision: string, options: ForkOptions = {}): Promise<Session> {
    return sessionOf(this.#repo, (await fork(this.#repo, revision, options)).session)
  }

  /**
   * Merges a revision into a branch: into where the session of the folder is, unless the options say otherwise. Throws
   * as `resolve`, `no-branch`, and `diverged` where only a move forward is allowed.
   */
  merge(revision: string, options: MergeOptions = {}): Promise<Merged> {
    return merge(this.#repo, revision, options)
  }

  /** Returns the oid that a revision names. Throws `no-revision`, `ambiguous-revision`, `empty-session`, `no-entry`. */
  resolve(revision: string): Promise<Oid> {
    return revParse(this.#repo, revision)
  }

  /**
   * Yields the entries that a revision or a range (`A..B`, `A...B`) reaches, children before parents. Throws as
   * `resolve`.
   */
  log(revision: string, options: LogOptions = {}): AsyncIterable<LogEntry> {
    return log(this.#repo, revision, options)
  }

  /**
   * Yields the entries that an expression selects, children before parents (docs/search.md): of the session that is
   * named, `@` by default, or `everywhere`. Throws `bad-expression` with the position in `at`, and as `resolve`.
   */
  select(expression: string, options: SelectOptions = {}): AsyncIterable<LogEntry> {
    return select(this.#repo, expression, options)
  }

  /** Returns one entry with its view, its body and its record. Throws as `resolve`, and `corrupt`. */
  show(revision: string): Promise<Shown> {
    return show(this.#repo, revision)
  }

  /**
   * Searches the entries for a query (docs/search.md) and returns the best hits first, 20 by default. Throws
   * `bad-query`, and as `session` where the query names one.
   */
  search(query: string, options: SearchOptions = {}): Promise<Found> {
    return search(this.#repo, query, options)
  }

  /** Returns what the model sees at a revision, in the form that is asked for, as `Session.context` does. */
  context<F extends ContextForm = 'json'>(
    revision: string,
    query?: ContextQuery<F>,
  ): Promise<ContextForms[F]> {
    return contextAt<F>(this.#repo, revision, query ?? {})
  }

  /** Compares two contexts from their beginning: how far they are the same. Throws as `resolve`. */
  compareContexts(a: string, b: string, options: ContextCompareOptions = {}): Promise<ComparedContexts> {
    return compareContexts(this.#repo, a, b, options)
  }

  /** Returns the messages that left the context from one revision to another, and those that came. Throws as `resolve`. */
  diffContexts(a: string, b: string): Promise<ContextDiff> {
    return diffContexts(this.#repo, a, b)
  }

  /** Returns the best common ancestor of two revisions, or null if there is none. Throws as `resolve`. */
  mergeBase(a: string, b: string): Promise<Oid | null> {
    return mergeBaseOf(this.#repo, a, b)
  }

  /**
   * Returns the fork point of two revisions, the entries of each since then in path order, and which entries correspond.
   * One argument may be a range: for `A...B` the merge base and `B` are compared. Throws as `resolve`, and `bad-usage`.
   */
  diff(a: string, b?: string): Promise<Diff> {
    return diff(this.#repo, a, b)
  }

  /** Counts how much two revisions, or a range, differ by: entries, characters and tokens, by role and by tool. */
  diffStat(a: string, b?: string): Promise<DiffStat> {
    return diffStat(this.#repo, a, b)
  }

  /**
   * Sums up what two or more revisions took since their last common entry, or with `whole` from their roots: messages,
   * tokens, cost in US dollars; the differences of each pair, and the one with the lowest cost or other metric. Throws
   * as `resolve`, and `bad-usage` for fewer than two.
   */
  compare(revisions: readonly string[], options: CompareOptions = {}): Promise<Comparison> {
    return compare(this.#repo, revisions, options)
  }

  /**
   * Returns markdown that tells a new session what it needs to continue a session, or another revision, for a goal: from
   * a digest unless a text or a summarizer is passed. Throws as `resolve`, and `bad-summary`.
   */
  handoff(goal: string, revision: string | Session, options: SummaryOptions = {}): Promise<Handoff> {
    return handoff(this.#repo, goal, nameOf(revision), options)
  }

  /**
   * Reads stored sources again where this version has a newer reading, as `sess import --reread` does: those of the
   * sessions that are named by a path or a revision, or all. Branches, labels, forks and grafts follow; old entries stay,
   * and `map` maps them to the new ones. One operation. Throws as `session`.
   */
  reread(names: string | readonly string[] = [], options: RereadOptions = {}): Promise<RereadResult> {
    return rereadSources(this.#repo, typeof names === 'string' ? [names] : names, options)
  }

  /** Grafts entries with unresolved parents to the sessions that hold these, as `sess fsck --relink` does. One operation. */
  relink(): Promise<Grafting[]> {
    return relink(this.#repo)
  }

  /**
   * Yields the bytes of a session: its source as it was imported; with a `format`, a `branch` or a subtree `below` an
   * entry, and where it came from no file, its entries as that format has them. `onLoss` is called with each thing that
   * the format cannot carry. Throws `no-session`, `no-format`, or as `resolve`.
   */
  export(session: string | Session, options: ExportOptions = {}): AsyncIterable<Uint8Array> {
    return exportSession(this.#repo, nameOf(session), options)
  }

  /**
   * Writes a session to a new file or folder `path`, or with `toAgent` where the agent of its format looks, and records
   * what each line stands for: when the agent continues that file, an import continues the session. `losses` lists what
   * the format cannot carry. Throws as `export`, `exists`, `no-agent`.
   */
  exportFile(session: string | Session, options: ExportFileOptions): Promise<ExportedSession> {
    return exportedSession(this.#repo, nameOf(session), options)
  }

  /**
   * Returns the command that resumes a session in its agent, or in one that it was exported to; nothing is run. Throws
   * `no-session`, `no-agent`, and `not-at-agent` where the file is not where the agent looks.
   */
  resume(session: string | Session, options: ResumeOptions = {}): Promise<Resume> {
    return resumeOf(this.#repo, nameOf(session), { ...thisMachine(), ...options })
  }

  /** Returns the session files that agents keep on this machine, unread. Throws `bad-usage` for an unknown agent. */
  discover(options: Partial<DiscoverOptions> = {}): readonly DiscoveredFiles[] {
    return discoverSessions(this.#repo, { ...thisMachine(), ...options })
  }

  /**
   * Imports what agents keep on this machine, or what `paths` name, and then what is written there, until the signal
   * aborts. An event is yielded once the store holds what it reports. Throws `bad-usage` and `no-path`.
   */
  watch(options: FollowOptions): AsyncIterable<WatchEvent> {
    return follow(this.#repo, options)
  }

  /**
   * Calls a handler before or after changes through this store, until the returned function is called: `append`, `switch`,
   * `tree` (navigate and pop), `branch`, `fork`, `compact`, and each with `before-`. A handler of `before-…` may cancel the
   * change, provide the summary or attach a label; what it throws is thrown to the caller, and nothing is changed. Errors
   * of the other handlers go to those of `error`. Handlers may be asynchronous and use the store.
   */
  on<N extends EventName>(name: N, handler: Handler<N>): () => void {
    return listenersOf(this.#repo).on(name, handler)
  }

  /**
   * Undoes the newest operation that is not undone yet, or the one that is named: each ref that it moved gets its old
   * value. Without a name, a call by a person (`call({ actor: 'person' })`) counts the operations of persons alone. Throws
   * `nothing-to-undo`, `no-operation`, and `conflict` where something else moved one since.
   */
  undo(options: Pick<UndoOptions, 'operation' | 'session'> = {}): Promise<Turned> {
    return undo(this.#repo, { ...options, any: this.#repo.caller.actor === 'program' })
  }

  /** Redoes what was undone last. Throws `nothing-to-redo`, and `conflict` as `undo` does. */
  redo(): Promise<Turned> {
    return redo(this.#repo)
  }

  /** Yields the operations, the newest first, `limit` of them at most. */
  operations(options: { readonly limit?: number } = {}): AsyncIterable<LoggedOperation> {
    return operations(this.#repo, options)
  }

  /**
   * Returns the refs that moved since an operation (0 is the beginning), and the newest operation: a reader that passes
   * it the next time misses no move. Throws `no-operation`.
   */
  movedSince(operation: number): Promise<MovedSince> {
    return movedSince(this.#repo, operation)
  }

  /**
   * Yields what moves in the store, whichever process moves it, in the order of commits, until the signal aborts. With
   * `since`, the cursor of a change, what moved after it comes first, and nothing is missed. Throws `no-operation` for a
   * cursor of which the operations were dropped.
   */
  changes({
    signal,
    ...options
  }: ChangesOptions & Pick<CallOptions, 'signal'> = {}): AsyncIterable<StoreChange> {
    return changes(this.#repo.call({ signal }), options)
  }

  /** Counts sessions, records, entries, blobs and bytes. Reads the whole index. */
  stats(): Promise<Stats> {
    return stats(this.#repo)
  }

  /**
   * Sums the tokens and the cost of all model calls by day, project, agent or model. A cost that no agent recorded is
   * computed by the list prices of the models.
   */
  usage(by: UsageGroup, options: UsageOptions = {}): Promise<UsageStats> {
    return usageBy(this.#repo, by, options)
  }

  /** Yields the secrets that `find` finds, as `loadSecretList` returns it. Throws `no-revision`. */
  scan(options: ScanOptions): AsyncIterable<FoundSecret> {
    return scan(this.#repo, options)
  }

  /** Copies a session without its secrets. Throws `no-session`. */
  redact(session: string, options: RedactOptions): Promise<Redacted> {
    return redact(this.#repo, session, options)
  }

  /**
   * Removes the content of entries, or secrets wherever they occur, for good; every oid stays. It cannot be undone, and
   * a later import does not bring it back. Throws `guessable-secret` where the digests that stay would reveal it, unless
   * `force` is set, `no-secret`, `no-entry`, and as `resolve`.
   */
  expunge(options: ExpungeOptions): Promise<Expunged> {
    return expunge(this.#repo, options)
  }

  /** Verifies the whole store; problems are in `findings`. */
  fsck(): Promise<Fsck> {
    return fsck(this.#repo)
  }
}

const nameOf = (session: string | Session): string => (typeof session === 'string' ? session : session.id)

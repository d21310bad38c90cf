import type { Oid } from '../model/encoding/oid.ts'
import { defined } from '../model/json.ts'
import { discoverSessions } from '../ops/discover.ts'
import { type EventName, type Handler, listenersOf } from '../ops/events.ts'
import { type MovedSince, movedSince } from '../ops/operations.ts'
import { findSessionId, listSessionIds } from '../ops/sessionids.ts'
import { follow } from '../ops/watch.ts'
import type { VerbName } from '../verbs/index.ts'
import { withUsual } from '../verbs/input.ts'
import { contextOf, type Store as OpenStore } from '../verbs/open.ts'
import { thisMachine } from '../verbs/surroundings.ts'
import type { Terms, Written } from '../verbs/verb.ts'
import { type CallOptions, callOf } from './call.ts'
import { type ContextForm, type ContextForms, type ContextQuery, contextAt } from './context.ts'
import { Pages } from './pages.ts'
import { performVerb, resultOf, summaryParts, type VerbInput, type VerbResult } from './perform.ts'
import { exportOf, logOf, secretsOf, selected } from './reading.ts'
import { type Session, sessionOf } from './session.ts'
import { type OpenOptions, openFolder, SessionStore } from './sessionstore.ts'
import type {
  AgentFiles,
  ChangesOptions,
  CompareOptions,
  ContextCompareOptions,
  DiscoverOptions,
  ExportedSession,
  ExportFileOptions,
  ExportOptions,
  Expunged,
  ExpungeOptions,
  FollowOptions,
  ForkOptions,
  Found,
  FoundSecret,
  ListedRow,
  ListOptions,
  LogEntry,
  LoggedOperation,
  LogOptions,
  MergeOptions,
  NewSession,
  Redacted,
  RedactOptions,
  RereadOptions,
  RereadResult,
  ResumeOptions,
  ScanOptions,
  SearchOptions,
  SelectOptions,
  StoreChange,
  SummaryOptions,
  UndoOptions,
  UsageGroup,
  UsageOptions,
  WatchEvent,
} from './types.ts'

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
  readonly #store: OpenStore
  /** Its lists, in pages. */
  readonly pages: Pages

  protected constructor(store: OpenStore) {
    super(store)
    this.#store = store
    this.pages = Pages.of(store)
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
    return new Store(this.#store.call(callOf(options)))
  }

  /**
   * Performs a verb by its name: what the methods do, and all else that every interface can do. The terms of a write are
   * the values that it was decided on (`expected`) and a `key`, by which a repeated call is done once. Returns the
   * operation, null where it makes none, and the result, null for a repeated call. Throws as the verb, and `conflict`
   * where something else than the expected holds.
   */
  perform<N extends VerbName>(
    verb: N,
    input: VerbInput<N>,
    terms: Terms = {},
  ): Promise<Written<VerbResult<N>>> {
    return performVerb(this.#store, verb, input, terms)
  }

  /** Creates an empty session, whose id is a UUID of version 7. */
  async createSession(options: NewSession = {}): Promise<Session> {
    const { createSession } = await import('../ops/append/append.ts')
    return sessionOf(this.#store, await createSession(this.#store, options))
  }

  /** Returns the session with an id, a title, or a prefix of an id. Throws `no-session` or `ambiguous-revision`. */
  async session(name: string): Promise<Session> {
    return sessionOf(this.#store, await findSessionId(this.#store, name))
  }

  /** Returns all sessions, sorted by id. */
  async sessions(): Promise<Session[]> {
    return (await listSessionIds(this.#store)).map((id) => sessionOf(this.#store, id))
  }

  /** Returns title, counts, branches and times of sessions, the last changed first, without reading entries. */
  async list({ priceOf, ...options }: ListOptions = {}): Promise<readonly ListedRow[]> {
    const { listing, ls } = await import('../verbs/ls.ts')
    const context = contextOf(this.#store, defined({ priceOf }))
    return [...(await listing(context, withUsual(ls.input, options))).rows()]
  }

  /**
   * Creates a session that shares the path of the entry that a revision names; nothing is copied. Throws as `resolve`,
   * and `no-prompt` with `before` for an entry that is no message of the user.
   */
  async fork(revision: string, options: ForkOptions = {}): Promise<Session> {
    const { session } = await resultOf(this.#store, 'fork', { ...options, revision })
    return sessionOf(this.#store, session)
  }

  /**
   * Merges a revision into a branch: into where the session of the folder is, unless the options say otherwise. Throws
   * as `resolve`, `no-branch`, and `diverged` where only a move forward is allowed.
   */
  merge(revision: string, options: MergeOptions = {}): Promise<VerbResult<'merge'>> {
    return resultOf(this.#store, 'merge', { ...options, revision })
  }

  /** Returns the oid that a revision names. Throws `no-revision`, `ambiguous-revision`, `empty-session`, `no-entry`. */
  async resolve(revision: string): Promise<Oid> {
    const { parseRevision } = await import('../verbs/rev-parse.ts')
    return (await parseRevision({ repo: this.#store }, revision, false)).oid
  }

  /** Yields the entries that a revision or a range (`A..B`, `A...B`) reaches, children before parents. Throws as `resolve`. */
  log(revision: string, options: LogOptions = {}): AsyncIterable<LogEntry> {
    return logOf(this.#store, revision, options)
  }

  /**
   * Yields the entries that an expression selects, children before parents (docs/search.md): of the session that is
   * named, `@` by default, or `everywhere`. Throws `bad-expression` with the position in `at`, and as `resolve`.
   */
  select(expression: string, options: SelectOptions = {}): AsyncIterable<LogEntry> {
    return selected(this.#store, expression, options)
  }

  /** Returns one entry with its view, its body and its record. Throws as `resolve`, and `corrupt`. */
  show(revision: string): Promise<VerbResult<'show'>> {
    return resultOf(this.#store, 'show', { revision })
  }

  /**
   * Searches the entries for a query (docs/search.md) and returns the best hits first, 20 by default. Throws
   * `bad-query`, and as `session` where the query names one.
   */
  async search(query: string, { zone, ...options }: SearchOptions = {}): Promise<Found> {
    const { found, search } = await import('../verbs/search.ts')
    const input = withUsual(search.input, { ...options, query: [query] })
    return found(contextOf(this.#store, defined({ zone })), input)
  }

  /** Returns what the model sees at a revision, in the form that is asked for, as `Session.context` does. */
  context<F extends ContextForm = 'json'>(
    revision: string,
    query?: ContextQuery<F>,
  ): Promise<ContextForms[F]> {
    return contextAt<F>(this.#store, revision, query ?? {})
  }

  /** Compares two contexts from their beginning: how far they are the same. Throws as `resolve`. */
  compareContexts(
    a: string,
    b: string,
    options: ContextCompareOptions = {},
  ): Promise<VerbResult<'context-compare'>> {
    return resultOf(this.#store, 'context-compare', { ...options, other: a, revision: b })
  }

  /** Returns the messages that left the context from one revision to another, and those that came. Throws as `resolve`. */
  diffContexts(a: string, b: string): Promise<VerbResult<'context-diff'>> {
    return resultOf(this.#store, 'context-diff', { a, b })
  }

  /** Returns the best common ancestor of two revisions, or null if there is none. Throws as `resolve`. */
  mergeBase(a: string, b: string): Promise<Oid | null> {
    return resultOf(this.#store, 'merge-base', { a, b })
  }

  /**
   * Returns the fork point of two revisions, the entries of each since then in path order, and which entries correspond.
   * One argument may be a range: for `A...B` the merge base and `B` are compared. Throws as `resolve`, and `bad-usage`.
   */
  diff(a: string, b?: string): Promise<VerbResult<'diff'>> {
    return resultOf(this.#store, 'diff', { a, b })
  }

  /** Counts how much two revisions, or a range, differ by: entries, characters and tokens, by role and by tool. */
  diffStat(a: string, b?: string): Promise<VerbResult<'diff-stat'>> {
    return resultOf(this.#store, 'diff-stat', { a, b })
  }

  /**
   * Sums up what two or more revisions took since their last common entry, or with `whole` from their roots: messages,
   * tokens, cost in US dollars; the differences of each pair, and the one with the lowest cost or other metric. Throws
   * as `resolve`, and `bad-usage` for fewer than two.
   */
  compare(
    revisions: readonly string[],
    { priceOf, ...options }: CompareOptions = {},
  ): Promise<VerbResult<'compare'>> {
    return resultOf(this.#store, 'compare', { ...options, revisions }, defined({ priceOf }))
  }

  /**
   * Returns markdown that tells a new session what it needs to continue a session, or another revision, for a goal: from
   * a digest unless a text or a summarizer is passed. Throws as `resolve`, and `bad-summary`.
   */
  handoff(
    goal: string,
    revision: string | Session,
    { summary, ...how }: SummaryOptions = {},
  ): Promise<VerbResult<'handoff'>> {
    const given = { goal, revision: nameOf(revision), summary }
    return resultOf(this.#store, 'handoff', given, summaryParts(how))
  }

  /**
   * Reads stored sources again where this version has a newer reading, as `sess import --reread` does: those of the
   * sessions that are named by a path or a revision, or all. Branches, labels, forks and grafts follow; old entries stay,
   * and `map` maps them to the new ones. One operation. Throws as `session`.
   */
  async reread(names: string | readonly string[] = [], options: RereadOptions = {}): Promise<RereadResult> {
    const { rereadWith } = await import('../verbs/reread.ts')
    return rereadWith(this.#store, typeof names === 'string' ? [names] : names, options)
  }

  /** Grafts entries with unresolved parents to the sessions that hold these, as `sess fsck --relink` does. One operation. */
  relink(): Promise<VerbResult<'fsck-relink'>> {
    return resultOf(this.#store, 'fsck-relink', {})
  }

  /**
   * Yields the bytes of a session: its source as it was imported; with a `format`, a `branch` or a subtree `below` an
   * entry, and where it came from no file, its entries as that format has them. `onLoss` is called with each thing that
   * the format cannot carry. Throws `no-session`, `no-format`, or as `resolve`.
   */
  export(session: string | Session, options: ExportOptions = {}): AsyncGenerator<Uint8Array> {
    return exportOf(this.#store, nameOf(session), options)
  }

  /**
   * Writes a session to a new file or folder `path`, or with `toAgent` where the agent of its format looks, and records
   * what each line stands for: when the agent continues that file, an import continues the session. `losses` lists what
   * the format cannot carry. Throws as `export`, `exists`, `no-agent`.
   */
  async exportFile(session: string | Session, options: ExportFileOptions): Promise<ExportedSession> {
    const { exportedSession } = await import('../ops/export/destinations.ts')
    return exportedSession(this.#store, nameOf(session), options)
  }

  /**
   * Returns the command that resumes a session in its agent, or in one that it was exported to; nothing is run. Throws
   * `no-session`, `no-agent`, and `not-at-agent` where the file is not where the agent looks.
   */
  resume(
    session: string | Session,
    { format, ...machine }: ResumeOptions = {},
  ): Promise<VerbResult<'resume'>> {
    const given = { session: nameOf(session), format }
    return resultOf(this.#store, 'resume', given, { machine: { ...thisMachine(), ...machine } })
  }

  /** Returns the session files that agents keep on this machine, unread. Throws `bad-usage` for an unknown agent. */
  discover(options: Partial<DiscoverOptions> = {}): readonly AgentFiles[] {
    return discoverSessions(this.#store, { ...thisMachine(), ...options })
  }

  /**
   * Imports what agents keep on this machine, or what `paths` name, and then what is written there, until the signal
   * aborts. An event is yielded once the store holds what it reports. Throws `bad-usage` and `no-path`.
   */
  watch(options: FollowOptions): AsyncIterable<WatchEvent> {
    return follow(this.#store, options)
  }

  /**
   * Calls a handler before or after changes through this store, until the returned function is called: `append`, `switch`,
   * `tree` (navigate and pop), `branch`, `fork`, `compact`, and each with `before-`. A handler of `before-…` may cancel the
   * change, provide the summary or attach a label; what it throws is thrown to the caller, and nothing is changed. Errors
   * of the other handlers go to those of `error`. Handlers may be asynchronous and use the store.
   */
  on<N extends EventName>(name: N, handler: Handler<N>): () => void {
    return listenersOf(this.#store).on(name, handler)
  }

  /**
   * Undoes the newest operation that is not undone yet, or the one that is named: each ref that it moved gets its old
   * value. Without a name, a call by a person (`call({ actor: 'person' })`) counts the operations of persons alone. Throws
   * `nothing-to-undo`, `no-operation`, and `conflict` where something else moved one since.
   */
  undo(options: Pick<UndoOptions, 'operation' | 'session'> = {}): Promise<VerbResult<'undo'>> {
    return resultOf(this.#store, 'undo', { ...options, any: this.#store.caller.actor === 'program' })
  }

  /** Redoes what was undone last. Throws `nothing-to-redo`, and `conflict` as `undo` does. */
  redo(): Promise<VerbResult<'redo'>> {
    return resultOf(this.#store, 'redo', {})
  }

  /** Yields the operations, the newest first, `limit` of them at most. */
  async *operations({ limit }: { readonly limit?: number } = {}): AsyncGenerator<LoggedOperation> {
    const { opLog } = await import('../verbs/op-log.ts')
    yield* opLog.items(contextOf(this.#store), { refs: [], ...defined({ limit }) })
  }

  /**
   * Returns the refs that moved since an operation (0 is the beginning), and the newest operation: a reader that passes
   * it the next time misses no move. Throws `no-operation`.
   */
  movedSince(operation: number): Promise<MovedSince> {
    return movedSince(this.#store, operation)
  }

  /**
   * Yields what moves in the store, whichever process moves it, in the order of commits, until the signal aborts. With
   * `since`, the cursor of a change, what moved after it comes first, and nothing is missed. Throws `no-operation` for a
   * cursor of which the operations were dropped.
   */
  async *changes({
    signal,
    ...options
  }: ChangesOptions & Pick<CallOptions, 'signal'> = {}): AsyncGenerator<StoreChange> {
    const { changes } = await import('../verbs/changes.ts')
    yield* changes.events(contextOf(this.#store, defined({ signal })), options)
  }

  /** Counts sessions, records, entries, blobs and bytes. Reads the whole index. */
  stats(): Promise<VerbResult<'stats'>> {
    return resultOf(this.#store, 'stats', {})
  }

  /**
   * Sums the tokens and the cost of all model calls by day, project, agent or model. A cost that no agent recorded is
   * computed by the list prices of the models.
   */
  usage(by: UsageGroup, options: UsageOptions = {}): Promise<VerbResult<'usage'>> {
    return resultOf(this.#store, 'usage', { by }, options)
  }

  /** Yields the secrets that `find` finds, the rules of `loadSecretList` by default. Throws `no-revision`. */
  scan(options: ScanOptions = {}): AsyncGenerator<FoundSecret> {
    return secretsOf(this.#store, options)
  }

  /** Copies a session without its secrets. Throws `no-session`. */
  redact(
    session: string,
    { find: findSecrets, secrets: secret = [] }: RedactOptions = {},
  ): Promise<Redacted> {
    return resultOf(this.#store, 'redact', { session, secret }, defined({ findSecrets }))
  }

  /**
   * Removes the content of entries, or secrets wherever they occur, for good; every oid stays. It cannot be undone, and
   * a later import does not bring it back. Throws `guessable-secret` where the digests that stay would reveal it, unless
   * `force` is set, `no-secret`, `no-entry`, and as `resolve`.
   */
  expunge(options: ExpungeOptions): Promise<Expunged> {
    const { entries: entry = [], marks: mark = [], secrets: secret = [], ...rest } = options
    const { find: findSecrets, onProgress, ...how } = rest
    const parts = defined({ findSecrets, onProgress })
    return resultOf(this.#store, 'expunge', { ...how, entry, mark, secret }, parts)
  }

  /** Verifies the whole store; problems are in `findings`. */
  fsck(): Promise<VerbResult<'fsck'>> {
    return resultOf(this.#store, 'fsck', {})
  }
}

const nameOf = (session: string | Session): string => (typeof session === 'string' ? session : session.id)

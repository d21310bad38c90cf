import type { Oid } from '../model/encoding/oid.ts'
import { SessError } from '../model/errors.ts'
import { defined, type Json } from '../model/json.ts'
import type { PlanStep } from '../model/plan.ts'
import { fromValue } from '../model/value.ts'
import type { Role, Usage } from '../model/view.ts'
import { type EventName, type Events, type Handler, listenersOf } from '../ops/events.ts'
import { sessionInfo } from '../ops/list.ts'
import { tipOfSession } from '../ops/sessionids.ts'
import { appendTo } from '../verbs/append.ts'
import type { Append } from '../verbs/entry.ts'
import type { Store } from '../verbs/open.ts'
import type { Page } from '../verbs/page.ts'
import { type ContextForm, type ContextForms, type ContextQuery, contextAt } from './context.ts'
import { resultOf, summaryParts, type VerbResult } from './perform.ts'
import { logOf, logPageOf } from './reading.ts'
import type {
  AppendTo,
  Branch,
  BranchList,
  BranchListOptions,
  CompactOptions,
  EditOptions,
  ForkOptions,
  Label,
  LabelOptions,
  ListedBranch,
  ListedSession,
  ListOptions,
  LogEntry,
  LogOptions,
  LogPageOptions,
  MergeOptions,
  PickOptions,
  PopOptions,
  RebaseOptions,
  Removed,
  Switched,
  TreeMove,
  TreeOptions,
  TreeView,
  TreeViewOptions,
} from './types.ts'

/** The body of a `sess/message`. */
export interface MessageBody {
  readonly role: Role
  /** A text, or blocks such as `{ type: 'text', text }` and `{ type: 'toolCall', id, name, arguments }`. */
  readonly content: string | readonly object[]
  /** The model that wrote it, and who provides the model: a price needs them. */
  readonly model?: string
  readonly provider?: string
  /** The tokens that the model call took, and its cost in US dollars. */
  readonly usage?: Usage
}

/** An entry to append whose type is known: a message has a `MessageBody`, any other type takes any JSON value. */
export interface EntryInput<T extends string = 'sess/message'> {
  /** `<dialect>/<kind>`, or a kind of sess's own; `sess/message` by default. */
  readonly type?: T
  readonly body: T extends 'message' | 'sess/message' ? MessageBody : unknown
  /** When it was said, in milliseconds since 1970; now by default. */
  readonly time?: number
  /** Its id in the system that it comes from: `session:id` names it in revisions. */
  readonly native?: string
}

/** An entry to append: a message, or a body of another type. */
export type AppendInput =
  | EntryInput<'message' | 'sess/message'>
  | (Omit<EntryInput, 'type' | 'body'> & { readonly type: string; readonly body: unknown })

/** Returns the session with an id, which is not looked up. */
export let sessionOf: (store: Store, id: string) => Session

/**
 * A session of an open store. It holds no state but its id: each call reads what is true at that moment. Every method
 * throws `no-session` once the session is removed, and `closed` once the store is closed.
 */
export class Session {
  readonly id: string
  readonly #store: Store

  private constructor(store: Store, id: string) {
    this.#store = store
    this.id = id
  }

  static {
    sessionOf = (store: Store, id: string): Session => new Session(store, id)
  }

  /**
   * Appends an entry to the current branch, or to another one. Returns its oid once it is durable. Throws as
   * `appendAll`.
   */
  async append<T extends string = 'sess/message'>(
    entry: EntryInput<T>,
    options: AppendTo = {},
  ): Promise<Oid> {
    const { oids } = await this.#append([jsonOf(entry)], options)
    return oids[0] as Oid
  }

  /**
   * Appends entries one after the other, all of them or none. Returns their oids once they are durable. Throws
   * `bad-entry`, `no-branch`, and `conflict` where the tip is not `expected`.
   */
  async appendAll(entries: readonly AppendInput[], options: AppendTo = {}): Promise<Oid[]> {
    return (await this.#append(entries.map(jsonOf), options)).oids
  }

  #append(entry: readonly Append[], options: AppendTo): ReturnType<typeof appendTo> {
    return appendTo({ repo: this.#store }, { ...options, session: this.id, entry })
  }

  /** Returns the oid of the entry that the session is at, or null while it has none. */
  tip(): Promise<Oid | null> {
    return tipOfSession(this.#store, this.id)
  }

  /** Returns title, counts, branches, cost and times of the session, as `Store.list` does. */
  info(options?: Pick<ListOptions, 'priceOf'>): Promise<ListedSession> {
    return sessionInfo(this.#store, this.id, options)
  }

  /** Yields the entries of the current branch, or of all branches with `all`, children before parents. */
  log(options: LogOptions = {}): AsyncIterable<LogEntry> {
    return logOf(this.#store, this.id, options)
  }

  /** Returns a page of what `log` yields, as `Store.logPage` does. */
  logPage(options: LogPageOptions = {}): Promise<Page<LogEntry>> {
    return logPageOf(this.#store, this.id, options)
  }

  /**
   * Returns the tree of the session as rows, parents before children, of which windows are read. Throws `empty-session`.
   */
  async tree(options: TreeViewOptions = {}): Promise<TreeView> {
    const { openTree } = await import('../verbs/tree.ts')
    return openTree(this.#store, this.id, options)
  }

  /**
   * Returns what the model sees at the tip, or at the revision `at`. With `format: 'pi'` as `buildSessionContext` of pi
   * returns it, with `anthropic`, `openai` or `openai-chat` as a part of a request to that API. Throws as
   * `Store.resolve` for a revision.
   */
  context<F extends ContextForm = 'json'>(
    options?: { readonly at?: string } & ContextQuery<F>,
  ): Promise<ContextForms[F]> {
    const { at = this.id, ...query } = options ?? {}
    return contextAt<F>(this.#store, at, query as ContextQuery<F>)
  }

  /**
   * Replaces the start of the path by a summary, at the tip or at the branch or entry `at`: by a digest, unless a text
   * or a summarizer is passed. Throws `nothing-to-compact`, `cannot-keep`, `bad-summary`, `cancelled`, and `conflict`
   * where the branch moved while the summary was made; then nothing is changed.
   */
  compact({
    at: revision = this.id,
    summarize,
    instructions,
    signal,
    ...given
  }: Omit<CompactOptions, 'session'> & { readonly at?: string } = {}): Promise<VerbResult<'compact'>> {
    const parts = summaryParts({ summarize, instructions, signal })
    return resultOf(this.#store, 'compact', { ...given, revision, session: this.id }, parts)
  }

  /** Creates a session that shares the path of the tip, or of the revision `at`. Throws as `Store.fork`. */
  async fork({
    at: revision = this.id,
    ...given
  }: ForkOptions & { readonly at?: string } = {}): Promise<Session> {
    const { session } = await resultOf(this.#store, 'fork', { ...given, revision })
    return new Session(this.#store, session)
  }

  /** Creates a branch at a revision, the tip by default. Throws `exists`, `bad-name`, `empty-session`, `before-first`. */
  branch(name: string, start?: string): Promise<Branch> {
    return resultOf(this.#store, 'branch', { session: this.id, name, start })
  }

  /** Returns the branches sorted by name; the one that the session is on is `current`. */
  async branches(): Promise<ListedBranch[]> {
    const { branchNames } = await import('../verbs/branches.ts')
    return branchNames({ repo: this.#store }, this.id)
  }

  /**
   * Returns the branches with the number of entries that each has of its own since its fork point. With `figures` it
   * reads these entries, to report messages, tokens, cost and last activity.
   */
  branchList({ figures: verbose = false, priceOf }: BranchListOptions = {}): Promise<BranchList> {
    return resultOf(this.#store, 'branches', { session: this.id, verbose }, defined({ priceOf }))
  }

  /** Switches the session to one of its branches, or detached to an entry. Throws as `Store.resolve`. */
  async switch(revision: string): Promise<Switched> {
    const { switchSession } = await import('../verbs/switch.ts')
    return switchSession(this.#store, { revision, session: this.id })
  }

  /**
   * Switches to before the first entry, where the next append begins another root: on `branch`, if one is named.
   * Throws `exists` if there is such a branch, and `bad-name`.
   */
  async switchToRoot(branch?: string): Promise<Switched> {
    const { switchSession } = await import('../verbs/switch.ts')
    return switchSession(this.#store, { session: this.id, create: branch, root: true })
  }

  /**
   * Appends entries of other histories again, a tool call with its result, to the current branch or to another one.
   * Throws as `Store.resolve`, and `no-branch`.
   */
  cherryPick(
    revisions: string | readonly string[],
    options: Omit<PickOptions, 'session'> = {},
  ): Promise<VerbResult<'cherry-pick'>> {
    const revision = typeof revisions === 'string' ? [revisions] : revisions
    return resultOf(this.#store, 'cherry-pick', { ...options, revision, session: this.id })
  }

  /**
   * Merges a revision into the current branch, or into another one. Throws as `Store.resolve`, `no-branch`, and
   * `diverged` where only a move forward is allowed.
   */
  merge(revision: string, options: Omit<MergeOptions, 'session'> = {}): Promise<VerbResult<'merge'>> {
    return resultOf(this.#store, 'merge', { ...options, revision, session: this.id })
  }

  /**
   * Edits the entries that a revision names by a plan, onto a new branch; after a single entry, those up to the tip.
   * Throws `bad-plan`, `exists`, `bad-name`, and as `Store.resolve`.
   */
  edit(
    revision: string,
    plan: readonly PlanStep[],
    options: Omit<EditOptions, 'session'> = {},
  ): Promise<VerbResult<'edit'>> {
    return resultOf(this.#store, 'edit', { ...options, revision, plan, session: this.id })
  }

  /**
   * Appends again to `upstream` the entries of a branch that `upstream` lacks, and moves the branch there. Throws as
   * `Store.resolve`, `no-branch`, `empty-session`.
   */
  rebase(upstream: string, options: Omit<RebaseOptions, 'session'> = {}): Promise<VerbResult<'rebase'>> {
    return resultOf(this.#store, 'rebase', { ...options, upstream, session: this.id })
  }

  /**
   * Moves the session to an entry of its tree, or to before the first with null. A message of the user is moved to the
   * front of: its text is in the result, to be changed and sent again. With a summary, an entry that summarises what was
   * left is appended there. Throws as `Store.resolve`; resolves with `cancelled: true` where a handler cancels.
   */
  navigate(
    revision: string | null,
    { wantsSummary, label, summary, summarize, ...how }: TreeOptions = {},
  ): Promise<TreeMove> {
    const made = wantsSummary === false ? {} : defined({ summary, summarize })
    const given = { label, summary: made.summary, digest: wantsSummary === true, session: this.id }
    const to = revision === null ? { root: true } : { revision }
    const parts = summaryParts({ ...how, summarize: made.summarize })
    return resultOf(this.#store, 'navigate', { ...given, ...to }, parts)
  }

  /** Yields the entries that `navigate` would leave, back to the common ancestor, the oldest first. */
  async *abandoned(revision: string | null): AsyncGenerator<LogEntry> {
    const { entriesLeft } = await import('../verbs/navigate.ts')
    yield* entriesLeft(this.#store, revision, this.id)
  }

  /**
   * Goes back on the path to before the last message of the user, or to an entry on it, and appends a summary of what
   * was left. Throws `nothing-to-pop`, and `no-entry` for an entry that is not on the path.
   */
  pop(
    revision?: string,
    { summarize, instructions, signal, ...given }: Omit<PopOptions, 'session'> = {},
  ): Promise<TreeMove> {
    const parts = summaryParts({ summarize, instructions, signal })
    return resultOf(this.#store, 'pop', { ...given, revision, session: this.id }, parts)
  }

  /**
   * Sets a label on the entry that a revision names, the tip by default. Throws `exists` unless `force` is set,
   * `bad-name`, `empty-session`, `before-first`.
   */
  label(
    name: string,
    revision?: string,
    { force = false }: Pick<LabelOptions, 'force'> = {},
  ): Promise<VerbResult<'label'>> {
    return resultOf(this.#store, 'label', { label: name, revision, session: this.id, force })
  }

  /** Removes a label and returns it. Throws `no-label`. */
  unlabel(name: string): Promise<Label> {
    return resultOf(this.#store, 'label-delete', { label: name, session: this.id })
  }

  /** Returns the labels sorted by name; with `find` those whose name or entry contains a text. */
  labels({ find }: { readonly find?: string } = {}): Promise<VerbResult<'labels'>> {
    return resultOf(this.#store, 'labels', { session: this.id, find })
  }

  /** Sets the title; an empty one clears it. Throws `bad-value`. */
  rename(title: string): Promise<VerbResult<'rename'>> {
    return resultOf(this.#store, 'rename', { session: this.id, title })
  }

  /** Sets keys of the session, or clears them with null, and returns all that are set. Throws `bad-name`, `bad-value`. */
  set(pairs: { readonly [key: string]: string | null }): Promise<VerbResult<'set'>> {
    const pair = Object.entries(pairs).map(([key, value]) => [key, value ?? ''] as const)
    return resultOf(this.#store, 'set', { session: this.id, pair })
  }

  /** Removes the session. Its entries stay, and other sessions that share them. */
  async remove(): Promise<Removed> {
    return (await resultOf(this.#store, 'rm', { session: [this.id] }))[0] as Removed
  }

  /** Registers a handler as `Store.on` does, for the events of this session only. */
  on<N extends SessionEvent>(name: N, handler: Handler<N>): () => void {
    return listenersOf(this.#store).on(name, (event) =>
      event.session === this.id ? handler(event) : undefined,
    )
  }
}

/** The events that name the session they happen in. */
export type SessionEvent = {
  [N in EventName]: Events[N]['event'] extends { readonly session: string } ? N : never
}[EventName]

function jsonOf({ body, ...about }: Omit<Append, 'body'> & { readonly body: unknown }): Append {
  const json: Json | undefined = fromValue(body)
  if (json === undefined) throw new SessError('bad-entry', 'the body is no JSON value')
  return { ...about, body: json }
}

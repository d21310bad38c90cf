import type { Oid } from '../model/encoding/oid.ts'
import { SessError } from '../model/errors.ts'
import type { Json } from '../model/json.ts'
import type { PlanStep } from '../model/plan.ts'
import { fromValue } from '../model/value.ts'
import type { Role, Usage } from '../model/view.ts'
import { append } from '../ops/append/append.ts'
import type { Append, AppendTo } from '../ops/append/request.ts'
import { type Branch, createBranch, type ListedBranch, listBranches } from '../ops/branch.ts'
import { type BranchList, type BranchListOptions, branchList } from '../ops/branchlist.ts'
import { cherryPick, type Picked, type PickOptions } from '../ops/cherrypick.ts'
import { type Compacted, type CompactOptions, compact } from '../ops/compact.ts'
import { type Edited, type EditOptions, edit } from '../ops/edit.ts'
import type { LogEntry } from '../ops/entries.ts'
import { type EventName, type Events, type Handler, listenersOf, type Switched } from '../ops/events.ts'
import { type ForkOptions, fork } from '../ops/fork.ts'
import {
  type Label,
  type Labelled,
  type LabelOptions,
  type ListedLabel,
  listLabels,
  removeLabel,
  setLabel,
} from '../ops/label.ts'
import { type ListedSession, type ListOptions, sessionInfo } from '../ops/list.ts'
import { type LogOptions, log } from '../ops/log.ts'
import { type Merged, type MergeOptions, merge } from '../ops/merge.ts'
import { abandoned, navigate } from '../ops/navigate.ts'
import { type PopOptions, pop } from '../ops/pop.ts'
import { type Rebased, type RebaseOptions, rebase } from '../ops/rebase.ts'
import { type Removed, removeSessions } from '../ops/remove.ts'
import { type Renamed, renameSession } from '../ops/rename.ts'
import { type LogPageOptions, logPage } from '../ops/rows/logpage.ts'
import type { Page } from '../ops/rows/page.ts'
import { TreeView, type TreeViewOptions } from '../ops/rows/treeview.ts'
import { setPairs, type WereSet } from '../ops/setkeys.ts'
import { switchTo, switchToRoot } from '../ops/switch.ts'
import type { TreeMove, TreeOptions } from '../ops/treemove.ts'
import type { Repo } from '../repo/repo.ts'
import { getSession, tipOf } from '../repo/session.ts'
import { type ContextForm, type ContextForms, type ContextQuery, contextAt } from './context.ts'

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
export let sessionOf: (repo: Repo, id: string) => Session

/**
 * A session of an open store. It holds no state but its id: each call reads what is true at that moment. Every method
 * throws `no-session` once the session is removed, and `closed` once the store is closed.
 */
export class Session {
  readonly id: string
  readonly #repo: Repo

  private constructor(repo: Repo, id: string) {
    this.#repo = repo
    this.id = id
  }

  static {
    sessionOf = (repo: Repo, id: string): Session => new Session(repo, id)
  }

  /**
   * Appends an entry to the current branch, or to another one. Returns its oid once it is durable. Throws as
   * `appendAll`.
   */
  async append<T extends string = 'sess/message'>(
    entry: EntryInput<T>,
    options: AppendTo = {},
  ): Promise<Oid> {
    return (await append(this.#repo, this.id, [jsonOf(entry)], options))[0] as Oid
  }

  /**
   * Appends entries one after the other, all of them or none. Returns their oids once they are durable. Throws
   * `bad-entry`, `no-branch`, and `conflict` where the tip is not `expected`.
   */
  appendAll(entries: readonly AppendInput[], options: AppendTo = {}): Promise<Oid[]> {
    return append(this.#repo, this.id, entries.map(jsonOf), options)
  }

  /** Returns the oid of the entry that the session is at, or null while it has none. */
  async tip(): Promise<Oid | null> {
    return tipOf(await this.#repo.read((reader) => getSession(reader, this.id))) ?? null
  }

  /** Returns title, counts, branches, cost and times of the session, as `Store.list` does. */
  info(options?: Pick<ListOptions, 'priceOf'>): Promise<ListedSession> {
    return sessionInfo(this.#repo, this.id, options)
  }

  /** Yields the entries of the current branch, or of all branches with `all`, children before parents. */
  log(options: LogOptions = {}): AsyncIterable<LogEntry> {
    return log(this.#repo, this.id, options)
  }

  /** Returns a page of what `log` yields, as `Store.logPage` does. */
  logPage(options: LogPageOptions = {}): Promise<Page<LogEntry>> {
    return logPage(this.#repo, this.id, options)
  }

  /**
   * Returns the tree of the session as rows, parents before children, of which windows are read. Throws `empty-session`.
   */
  tree(options: TreeViewOptions = {}): Promise<TreeView> {
    return TreeView.open(this.#repo, this.id, options)
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
    return contextAt<F>(this.#repo, at, query as ContextQuery<F>)
  }

  /**
   * Replaces the start of the path by a summary, at the tip or at the branch or entry `at`: by a digest, unless a text
   * or a summarizer is passed. Throws `nothing-to-compact`, `cannot-keep`, `bad-summary`, `cancelled`, and `conflict`
   * where the branch moved while the summary was made; then nothing is changed.
   */
  compact({
    at = this.id,
    ...options
  }: Omit<CompactOptions, 'session'> & { readonly at?: string } = {}): Promise<Compacted> {
    return compact(this.#repo, at, { ...options, session: this.id })
  }

  /** Creates a session that shares the path of the tip, or of the revision `at`. Throws as `Store.fork`. */
  async fork({ at = this.id, ...options }: ForkOptions & { readonly at?: string } = {}): Promise<Session> {
    return new Session(this.#repo, (await fork(this.#repo, at, options)).session)
  }

  /** Creates a branch at a revision, the tip by default. Throws `exists`, `bad-name`, `empty-session`, `before-first`. */
  branch(name: string, revision?: string): Promise<Branch> {
    return createBranch(this.#repo, this.id, name, revision)
  }

  /** Returns the branches sorted by name; the one that the session is on is `current`. */
  branches(): Promise<ListedBranch[]> {
    return listBranches(this.#repo, this.id)
  }

  /**
   * Returns the branches with the number of entries that each has of its own since its fork point. With `figures` it
   * reads these entries, to report messages, tokens, cost and last activity.
   */
  branchList(options: BranchListOptions = {}): Promise<BranchList> {
    return branchList(this.#repo, this.id, options)
  }

  /** Switches the session to one of its branches, or detached to an entry. Throws as `Store.resolve`. */
  switch(revision: string): Promise<Switched> {
    return switchTo(this.#repo, revision, this.id)
  }

  /**
   * Switches to before the first entry, where the next append begins another root: on `branch`, if one is named.
   * Throws `exists` if there is such a branch, and `bad-name`.
   */
  switchToRoot(branch?: string): Promise<Switched> {
    return switchToRoot(this.#repo, this.id, branch)
  }

  /**
   * Appends entries of other histories again, a tool call with its result, to the current branch or to another one.
   * Throws as `Store.resolve`, and `no-branch`.
   */
  cherryPick(
    revisions: string | readonly string[],
    options: Omit<PickOptions, 'session'> = {},
  ): Promise<Picked> {
    const list = typeof revisions === 'string' ? [revisions] : revisions
    return cherryPick(this.#repo, list, { ...options, session: this.id })
  }

  /**
   * Merges a revision into the current branch, or into another one. Throws as `Store.resolve`, `no-branch`, and
   * `diverged` where only a move forward is allowed.
   */
  merge(revision: string, options: Omit<MergeOptions, 'session'> = {}): Promise<Merged> {
    return merge(this.#repo, revision, { ...options, session: this.id })
  }

  /**
   * Edits the entries that a revision names by a plan, onto a new branch; after a single entry, those up to the tip.
   * Throws `bad-plan`, `exists`, `bad-name`, and as `Store.resolve`.
   */
  edit(
    revision: string,
    plan: readonly PlanStep[],
    options: Omit<EditOptions, 'session'> = {},
  ): Promise<Edited> {
    return edit(this.#repo, revision, plan, { ...options, session: this.id })
  }

  /**
   * Appends again to `upstream` the entries of a branch that `upstream` lacks, and moves the branch there. Throws as
   * `Store.resolve`, `no-branch`, `empty-session`.
   */
  rebase(upstream: string, options: Omit<RebaseOptions, 'session'> = {}): Promise<Rebased> {
    return rebase(this.#repo, upstream, { ...options, session: this.id })
  }

  /**
   * Moves the session to an entry of its tree, or to before the first with null. A message of the user is moved to the
   * front of: its text is in the result, to be changed and sent again. With a summary, an entry that summarises what was
   * left is appended there. Throws as `Store.resolve`; resolves with `cancelled: true` where a handler cancels.
   */
  navigate(revision: string | null, options: TreeOptions = {}): Promise<TreeMove> {
    return navigate(this.#repo, revision, { ...options, session: this.id })
  }

  /** Yields the entries that `navigate` would leave, back to the common ancestor, the oldest first. */
  abandoned(revision: string | null): AsyncIterable<LogEntry> {
    return abandoned(this.#repo, revision, this.id)
  }

  /**
   * Goes back on the path to before the last message of the user, or to an entry on it, and appends a summary of what
   * was left. Throws `nothing-to-pop`, and `no-entry` for an entry that is not on the path.
   */
  pop(revision?: string, options: Omit<PopOptions, 'session'> = {}): Promise<TreeMove> {
    return pop(this.#repo, revision, { ...options, session: this.id })
  }

  /**
   * Sets a label on the entry that a revision names, the tip by default. Throws `exists` unless `force` is set,
   * `bad-name`, `empty-session`, `before-first`.
   */
  label(
    name: string,
    revision?: string,
    { force = false }: Pick<LabelOptions, 'force'> = {},
  ): Promise<Labelled> {
    return setLabel(this.#repo, name, revision, { session: this.id, force })
  }

  /** Removes a label and returns it. Throws `no-label`. */
  unlabel(name: string): Promise<Label> {
    return removeLabel(this.#repo, name, this.id)
  }

  /** Returns the labels sorted by name; with `find` those whose name or entry contains a text. */
  labels({ find }: { readonly find?: string } = {}): Promise<ListedLabel[]> {
    return listLabels(this.#repo, this.id, find)
  }

  /** Sets the title; an empty one clears it. Throws `bad-value`. */
  rename(title: string): Promise<Renamed> {
    return renameSession(this.#repo, this.id, title)
  }

  /** Sets keys of the session, or clears them with null, and returns all that are set. Throws `bad-name`, `bad-value`. */
  set(pairs: { readonly [key: string]: string | null }): Promise<WereSet> {
    return setPairs(this.#repo, this.id, pairs)
  }

  /** Removes the session. Its entries stay, and other sessions that share them. */
  async remove(): Promise<Removed> {
    return (await removeSessions(this.#repo, [this.id]))[0] as Removed
  }

  /** Registers a handler as `Store.on` does, for the events of this session only. */
  on<N extends SessionEvent>(name: N, handler: Handler<N>): () => void {
    return listenersOf(this.#repo).on(name, (event) =>
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

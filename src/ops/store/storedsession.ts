import type { PiContext } from '../../formats/pi/messages.ts'
import { SessError } from '../../model/errors.ts'
import type { Json } from '../../model/json.ts'
import type { Oid } from '../../model/oid.ts'
import type { PlanStep } from '../../model/plan.ts'
import { fromValue } from '../../model/value.ts'
import type { Repo } from '../../repo/repo.ts'
import { getSession, type Session, tipOf } from '../../repo/session.ts'
import type { AppendTo } from '../append/appending.ts'
import type { Append } from '../append/requests.ts'
import { append } from '../append.ts'
import { type Branch, createBranch, type ListedBranch, listBranches } from '../branch.ts'
import { type BranchList, type BranchListOptions, branchList } from '../branchlist.ts'
import { cherryPick, type Picked, type PickOptions } from '../cherrypick.ts'
import { type Compacted, type CompactOptions, compact } from '../compact.ts'
import { type PiContextOptions, piContextOf } from '../context/contextpi.ts'
import { type RequestContext, type RequestFormat, requestOf } from '../context/contextrequest.ts'
import { type ContextOptions, contextOf, type NeutralContext } from '../context.ts'
import { type Edited, type EditOptions, edit } from '../edit.ts'
import type { Switched } from '../events.ts'
import {
  type Label,
  type Labelled,
  type LabelOptions,
  type ListedLabel,
  listLabels,
  removeLabel,
  setLabel,
} from '../label.ts'
import { type Listed, listed } from '../list.ts'
import { type LogEntry, type LogOptions, log } from '../log.ts'
import { type Merged, type MergeOptions, merge } from '../merge.ts'
import type { TreeMove, TreeOptions } from '../navigate/treemove.ts'
import { abandoned, navigate } from '../navigate.ts'
import { type PopOptions, pop } from '../pop.ts'
import { type Rebased, type RebaseOptions, rebase } from '../rebase.ts'
import { type Removed, removeSessions } from '../remove.ts'
import { type Renamed, renameSession } from '../rename.ts'
import { setPairs, type WereSet } from '../set.ts'
import { switchTo, switchToRoot } from '../switch.ts'

/** What is appended: any JSON value as its body. */
export interface AppendInput {
  /** `<dialect>/<kind>`; `sess/message` unless given, whose body is `{ role, content }`. */
  readonly type?: string
  readonly body: unknown
}

/** A session of an open store. It holds no state but its id: each call reads what is true now. */
export class StoredSession {
  readonly id: string
  readonly #repo: Repo

  constructor(repo: Repo, id: string) {
    this.#repo = repo
    this.id = id
  }

  /** Appends one entry where the session stands, and gives its oid once it is durable. Throws as `appendAll`. */
  async append(entry: AppendInput, options: AppendTo = {}): Promise<Oid> {
    return (await this.appendAll([entry], options))[0] as Oid
  }

  /**
   * Appends entries one after the other, all of them or none, and gives their oids once they are durable. Throws
   * `bad-entry`, `no-branch`, and `conflict` where the branch, or the session, does not stand on `expected`.
   */
  appendAll(entries: readonly AppendInput[], options: AppendTo = {}): Promise<Oid[]> {
    return append(this.#repo, this.id, entries.map(jsonOf), options)
  }

  /** Gives the oid that the session stands on, or null while it has no entries. */
  async tip(): Promise<Oid | null> {
    return tipOf(await this.#session()) ?? null
  }

  /** Gives what a list says of the session: title, counts, branches, times. */
  async info(): Promise<Listed> {
    return listed(await this.#session())
  }

  /** Gives the entries of the current branch, or of all with `all`, children before parents. */
  log(options: LogOptions = {}): AsyncIterable<LogEntry> {
    return log(this.#repo, this.id, options)
  }

  /**
   * Gives what the model sees where the session stands, or at a revision; as pi's `buildSessionContext` gives it with
   * `format: 'pi'`; with the others as a part of a request to that API. Throws as `resolve` where a revision is said.
   */
  context(options: { readonly format: 'pi'; readonly at?: string } & PiContextOptions): Promise<PiContext>
  context(
    options: { readonly format: RequestFormat; readonly at?: string } & ContextOptions,
  ): Promise<RequestContext>
  context(
    options?: { readonly format?: 'json'; readonly at?: string } & ContextOptions,
  ): Promise<NeutralContext>
  context({
    format = 'json',
    at = this.id,
    ...options
  }: {
    readonly format?: 'json' | 'pi' | RequestFormat
    readonly at?: string
  } & PiContextOptions = {}): Promise<NeutralContext | PiContext | RequestContext> {
    if (format === 'json') return contextOf(this.#repo, at, options)
    if (format === 'pi') return piContextOf(this.#repo, at, options)
    return requestOf(this.#repo, at, format, options)
  }

  /**
   * Lets a summary stand for the beginning of the path where the session stands, or of another branch or entry: a digest
   * unless a text or a summarizer is given. Throws `nothing-to-compact`, `cannot-keep`, `bad-summary`, `cancelled`, and
   * `conflict` where the branch moved while the summary was made; nothing is changed then.
   */
  compact({
    at = this.id,
    ...options
  }: Omit<CompactOptions, 'session'> & { readonly at?: string } = {}): Promise<Compacted> {
    return compact(this.#repo, at, { ...options, session: this.id })
  }

  /** Makes a branch at a revision, else where the session stands. Throws `exists`, `bad-name`, `empty-session`, `before-first`. */
  branch(name: string, revision?: string): Promise<Branch> {
    return createBranch(this.#repo, this.id, name, revision)
  }

  /** Gives the branches in the order of their names; the one that the session stands on is `current`. */
  branches(): Promise<ListedBranch[]> {
    return listBranches(this.#repo, this.id)
  }

  /**
   * Gives the branches with what each has of its own since its fork point, and where the session stands; with `figures`
   * it reads their entries, to tell messages, tokens, cost and last activity.
   */
  branchList(options: BranchListOptions = {}): Promise<BranchList> {
    return branchList(this.#repo, this.id, options)
  }

  /** Makes the session stand on a branch of it, or detached on an entry. Throws `no-revision` and the like. */
  switch(revision: string): Promise<Switched> {
    return switchTo(this.#repo, revision, this.id)
  }

  /**
   * Makes the session stand before its first entry, where the next append begins another root: on `branch` where that
   * is said. Throws `exists` where there is such a branch, `bad-name`.
   */
  switchToRoot(branch?: string): Promise<Switched> {
    return switchToRoot(this.#repo, this.id, branch)
  }

  /**
   * Says entries of elsewhere again where the session stands, or on a branch of it, a tool call with its result. Throws
   * as `resolve`, and `no-branch`.
   */
  cherryPick(
    revisions: string | readonly string[],
    options: Omit<PickOptions, 'session'> = {},
  ): Promise<Picked> {
    const list = typeof revisions === 'string' ? [revisions] : revisions
    return cherryPick(this.#repo, list, { ...options, session: this.id })
  }

  /**
   * Merges what a revision names into where the session stands, or into a branch of it. Throws as `resolve`,
   * `no-branch`, `diverged`.
   */
  merge(revision: string, options: Omit<MergeOptions, 'session'> = {}): Promise<Merged> {
    return merge(this.#repo, revision, { ...options, session: this.id })
  }

  /**
   * Edits the entries that a revision names by a plan, onto a new branch; behind an entry that is named, those up to the
   * tip. Throws `bad-plan`, `exists`, `bad-name`, and as `resolve`.
   */
  edit(
    revision: string,
    plan: readonly PlanStep[],
    options: Omit<EditOptions, 'session'> = {},
  ): Promise<Edited> {
    return edit(this.#repo, revision, plan, { ...options, session: this.id })
  }

  /**
   * Lets a branch continue another entry: what it has and the upstream has not is said again there. Throws as `resolve`,
   * `no-branch`, `empty-session`.
   */
  rebase(upstream: string, options: Omit<RebaseOptions, 'session'> = {}): Promise<Rebased> {
    return rebase(this.#repo, upstream, { ...options, session: this.id })
  }

  /**
   * Makes the session stand on an entry of its tree, null for before the first: before a message of the user, whose text
   * is given back; on any other entry. With a summary, it hangs at the new place and stands for what is left.
   */
  navigate(revision: string | null, options: TreeOptions = {}): Promise<TreeMove> {
    return navigate(this.#repo, revision, { ...options, session: this.id })
  }

  /** Gives what `navigate` would leave, back to the common ancestor, the oldest first. */
  abandoned(revision: string | null): AsyncIterable<LogEntry> {
    return abandoned(this.#repo, revision, this.id)
  }

  /**
   * Goes back on the path to before the last message of the user, or to an entry that is named, and leaves a summary
   * there that stands for what was left. Throws `nothing-to-pop`, and `no-entry` for what is not on the path.
   */
  pop(revision?: string, options: Omit<PopOptions, 'session'> = {}): Promise<TreeMove> {
    return pop(this.#repo, revision, { ...options, session: this.id })
  }

  /**
   * Sets a label on the entry that a revision names, else where the session stands. Throws `exists` unless `force` is
   * said, `bad-name`, `empty-session`, `before-first`.
   */
  label(
    name: string,
    revision?: string,
    { force = false }: Pick<LabelOptions, 'force'> = {},
  ): Promise<Labelled> {
    return setLabel(this.#repo, name, revision, { session: this.id, force })
  }

  /** Removes a label and gives what it was. Throws `no-label`. */
  unlabel(name: string): Promise<Label> {
    return removeLabel(this.#repo, name, this.id)
  }

  /**
   * Gives the labels in the order of their names, with the entries that they name; with `find` those in whose name or
   * entry a text is found.
   */
  labels({ find }: { readonly find?: string } = {}): Promise<ListedLabel[]> {
    return listLabels(this.#repo, this.id, find)
  }

  /** Gives the session another title; an empty one clears it. Throws `bad-value`. */
  rename(title: string): Promise<Renamed> {
    return renameSession(this.#repo, this.id, title)
  }

  /** Sets keys of the session, of which null clears one, and gives all that are set. Throws `bad-name`, `bad-value`. */
  set(pairs: { readonly [key: string]: string | null }): Promise<WereSet> {
    return setPairs(this.#repo, this.id, pairs)
  }

  /** Removes the session from the store. Its entries stay; calls that follow throw `no-session`. */
  async remove(): Promise<Removed> {
    return (await removeSessions(this.#repo, [this.id]))[0] as Removed
  }

  #session(): Promise<Session> {
    return this.#repo.read((reader) => getSession(reader, this.id))
  }
}

function jsonOf({ type, body }: AppendInput): Append {
  const json: Json | undefined = fromValue(body)
  if (json === undefined) throw new SessError('bad-entry', 'the body is no JSON value')
  return type === undefined ? { body: json } : { type, body: json }
}

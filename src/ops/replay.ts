import { baseOnPath } from '../graph/mergebase.ts'
import { isAncestor } from '../graph/walk.ts'
import type { Oid } from '../model/encoding/oid.ts'
import { defined, type Json } from '../model/json.ts'
import type { EntryHandle, Node, NodeLinks } from '../model/node.ts'
import { fromValue } from '../model/value.ts'
import { lookIn, type Reader } from '../repo/reader.ts'
import type { Change, Repo } from '../repo/repo.ts'
import type { SessionTrunk } from '../repo/session.ts'
import type { BranchTarget } from './append/branchtarget.ts'
import { NativeLog } from './append/nativelog.ts'
import { oidsOf } from './entries.ts'
import { indexWaiting } from './indexing.ts'

/** An entry to append again. */
export interface ReplayStep {
  readonly handle: EntryHandle
  /** The new type and body, if the text changes. */
  readonly body?: { readonly type: string; readonly body: Json }
  /** Further entries that are joined into this one. */
  readonly also?: readonly EntryHandle[]
  /** The session through which it was named. */
  readonly session?: SessionTrunk
}

/** An entry, and the entry that it became; null for a merge whose entries are present already. */
export interface ReplayedEntry {
  readonly from: Oid
  readonly to: Oid | null
}

/** A link to an entry that was not replayed. */
export interface LostLink {
  readonly oid: Oid
  readonly link: 'firstKept' | 'kept' | 'target'
  readonly to: Oid
}

/** The result of replaying entries. */
export interface Replayed {
  readonly tip: EntryHandle | undefined
  /** The new entries, in their order. */
  readonly map: readonly ReplayedEntry[]
  readonly lost: readonly LostLink[]
}

/** Options of a replay. */
export interface ReplayOptions {
  /** The verb in the origin of the records. */
  readonly verb: string
  /** Keep entries that continue the tip already, without another record. */
  readonly keep?: boolean
}

/**
 * Appends entries again after a tip, each as the child of the one before it. Bodies are not stored again. Records have the
 * present time, and name the original entry and its session. Links lead to the new entries or to ancestors of the tip;
 * other links are dropped. A compaction whose first kept entry was not replayed keeps the replayed entries after that one.
 */
export class Replay {
  readonly #repo: Pick<Repo, 'checkStop'>
  readonly #reader: Reader
  readonly #nativeLog: NativeLog
  readonly #options: ReplayOptions
  readonly #handles = new Map<EntryHandle, EntryHandle>()
  readonly #map: ReplayedEntry[] = []
  readonly #lost: LostLink[] = []
  #tip: EntryHandle | undefined

  private constructor(
    repo: Pick<Repo, 'checkStop'>,
    { reader }: Change,
    nativeLog: NativeLog,
    tip: EntryHandle | undefined,
    options: ReplayOptions,
  ) {
    this.#repo = repo
    this.#reader = reader
    this.#nativeLog = nativeLog
    this.#tip = tip
    this.#options = options
  }

  /** Begins a replay in a session after a tip; undefined stands for the place before the first entry. */
  static async begin(
    repo: Pick<Repo, 'checkStop'>,
    change: Change,
    session: string,
    tip: EntryHandle | undefined,
    options: ReplayOptions,
  ): Promise<Replay> {
    await indexWaiting(change.reader, change.writer)
    return new Replay(repo, change, await NativeLog.begin(change, session), tip, options)
  }

  async add(steps: Iterable<ReplayStep>): Promise<void> {
    let count = 0
    for (const step of steps) {
      if (++count % 256 === 0) this.#repo.checkStop()
      const node = await this.#reader.node(step.handle)
      const isInPlace = this.#options.keep && !step.body && node.parents[0] === this.#tip
      if (isInPlace) this.#continue(step.handle, step.handle)
      else await this.#replay(step, node)
    }
  }

  /** Moves the log's head, and returns the result. */
  end(): Replayed {
    this.#nativeLog.end()
    return { tip: this.#tip, map: this.#map, lost: this.#lost }
  }

  #continue(from: EntryHandle, to: EntryHandle): void {
    this.#handles.set(from, to)
    this.#tip = to
  }

  async #replay({ handle, body: newBody, also = [], session }: ReplayStep, node: Node): Promise<void> {
    const reader = this.#reader
    const from = await reader.oid(handle)
    const { others, target } = await this.#otherParents(node)
    if (node.parents.length > 1 && others.length === 0) {
      this.#map.push({ from, to: null })
      return
    }
    const parents = [...(this.#tip === undefined ? [] : [this.#tip]), ...others]
    const lost: Omit<LostLink, 'oid'>[] = []
    const links =
      node.parents.length > 1
        ? { ...(target !== undefined && { target }) }
        : await this.#links(node.links, handle, lost)
    const type = newBody?.type ?? node.type
    const body = newBody ? (fromValue(newBody.body) as Json) : await reader.body(handle)
    const more = await oidsOf(reader, also)
    const origin = {
      verb: this.#options.verb,
      oid: from,
      ...(more.length > 0 && { also: more }),
      ...(session && { session: session.id }),
    }
    const linked = Object.keys(links).length > 0 && { links }
    const grown = await this.#nativeLog.add({
      type,
      body,
      parents,
      ...linked,
      value: { body, origin },
      at: ['body'],
      again: true,
    })
    this.#continue(handle, grown.handle)
    for (const other of also) this.#handles.set(other, grown.handle)
    for (const oid of [from, ...more]) this.#map.push({ from: oid, to: grown.oid })
    for (const link of lost) this.#lost.push({ oid: grown.oid, ...link })
  }

  /** Returns the further parents of a replayed merge, and the newest entry on their paths that the tip reaches. */
  async #otherParents({
    parents,
  }: Node): Promise<{ others: EntryHandle[]; target: EntryHandle | undefined }> {
    const others: EntryHandle[] = []
    let target: EntryHandle | undefined
    for (const other of parents.slice(1)) {
      const shared =
        this.#tip === undefined ? undefined : await baseOnPath(other, this.#tip, lookIn(this.#reader))
      if (shared === other) continue
      others.push(other)
      target ??= shared
    }
    return { others, target }
  }

  async #links(
    { firstKept, kept, target }: NodeLinks,
    of: EntryHandle,
    lost: Omit<LostLink, 'oid'>[],
  ): Promise<NodeLinks> {
    const lose = async (link: LostLink['link'], handle: EntryHandle): Promise<undefined> => {
      lost.push({ link, to: await this.#reader.oid(handle) })
    }
    const first = firstKept === undefined ? undefined : await this.#replaced(firstKept)
    const after = firstKept === undefined ? undefined : (first ?? (await this.#firstBetween(firstKept, of)))
    if (firstKept !== undefined && first === undefined) await lose('firstKept', firstKept)
    const keeps: EntryHandle[] = []
    for (const handle of kept ?? []) {
      const now = await this.#replaced(handle)
      if (now === undefined) await lose('kept', handle)
      else keeps.push(now)
    }
    const to =
      target === undefined ? undefined : ((await this.#replaced(target)) ?? (await lose('target', target)))
    return defined({ firstKept: after, kept: kept && keeps, target: to })
  }

  /** Returns the entry that an entry became, or the entry itself if the tip reaches it. */
  async #replaced(handle: EntryHandle): Promise<EntryHandle | undefined> {
    const now = this.#handles.get(handle)
    if (now !== undefined || this.#tip === undefined) return now
    return (await isAncestor(handle, this.#tip, lookIn(this.#reader))) ? handle : undefined
  }

  /** Returns the new entry of the first replayed one between two entries. */
  async #firstBetween(after: EntryHandle, before: EntryHandle): Promise<EntryHandle | undefined> {
    const orderOf = async (entry: EntryHandle) => (await this.#reader.node(entry)).order
    const [low, high] = [await orderOf(after), await orderOf(before)]
    for (const [from, to] of this.#handles) {
      const order = await orderOf(from)
      if (order > low && order < high) return to
    }
    return undefined
  }
}

/** The result of moving a branch or HEAD to replayed entries. */
export interface ReplayResult extends Omit<Replayed, 'tip'> {
  readonly session: string
  /** Null for a detached HEAD. */
  readonly branch: string | null
  readonly before: Oid | null
  readonly tip: Oid | null
}

/** Moves a branch or HEAD to an entry, unless it is there already. Returns the oid of its tip. */
export async function moveTo(
  change: Change,
  place: BranchTarget,
  handle: EntryHandle | undefined,
): Promise<Oid | null> {
  if (handle === undefined || handle === place.tip?.handle) return place.tip?.oid ?? null
  const oid = await change.reader.oid(handle)
  change.move(place.ref, place.before, place.holds(oid))
  return oid
}

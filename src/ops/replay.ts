import { forkPoint } from '../graph/range.ts'
import { isAncestor } from '../graph/walk.ts'
import type { Json } from '../model/json.ts'
import type { EntryHandle, Node, NodeLinks } from '../model/node.ts'
import type { Oid } from '../model/oid.ts'
import { fromValue } from '../model/value.ts'
import type { Reader } from '../repo/reader.ts'
import type { Change, Repo } from '../repo/repo.ts'
import type { Session } from '../repo/session.ts'
import type { BranchTarget } from './append/branchtarget.ts'
import { NativeLog } from './append/nativelog.ts'
import { indexWaiting } from './indexing.ts'

/** An entry that is to be said again. */
export interface ReplayStep {
  readonly handle: EntryHandle
  /** What is said instead, where the words are others. */
  readonly said?: { readonly type: string; readonly body: Json }
  /** Further entries whose words these are. */
  readonly also?: readonly EntryHandle[]
  /** The session that it was named through. */
  readonly session?: Session
}

/** An entry, and the one that it became; null where what it brings was there already. */
export interface ReplayedEntry {
  readonly from: Oid
  readonly to: Oid | null
}

/** A link of an entry to one that did not come along. */
export interface LostLink {
  readonly oid: Oid
  readonly link: 'firstKept' | 'kept' | 'target'
  readonly to: Oid
}

/** What came of saying entries again. */
export interface Replayed {
  readonly tip: EntryHandle | undefined
  /** The entries that were written, in their order. */
  readonly map: readonly ReplayedEntry[]
  readonly lost: readonly LostLink[]
}

/** How entries are said again. */
export interface ReplayOptions {
  /** What the records say of where the entries come from. */
  readonly verb: string
  /** Entries that already continue the tip stand as they are, without another record. */
  readonly keep?: boolean
}

/**
 * Says entries again, one after the other, each as what continues the one before it, beginning at a tip. Bodies are
 * not stored again. A record is of now, and says which entry of which session it comes from. Links lead to the new
 * entries, or to those of the tip's own path; those to others are left out, but for the first entry that a compaction
 * keeps: then it keeps what came along of what followed that one.
 */
export class Replay {
  readonly #repo: Pick<Repo, 'env' | 'checkStop'>
  readonly #reader: Reader
  readonly #nativeLog: NativeLog
  readonly #options: ReplayOptions
  readonly #handles = new Map<EntryHandle, EntryHandle>()
  readonly #map: ReplayedEntry[] = []
  readonly #lost: LostLink[] = []
  #tip: EntryHandle | undefined

  private constructor(
    repo: Pick<Repo, 'env' | 'checkStop'>,
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

  /** Begins to say entries again in a session, behind a tip; undefined is before the first entry. */
  static async begin(
    repo: Pick<Repo, 'env' | 'checkStop'>,
    change: Change,
    session: string,
    tip: EntryHandle | undefined,
    options: ReplayOptions,
  ): Promise<Replay> {
    await indexWaiting(change.reader, change.writer)
    return new Replay(repo, change, await NativeLog.begin(repo, change, session), tip, options)
  }

  /** Says entries again. */
  async add(steps: Iterable<ReplayStep>): Promise<void> {
    let count = 0
    for (const step of steps) {
      if (++count % 256 === 0) this.#repo.checkStop()
      const node = await this.#reader.node(step.handle)
      const stands = this.#options.keep && !step.said && node.parents[0] === this.#tip
      if (stands) this.#continue(step.handle, step.handle)
      else await this.#say(step, node)
    }
  }

  /** Moves the log's head, and gives what came of it. */
  end(): Replayed {
    this.#nativeLog.end()
    return { tip: this.#tip, map: this.#map, lost: this.#lost }
  }

  #continue(from: EntryHandle, to: EntryHandle): void {
    this.#handles.set(from, to)
    this.#tip = to
  }

  async #say({ handle, said, also = [], session }: ReplayStep, node: Node): Promise<void> {
    const reader = this.#reader
    const from = await reader.oid(handle)
    const { others, target } = await this.#others(node)
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
    const type = said?.type ?? node.type
    const body = said ? (fromValue(said.body) as Json) : await reader.body(handle)
    const more: Oid[] = []
    for (const other of also) more.push(await reader.oid(other))
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

  /** Returns what else a merge brings where it is said again, and the newest of that which the tip has. */
  async #others({ parents }: Node): Promise<{ others: EntryHandle[]; target: EntryHandle | undefined }> {
    const others: EntryHandle[] = []
    let target: EntryHandle | undefined
    for (const other of parents.slice(1)) {
      const shared =
        this.#tip === undefined
          ? undefined
          : await forkPoint(other, this.#tip, (node) => this.#reader.node(node))
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
    const first = firstKept === undefined ? undefined : await this.#now(firstKept)
    const behind = firstKept === undefined ? undefined : (first ?? (await this.#following(firstKept, of)))
    if (firstKept !== undefined && first === undefined) await lose('firstKept', firstKept)
    const keeps: EntryHandle[] = []
    for (const handle of kept ?? []) {
      const now = await this.#now(handle)
      if (now === undefined) await lose('kept', handle)
      else keeps.push(now)
    }
    const to =
      target === undefined ? undefined : ((await this.#now(target)) ?? (await lose('target', target)))
    return {
      ...(behind !== undefined && { firstKept: behind }),
      ...(kept !== undefined && { kept: keeps }),
      ...(to !== undefined && { target: to }),
    }
  }

  /** Returns the entry that an entry has become, or itself where the tip reaches it. */
  async #now(handle: EntryHandle): Promise<EntryHandle | undefined> {
    const now = this.#handles.get(handle)
    if (now !== undefined || this.#tip === undefined) return now
    return (await isAncestor(handle, this.#tip, (node) => this.#reader.node(node))) ? handle : undefined
  }

  /** Returns what the first entry has become that came along of those between two. */
  async #following(after: EntryHandle, before: EntryHandle): Promise<EntryHandle | undefined> {
    const orderOf = async (entry: EntryHandle) => (await this.#reader.node(entry)).order
    const [low, high] = [await orderOf(after), await orderOf(before)]
    for (const [from, to] of this.#handles) {
      const order = await orderOf(from)
      if (order > low && order < high) return to
    }
    return undefined
  }
}

/** Where a place stood and where it stands now, and what came of the entries that were brought there. */
export interface ReplayResult extends Omit<Replayed, 'tip'> {
  readonly session: string
  /** Null where the session stands on no branch. */
  readonly branch: string | null
  readonly before: Oid | null
  readonly tip: Oid | null
}

/** Moves a place to an entry, unless it is there, and returns the entry's oid. */
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

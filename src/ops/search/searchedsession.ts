import { collect, isAncestor } from '../../graph/walk.ts'
import { collected } from '../../model/async.ts'
import type { Oid } from '../../model/encoding/oid.ts'
import { EntrySet } from '../../model/entryset.ts'
import { addTo } from '../../model/lists.ts'
import type { EntryHandle } from '../../model/node.ts'
import type { CoveredSession } from '../../model/search/searchindex.ts'
import { lookIn, type Reader } from '../../repo/reader.ts'
import { RecordFinder } from '../../repo/records.ts'
import {
  allBranches,
  branchTip,
  findTrunk,
  logsOf,
  readableTip,
  type SessionTrunk,
} from '../../repo/session.ts'

/**
 * To determine whether one entry is an ancestor of another takes about as long as to look at so many entries in a row: its
 * steps lead to pages far apart.
 */
const STEPS = 128

/** A session that is searched. Its refs and the entries that they reach are read on demand and cached. */
export class SearchedSession {
  readonly covered: CoveredSession
  /** When it was added to last, in milliseconds since 1970; null is unknown. */
  readonly updated: number | null
  readonly #reader: Reader
  #session: Promise<SessionTrunk | undefined> | undefined
  #oids: readonly Oid[] | undefined
  /** The entries of these, as far as they were looked up; null where one is missing. */
  readonly #found: (EntryHandle | null)[] = []
  #labels: Promise<ReadonlyMap<EntryHandle, readonly string[]>> | undefined
  /** How many times it was determined whether one entry is an ancestor of another. */
  #asked = 0
  #all: EntrySet | undefined
  #finder: RecordFinder | undefined
  readonly #times = new Map<EntryHandle, number | null>()

  constructor(reader: Reader, covered: CoveredSession, updated: number | null) {
    this.#reader = reader
    this.covered = covered
    this.updated = updated
  }

  /** Returns the session, or undefined where there is none any more. */
  get session(): Promise<SessionTrunk | undefined> {
    this.#session ??= findTrunk(this.#reader, this.id)
    return this.#session
  }

  get id(): string {
    return this.covered.id
  }

  mayReach(handle: EntryHandle): boolean {
    return this.covered.mayReach(handle)
  }

  /** Returns whether the session reaches an entry: from one of its refs, or only by the branches of a name. */
  async reaches(handle: EntryHandle, branch?: string): Promise<boolean> {
    const look = lookIn(this.#reader)
    if (branch !== undefined) {
      const session = await this.session
      const oid = session && (await branchTip(this.#reader, session, branch))
      const tip = oid && (await this.#reader.find(oid))
      return tip !== undefined && isAncestor(handle, tip, look)
    }
    if (this.#all) return this.#all.has(handle)
    for await (const tip of this.#tips()) {
      // Where it is asked often it is cheaper to look at all entries once.
      if (++this.#asked * STEPS > this.covered.size) {
        this.#all = new EntrySet()
        await collect(await collected(this.#tips()), look, this.#all)
        return this.#all.has(handle)
      }
      if (await isAncestor(handle, tip, look)) return true
    }
    return false
  }

  /** Yields the entries of refs, that of HEAD first. Looks up only as many as are consumed. */
  async *#tips(): AsyncGenerator<EntryHandle> {
    const session = await this.session
    if (!session) return
    this.#oids ??= await this.#oidsOf(session)
    for (const [i, oid] of this.#oids.entries()) {
      const known = (this.#found[i] ??= (await this.#reader.find(oid)) ?? null)
      if (known !== null) yield known
    }
  }

  async #oidsOf(session: SessionTrunk): Promise<Oid[]> {
    const branches = await allBranches(this.#reader, session)
    const tip = readableTip(session)
    return [...new Set([...(tip ? [tip] : []), ...branches.values(), ...session.labels.values()])]
  }

  async labelsOf(handle: EntryHandle): Promise<readonly string[]> {
    if (this.covered.names.length === 0) return []
    this.#labels ??= this.#findLabels()
    return (await this.#labels).get(handle) ?? []
  }

  async #findLabels(): Promise<ReadonlyMap<EntryHandle, readonly string[]>> {
    const labels = new Map<EntryHandle, string[]>()
    for (const [name, oid] of (await this.session)?.labels ?? []) {
      const handle = await this.#reader.find(oid)
      if (handle !== undefined) addTo(labels, handle, name)
    }
    return labels
  }

  async labelled(): Promise<EntryHandle[]> {
    this.#labels ??= this.#findLabels()
    return [...(await this.#labels).keys()]
  }

  /** Returns the time of an entry's newest record in the session, in milliseconds since 1970; null if unknown. */
  async time(handle: EntryHandle): Promise<number | null> {
    const known = this.#times.get(handle)
    if (known !== undefined) return known
    const session = await this.session
    this.#finder ??= new RecordFinder(this.#reader, session ? logsOf(session) : [])
    const time = (await this.#finder.find(handle))?.time ?? null
    this.#times.set(handle, time)
    return time
  }

  async close(): Promise<void> {
    await this.#finder?.close()
  }
}

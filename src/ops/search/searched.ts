import { isAncestor, reachable } from '../../graph/walk.ts'
import type { Oid } from '../../model/oid.ts'
import { type Backend, type Extent, NO_ROW, type Row } from '../../repo/backend.ts'
import { RecordFinder } from '../../repo/records.ts'
import { findSession, logsOf, type Session, tipOf } from '../../repo/session.ts'

/** To tell whether one entry is an ancestor of another takes about so many steps. */
const STEPS = 16

/** A session that is searched: its refs and what they reach, read when they are asked for and then known. */
export class Searched {
  readonly id: string
  readonly extent: Extent
  readonly #backend: Backend
  #session: Promise<Session | undefined> | undefined
  #oids: readonly Oid[] | undefined
  /** The rows of these, as far as they were looked up. */
  readonly #found: Row[] = []
  #labels: Promise<ReadonlyMap<Row, readonly string[]>> | undefined
  #asked = 0
  #all: ReadonlySet<Row> | undefined
  #finder: RecordFinder | undefined
  readonly #times = new Map<Row, number | null>()

  constructor(backend: Backend, id: string, extent: Extent) {
    this.#backend = backend
    this.id = id
    this.extent = extent
  }

  /** Gives the session, or undefined where there is none any more. */
  get session(): Promise<Session | undefined> {
    this.#session ??= findSession(this.#backend, this.id)
    return this.#session
  }

  /** Tells whether a row is among those that the session may reach. */
  mayReach(row: Row): boolean {
    for (const [from, to] of this.extent.ranges) if (row >= from && row < to) return true
    return false
  }

  /** Tells whether the session reaches an entry: from one of its refs, or only by the branches of a name. */
  async reaches(row: Row, branch?: string): Promise<boolean> {
    const look = (node: Row) => this.#backend.node(node)
    if (branch !== undefined) {
      const oid = (await this.session)?.branches.get(branch)
      const tip = oid && (await this.#backend.find(oid))
      return tip !== undefined && isAncestor(row, tip, look)
    }
    // Where it is asked of many entries it is cheaper to look at all once.
    if (!this.#all && ++this.#asked * STEPS > this.#size) {
      const tips: Row[] = []
      for await (const tip of this.#tips()) tips.push(tip)
      this.#all = await reachable(tips, look)
    }
    if (this.#all) return this.#all.has(row)
    for await (const tip of this.#tips()) if (await isAncestor(row, tip, look)) return true
    return false
  }

  /** Gives the rows that refs name, that where the session stands first. They are looked up as far as they are asked for. */
  async *#tips(): AsyncGenerator<Row> {
    const session = await this.session
    if (!session) return
    const { branches, labels } = session
    this.#oids ??= [...new Set([tipOf(session) ?? [], ...branches.values(), ...labels.values()].flat())]
    for (const [i, oid] of this.#oids.entries()) {
      this.#found[i] ??= (await this.#backend.find(oid)) ?? NO_ROW
      if (this.#found[i] !== NO_ROW) yield this.#found[i]
    }
  }

  /** How many rows it may reach. */
  get #size(): number {
    return this.extent.ranges.reduce((sum, [from, to]) => sum + to - from, 0)
  }

  /** Gives the labels of an entry. */
  async labelsOf(row: Row): Promise<readonly string[]> {
    if (this.extent.names.length === 0) return []
    this.#labels ??= this.#findLabels()
    return (await this.#labels).get(row) ?? []
  }

  /** Gives by row the labels of entries. */
  async #findLabels(): Promise<ReadonlyMap<Row, readonly string[]>> {
    const labels = new Map<Row, string[]>()
    for (const [name, oid] of (await this.session)?.labels ?? []) {
      const row = await this.#backend.find(oid)
      if (row !== undefined) labels.set(row, [...(labels.get(row) ?? []), name])
    }
    return labels
  }

  /** Gives the rows of the entries that have labels. */
  async labelled(): Promise<Row[]> {
    this.#labels ??= this.#findLabels()
    return [...(await this.#labels).keys()]
  }

  /** Gives when an entry was last said in the session, in milliseconds since 1970; null where nothing tells. */
  async time(row: Row): Promise<number | null> {
    const known = this.#times.get(row)
    if (known !== undefined) return known
    const session = await this.session
    this.#finder ??= new RecordFinder(this.#backend, session ? logsOf(session) : [])
    const time = (await this.#finder.find(row))?.time ?? null
    this.#times.set(row, time)
    return time
  }

  /** Lets go of what is being read. */
  async close(): Promise<void> {
    await this.#finder?.close()
  }
}

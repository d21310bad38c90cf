import type { Oid } from '../../model/encoding/oid.ts'
import { SessionError } from './error.ts'
import type {
  LanePointer,
  LaneRecord,
  LogItem,
  OperationStartedRecord,
  SessionStats,
  V4Entry,
} from './types.ts'

/** One change of a session as its log keeps it. */
export type Mutation =
  | { readonly kind: 'entry'; readonly lane?: string; readonly entry: V4Entry }
  | { readonly kind: 'record'; readonly record: LaneRecord }
  | { readonly kind: 'lane'; readonly lane: string; readonly leafId: string | null }
  | { readonly kind: 'fact'; readonly fact: 'name'; readonly name?: string }
  | { readonly kind: 'fact'; readonly fact: 'label'; readonly targetId: string; readonly label?: string }
  | ForkMutation

/** That what follows is a fork of what precedes: of its tree, or of the branch that ends at `leafId`. */
export interface ForkMutation {
  readonly kind: 'fork'
  readonly scope: 'branch' | 'tree'
  readonly leafId: string | null
}

/** The lane that every session has. */
export const MAIN_LANE = 'main'

/** A session of pi v4 in memory: what its log comes to. It only grows; `log[n]` has the `seq` n + 1. */
export class V4State {
  readonly log: LogItem[] = []
  readonly lanes = new Map<string, string | null>([[MAIN_LANE, null]])
  readonly labels = new Map<string, string>()
  readonly stats: SessionStats = {
    messageCount: 0,
    cachedTokens: 0,
    uncachedTokens: 0,
    totalTokens: 0,
    costTotal: 0,
  }
  name: string | undefined
  readonly #entries = new Map<string, V4Entry>()
  /** The entry of the store that an entry here is, or the nearest above it. */
  readonly #oids = new Map<string, Oid>()
  /** The newest entry here that is an entry of the store. */
  readonly #ids = new Map<Oid, string>()
  readonly #recordIds = new Set<string>()
  /** Of each lane the operation that is not finished. */
  readonly #open = new Map<string, OperationStartedRecord>()

  /** The `seq` of the next change. */
  get next(): number {
    return this.log.length + 1
  }

  entry(id: string): V4Entry | undefined {
    return this.#entries.get(id)
  }

  /** Whether an entry or a record has an id. */
  isTaken(id: string): boolean {
    return this.#entries.has(id) || this.#recordIds.has(id)
  }

  /** Returns the entry of the store that an entry is or continues. */
  oidOf(id: string | null): Oid | undefined {
    return id === null ? undefined : this.#oids.get(id)
  }

  /** Returns the newest entry that is an entry of the store. */
  idOf(oid: Oid): string | undefined {
    return this.#ids.get(oid)
  }

  /** The number of entries of the store in the tree. */
  get oidCount(): number {
    return this.#ids.size
  }

  openOperation(lane: string): OperationStartedRecord | undefined {
    return this.#open.get(lane)
  }

  lanePointers(): LanePointer[] {
    return [...this.lanes].map(([lane, leafId]) => ({ lane, leafId }))
  }

  /** Returns the leaf of a lane. Throws `invalid_lane`. */
  leafOf(lane: string): string | null {
    const leafId = this.lanes.get(lane)
    if (leafId === undefined) throw new SessionError('invalid_lane', `Lane not found: ${lane}`)
    return leafId
  }

  /** Returns the entries from one to its root. */
  *path(from: string | null): Generator<V4Entry> {
    for (let at = from; at !== null; ) {
      const entry = this.#entries.get(at)
      if (!entry) return
      yield entry
      at = entry.parentId
    }
  }

  /** Takes one change in; `oid` is the entry of the store that its record carries. */
  apply(mutation: Exclude<Mutation, ForkMutation>, oid?: Oid): void {
    const seq = this.next
    switch (mutation.kind) {
      case 'entry':
        this.#add({ ...mutation.entry, seq }, oid)
        if (mutation.lane !== undefined) this.lanes.set(mutation.lane, mutation.entry.id)
        break
      case 'record':
        this.#record({ ...mutation.record, seq })
        break
      case 'lane':
        this.lanes.set(mutation.lane, mutation.leafId)
        this.log.push({ kind: 'lane', seq, lane: mutation.lane, leafId: mutation.leafId })
        break
      case 'fact':
        this.#fact(mutation, seq)
    }
  }

  /** Returns the state that a fork begins with: entries, lanes and facts, renumbered, and no records. */
  forked({ scope, leafId }: ForkMutation): V4State {
    const next = new V4State()
    const entries = scope === 'tree' ? [...this.#entries.values()] : [...this.path(leafId)].reverse()
    for (const entry of entries) {
      const oid = this.oidOf(entry.id)
      const above = this.oidOf(entry.parentId)
      next.apply({ kind: 'entry', entry }, oid === above ? undefined : oid)
    }
    const lanes = scope === 'tree' ? this.lanePointers() : [{ lane: MAIN_LANE, leafId }]
    for (const pointer of lanes) next.apply({ kind: 'lane', ...pointer })
    if (this.name !== undefined) next.apply({ kind: 'fact', fact: 'name', name: this.name })
    for (const { id: targetId } of entries) {
      const label = this.labels.get(targetId)
      if (label !== undefined) next.apply({ kind: 'fact', fact: 'label', targetId, label })
    }
    return next
  }

  #add(entry: V4Entry, oid: Oid | undefined): void {
    const { id, seq } = entry
    this.#entries.set(id, entry)
    const known = oid ?? this.oidOf(entry.parentId)
    if (known !== undefined) this.#oids.set(id, known)
    if (oid !== undefined) this.#ids.set(oid, id)
    if (entry.type === 'message') this.stats.messageCount++
    this.log.push({ kind: 'entry', seq, entry })
  }

  #record(record: LaneRecord): void {
    this.#recordIds.add(record.id)
    this.log.push({ kind: 'record', seq: record.seq, record })
    if (record.type === 'operation_started') this.#open.set(record.lane, record)
    if (record.type === 'operation_finished' && this.#open.get(record.lane)?.id === record.runId)
      this.#open.delete(record.lane)
    if (record.type !== 'usage') return
    const { input, cacheRead, cacheWrite, totalTokens, cost } = record.usage
    this.stats.cachedTokens += cacheRead
    this.stats.uncachedTokens += input + cacheWrite
    this.stats.totalTokens += totalTokens
    this.stats.costTotal += cost.total
  }

  #fact(mutation: Extract<Mutation, { kind: 'fact' }>, seq: number): void {
    if (mutation.fact === 'name') {
      this.name = mutation.name
      this.log.push({ kind: 'fact', seq, fact: 'name', name: mutation.name })
      return
    }
    const { targetId, label } = mutation
    if (label === undefined) this.labels.delete(targetId)
    else this.labels.set(targetId, label)
    this.log.push({ kind: 'fact', seq, fact: 'label', targetId, label })
  }
}

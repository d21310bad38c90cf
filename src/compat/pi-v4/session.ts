import { checkQuery, findEntries, findOnBranch, findOpen, findRecords, logOf } from './query.ts'
import { MAIN_LANE } from './state.ts'
import type { SessionStorage } from './storage.ts'
import type {
  BranchBounds,
  EntryQuery,
  IdGenerator,
  LanePointer,
  LaneRecord,
  LogItem,
  OperationStartedRecord,
  ProvisionedEntry,
  RecordBase,
  RecordQuery,
  SessionMetadata,
  SessionStats,
  V4AgentMessage,
  V4CustomEntry,
  V4Entry,
  V4LogOptions,
  V4MessageEntry,
  V4NewRecord,
  V4SessionTree,
} from './types.ts'

/** A session as seen from one lane. It has no state of its own: each call reads the present one and returns copies. */
class LaneTree implements V4SessionTree {
  readonly idGenerator: IdGenerator
  protected readonly storage: SessionStorage
  readonly #lane: string

  constructor(storage: SessionStorage, lane: string, idGenerator: IdGenerator) {
    this.storage = storage
    this.#lane = lane
    this.idGenerator = idGenerator
  }

  getLeafId(): Promise<string | null> {
    return this.storage.read((state) => state.leafOf(this.#lane))
  }

  getEntry(id: string): Promise<V4Entry | undefined> {
    return this.storage.read((state) => structuredClone(state.entry(id)))
  }

  getStats(): Promise<SessionStats> {
    return this.storage.read((state) => ({ ...state.stats }))
  }

  getName(): Promise<string | undefined> {
    return this.storage.read((state) => state.name)
  }

  setName(name: string | undefined): Promise<void> {
    return this.storage.setName(name)
  }

  getLabel(targetId: string): Promise<string | undefined> {
    return this.storage.read((state) => state.labels.get(targetId))
  }

  setLabel(targetId: string, label: string | undefined): Promise<void> {
    return this.storage.setLabel(targetId, label)
  }

  findEntries(query: EntryQuery = {}): Promise<V4Entry[]> {
    return this.storage.read((state) => structuredClone(findEntries(state, query)))
  }

  async findEntry(query: EntryQuery = {}): Promise<V4Entry | undefined> {
    checkQuery(query)
    return (await this.findEntries({ ...query, limit: 1 }))[0]
  }

  findEntriesOnBranch(query: EntryQuery & BranchBounds = {}): Promise<V4Entry[]> {
    return this.storage.read((state) => {
      checkQuery(query)
      const start = query.start ?? state.leafOf(this.#lane)
      return start === null ? [] : structuredClone(findOnBranch(state, { ...query, start }))
    })
  }

  async findEntryOnBranch(query: EntryQuery & BranchBounds = {}): Promise<V4Entry | undefined> {
    checkQuery(query)
    return (await this.findEntriesOnBranch({ ...query, limit: 1 }))[0]
  }

  appendMessage(message: V4AgentMessage): Promise<string> {
    return this.#append({ type: 'message', id: this.idGenerator.next(), message })
  }

  appendCustomEntry(customType: string, data?: unknown): Promise<string> {
    const fields = data === undefined ? {} : { data }
    return this.#append({ type: 'custom', id: this.idGenerator.next(), customType, ...fields })
  }

  async #append(entry: ProvisionedEntry<V4MessageEntry | V4CustomEntry>): Promise<string> {
    return (await this.storage.appendEntry(entry, this.#lane)).id
  }
}

/** A session of pi v4 on a store of sess, seen from its lane `main`. */
export class Session extends LaneTree {
  constructor(storage: SessionStorage, { idGenerator }: { readonly idGenerator: IdGenerator }) {
    super(storage, MAIN_LANE, idGenerator)
  }

  getMetadata(): Promise<SessionMetadata> {
    return this.storage.about()
  }

  /** Returns the session as seen from another lane. */
  view(lane: string): V4SessionTree {
    return new LaneTree(this.storage, lane, this.idGenerator)
  }

  getLanes(): Promise<LanePointer[]> {
    return this.storage.read((state) => state.lanePointers())
  }

  /** Makes a lane, for good. Throws `already_exists`, and `not_found` for its entry. */
  createLane(lane: string, at: string | null): Promise<void> {
    return this.storage.createLane(lane, at)
  }

  /** Moves a lane to another entry, or to before the first. Throws `invalid_lane` and `not_found`. */
  moveLane(lane: string, to: string | null): Promise<void> {
    return this.storage.moveLane(lane, to)
  }

  /** Appends an entry that has its id. Throws `invalid_payload`, `invalid_lane` and `already_exists`. */
  appendEntry<T extends V4Entry>(entry: ProvisionedEntry<T>, lane: string): Promise<T> {
    return this.storage.appendEntry(entry, lane)
  }

  /** Adds a record. Throws as `appendEntry`, and `storage` for a second operation that is open on a lane. */
  appendRecord<T extends V4NewRecord>(record: T): Promise<T & Pick<RecordBase, 'seq' | 'timestamp'>> {
    return this.storage.appendRecord(record)
  }

  findRecords<K extends LaneRecord['type']>(
    query: RecordQuery & { type: K },
  ): Promise<Extract<LaneRecord, { type: K }>[]>
  findRecords(query?: RecordQuery): Promise<LaneRecord[]>
  findRecords(query: RecordQuery = {}): Promise<LaneRecord[]> {
    return this.storage.read((state) => structuredClone(findRecords(state, query)))
  }

  /** Returns the operations of a lane that are not finished: none or one. */
  findOpenOperations(lane: string, { limit }: { limit?: number } = {}): Promise<OperationStartedRecord[]> {
    return this.storage.read((state) => structuredClone(findOpen(state, lane, limit)))
  }

  getLog(options: V4LogOptions = {}): Promise<LogItem[]> {
    return this.storage.read((state) => structuredClone(logOf(state, options)))
  }
}

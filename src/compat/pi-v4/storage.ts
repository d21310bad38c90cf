import { ENTRIES, entryBody } from '../../formats/pi/entries.ts'
import type { SessionStore } from '../../library/sessionstore.ts'
import type { SessionOutline, SessionReads, SessionWrites } from '../../library/types.ts'
import type { Oid } from '../../model/encoding/oid.ts'
import { SessError } from '../../model/errors.ts'
import { defined, type JsonObject } from '../../model/json.ts'
import { fromValue } from '../../model/value.ts'
import { Sequence } from '../core/sequence.ts'
import { SessionError } from './error.ts'
import { type Loaded, load, ofFacade } from './load.ts'
import { copyPayload } from './payload.ts'
import type { ForkMutation, Mutation, V4State } from './state.ts'
import type { LaneRecord, ProvisionedEntry, SessionMetadata, V4Entry, V4NewRecord } from './types.ts'

type PlainMutation = Exclude<Mutation, ForkMutation>

/** The tree of one session: its state in memory, kept up with the store, and the changes of it. */
export class SessionStorage {
  readonly id: string
  readonly #store: SessionStore
  readonly #catching = new Sequence()
  #loaded: Loaded | undefined
  /** The version of the store when the state was last updated. */
  #version = -1

  constructor(store: SessionStore, id: string) {
    this.id = id
    this.#store = store
  }

  /** Asks the state as it is now. Throws `not_found` where the session is gone. */
  read<T>(ask: (state: V4State) => T): Promise<T> {
    return guarded(() => this.#store.read(async (reads) => ask(await this.state(reads))))
  }

  about(): Promise<SessionMetadata> {
    return guarded(() =>
      this.#store.read(async (reads) => metadataOf(ofFacade(await reads.find(this.id), this.id))),
    )
  }

  /** Appends an entry at the leaf of a lane, and moves the lane to it. */
  async appendEntry<T extends V4Entry>(provisioned: ProvisionedEntry<T>, lane: string): Promise<T> {
    const payload = copyPayload<ProvisionedEntry>(provisioned)
    return (await this.#write('append', (state) => {
      const parentId = state.leafOf(lane)
      checkFree(state, payload.id)
      const seq = state.next
      const entry: V4Entry = { ...payload, parentId, seq, timestamp: Date.now() }
      return { mutation: { kind: 'entry', lane, entry }, result: entry }
    })) as T
  }

  /** Adds a record to a lane's work. Throws `storage` where it would be the second operation at once. */
  async appendRecord<T extends V4NewRecord>(
    newRecord: T,
  ): Promise<T & Pick<LaneRecord, 'seq' | 'timestamp'>> {
    const payload = copyPayload<V4NewRecord>(newRecord)
    return (await this.#write('append', (state) => {
      state.leafOf(payload.lane)
      checkFree(state, payload.id)
      const open = payload.type === 'operation_started' && state.openOperation(payload.lane)
      if (open)
        throw new SessionError('storage', `Lane ${payload.lane} already has an open operation ${open.id}`)
      const record: LaneRecord = { ...payload, seq: state.next, timestamp: Date.now() }
      return { mutation: { kind: 'record', record }, result: record }
    })) as T & LaneRecord
  }

  async createLane(lane: string, at: string | null): Promise<void> {
    await this.#write('createLane', (state) => {
      if (state.lanes.has(lane)) throw new SessionError('already_exists', `Lane already exists: ${lane}`)
      checkEntry(state, at)
      return { mutation: { kind: 'lane', lane, leafId: at }, result: undefined }
    })
  }

  async moveLane(lane: string, to: string | null): Promise<void> {
    await this.#write('moveLane', (state) => {
      state.leafOf(lane)
      checkEntry(state, to)
      return { mutation: { kind: 'lane', lane, leafId: to }, result: undefined }
    })
  }

  async setName(name: string | undefined): Promise<void> {
    await this.#write('setName', () => ({
      mutation: defined({ kind: 'fact', fact: 'name', name } as const),
      result: undefined,
    }))
  }

  async setLabel(targetId: string, label: string | undefined): Promise<void> {
    await this.#write('setLabel', (state) => {
      checkEntry(state, targetId)
      const mutation = defined({ kind: 'fact', fact: 'label', targetId, label } as const)
      return { mutation, result: undefined }
    })
  }

  /** Plans one change against the state as it is now and writes it: durable when this resolves, or refused. */
  #write<T>(
    call: string,
    plan: (state: V4State) => { readonly mutation: PlainMutation; readonly result: T },
  ): Promise<T> {
    const coalesce = call === 'append' ? { coalesce: `append ${this.id}` } : {}
    return guarded(() =>
      this.#store.write(
        async (writes) => {
          const state = await this.state(writes)
          const { mutation, result } = plan(state)
          const oid = await append(writes, this.id, { state, mutation })
          await setNames(writes, this.id, { state, mutation, oid })
          return structuredClone(result)
        },
        { command: `pi-v4 ${call} ${this.id}`, ...coalesce },
      ),
    )
  }

  /** Returns the state as it is now: nothing is read where the store has not changed since. */
  state(reads: SessionReads): Promise<V4State> {
    return this.#catching.run(async () => {
      const version = await reads.version()
      if (!this.#loaded || version !== this.#version) {
        const before = this.#loaded
        // If loading fails midway, the state it began with is half changed.
        this.#loaded = undefined
        this.#loaded = await load(reads, this.id, before)
        this.#version = version
      }
      return this.#loaded.state
    })
  }
}

/** Returns what is known of a session without reading it. */
export const metadataOf = ({ id, created, parent }: SessionOutline): SessionMetadata =>
  defined({ id, createdAt: created ?? 0, parentSessionId: parent ?? undefined })

/** Runs work on the store; what the store refuses is an error of the code `storage`. */
export async function guarded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof SessError)) throw error
    throw new SessionError('storage', error.message, error)
  }
}

function checkFree(state: V4State, id: string): void {
  if (state.isTaken(id)) throw new SessionError('already_exists', `Session id already exists: ${id}`)
}

function checkEntry(state: V4State, id: string | null): void {
  if (id !== null && !state.entry(id)) throw new SessionError('not_found', `Entry not found: ${id}`)
}

/** A change of a session, and its state before. */
interface PlannedChange {
  readonly state: V4State
  readonly mutation: PlainMutation
}

const isKind = (type: string): type is keyof typeof ENTRIES => Object.hasOwn(ENTRIES, type)

/** Appends the record of a change, with its entry where it is one that a model sees. Returns the entry that its lane is at. */
async function append(
  writes: SessionWrites,
  session: string,
  { state, mutation }: PlannedChange,
): Promise<Oid | undefined> {
  const value = fromValue(mutation) as JsonObject
  if (mutation.kind !== 'entry') {
    await writes.append(session, { value, ...(mutation.kind === 'record' && named(mutation.record)) })
    return undefined
  }
  const { entry } = mutation
  const above = state.oidOf(entry.parentId)
  if (!isKind(entry.type)) {
    await writes.append(session, { value, ...named(entry) })
    return above
  }
  const body = entryBody(entry.type, value.entry as JsonObject)
  const parents = above === undefined ? [] : [above]
  const added = { type: `pi/${entry.type}`, body, parents, at: ['entry'] }
  return writes.append(session, { value, entry: added, ...named(entry) })
}

const named = ({ id, timestamp }: { readonly id: string; readonly timestamp: number }) => ({
  native: id,
  time: timestamp,
})

/** Changes the names of the store that follow a change: the branch of a lane, the title, a label. */
async function setNames(
  writes: SessionWrites,
  session: string,
  { state, mutation, oid }: PlannedChange & { readonly oid: Oid | undefined },
): Promise<void> {
  if (mutation.kind === 'entry' && mutation.lane !== undefined) {
    const current = await writes.branch(session, mutation.lane)
    if (current !== undefined && current !== state.oidOf(mutation.entry.parentId))
      throw new SessError('conflict', `${session}/${mutation.lane}`)
    await writes.setBranch(session, mutation.lane, oid ?? null)
  }
  if (mutation.kind === 'lane')
    await writes.setBranch(session, mutation.lane, state.oidOf(mutation.leafId) ?? null)
  if (mutation.kind !== 'fact') return
  if (mutation.fact === 'name') {
    await writes.rename(session, mutation.name || null)
    return
  }
  const target = state.oidOf(mutation.targetId)
  const was = state.labels.get(mutation.targetId)
  if (was && was !== mutation.label && (await writes.label(session, was)) === target)
    await writes.setLabel(session, was, null)
  if (mutation.label) await writes.setLabel(session, mutation.label, target ?? null)
}

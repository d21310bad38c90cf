import { bodyOf } from '../../formats/core/define.ts'
import { ENTRIES } from '../../formats/pi/entries.ts'
import { SessError } from '../../model/errors.ts'
import { defined, type Json, type JsonObject } from '../../model/json.ts'
import type { EntryHandle } from '../../model/node.ts'
import type { RefValue } from '../../model/operation.ts'
import { branchRef, labelRef, metaRef } from '../../model/refname.ts'
import { fromValue } from '../../model/value.ts'
import { NativeLog } from '../../ops/append/nativelog.ts'
import { Mutex } from '../../repo/mutex.ts'
import type { Reader } from '../../repo/reader.ts'
import type { Change, Repo } from '../../repo/repo.ts'
import { findSession, refValue, type SessionMeta, type SessionState } from '../../repo/session.ts'
import { SessionError } from './error.ts'
import { type Loaded, load } from './load.ts'
import { copyPayload } from './payload.ts'
import type { ForkMutation, Mutation, V4State } from './state.ts'
import type { LaneRecord, ProvisionedEntry, SessionMetadata, V4Entry, V4NewRecord } from './types.ts'

type PlainMutation = Exclude<Mutation, ForkMutation>

/** The format of this facade's sessions in their metadata. */
export const FORMAT = 'pi-v4'

/** The tree of one session: its state in memory, kept up with the store, and the changes of it. */
export class SessionStorage {
  readonly id: string
  readonly #repo: Repo
  readonly #catching = new Mutex()
  #loaded: Loaded | undefined
  /** The number of transactions of the store when the state was last updated. */
  #commits = -1

  constructor(repo: Repo, id: string) {
    this.id = id
    this.#repo = repo
  }

  /** Asks the state as it is now. Throws `not_found` where the session is gone. */
  read<T>(ask: (state: V4State) => T): Promise<T> {
    return guarded(() => this.#repo.read(async (reader) => ask(await this.#state(reader))))
  }

  about(): Promise<SessionMetadata> {
    return guarded(() =>
      this.#repo.read(async (reader) => metadataOf(this.id, (await found(reader, this.id)).meta)),
    )
  }

  /** Returns what a fork of the session shares with it, and the state that it is made of. */
  async forking(change: Change): Promise<{ readonly state: V4State; readonly session: SessionState }> {
    const state = await this.#state(change.reader)
    return { state, session: await found(change.reader, this.id) }
  }

  /** Appends an entry at the leaf of a lane, and moves the lane to it. */
  async appendEntry<T extends V4Entry>(provisioned: ProvisionedEntry<T>, lane: string): Promise<T> {
    const payload = copyPayload<ProvisionedEntry>(provisioned)
    return (await this.#write('append', (state) => {
      const parentId = state.leafOf(lane)
      checkFree(state, payload.id)
      const seq = state.next
      const entry: V4Entry = { ...payload, parentId, seq, timestamp: this.#repo.env.now() }
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
      const record: LaneRecord = { ...payload, seq: state.next, timestamp: this.#repo.env.now() }
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
      this.#repo.write({ command: `pi-v4 ${call} ${this.id}`, ...coalesce }, async (change) => {
        const state = await this.#state(change.reader)
        const { mutation, result } = plan(state)
        const nativeLog = await NativeLog.begin(change, this.id)
        const handle = await grow(nativeLog, state, mutation)
        await moveRefs(change, { id: this.id, state }, mutation, handle)
        nativeLog.end([])
        return structuredClone(result)
      }),
    )
  }

  /** Returns the state as it is now: nothing is read where the store has not changed since. */
  async #state(reader: Reader): Promise<V4State> {
    const unlock = await this.#catching.lock()
    try {
      const commits = (await reader.operationLog()).commits
      if (!this.#loaded || commits !== this.#commits) {
        const before = this.#loaded
        // If loading fails midway, the state it began with is half changed.
        this.#loaded = undefined
        this.#loaded = await load(reader, await found(reader, this.id), before)
        this.#commits = commits
      }
      return this.#loaded.state
    } finally {
      unlock()
    }
  }
}

/** Returns what is known of a session without reading it. */
export const metadataOf = (id: string, { created, parent }: SessionMeta): SessionMetadata =>
  defined({ id, createdAt: created ?? 0, parentSessionId: parent })

/** Runs work on the store; what the store refuses is an error of the code `storage`. */
export async function guarded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof SessError)) throw error
    throw new SessionError('storage', error.message, error)
  }
}

/** Returns a session of this facade, or throws `not_found`. */
export async function found(reader: Reader, id: string): Promise<SessionState> {
  const session = await findSession(reader, id)
  if (session?.meta.format !== FORMAT) throw new SessionError('not_found', `Session not found: ${id}`)
  return session
}

function checkFree(state: V4State, id: string): void {
  if (state.isTaken(id)) throw new SessionError('already_exists', `Session id already exists: ${id}`)
}

function checkEntry(state: V4State, id: string | null): void {
  if (id !== null && !state.entry(id)) throw new SessionError('not_found', `Entry not found: ${id}`)
}

/** Adds the record of a change, with its entry where it is one that a model sees, and returns that. */
async function grow(
  nativeLog: NativeLog,
  state: V4State,
  mutation: PlainMutation,
): Promise<EntryHandle | undefined> {
  const value = fromValue(mutation) as Json
  if (mutation.kind !== 'entry') {
    await nativeLog.note({ value, ...(mutation.kind === 'record' && named(mutation.record)) })
    return undefined
  }
  const { entry } = mutation
  const above = state.handleOf(entry.parentId)
  if (!Object.hasOwn(ENTRIES, entry.type)) {
    await nativeLog.note({ value, ...named(entry) })
    return above
  }
  const { handle } = await nativeLog.add({
    type: `pi/${entry.type}`,
    body: bodyOf(ENTRIES, entry.type, (value as { readonly entry: JsonObject }).entry),
    parents: above === undefined ? [] : [above],
    value,
    at: ['entry'],
    ...named(entry),
  })
  return handle
}

const named = ({ id, timestamp }: { readonly id: string; readonly timestamp: number }) => ({
  native: id,
  time: timestamp,
})

/** Moves what names of the store follow a change: the branch of a lane, the title, a label. */
async function moveRefs(
  { reader, move }: Change,
  { id, state }: { readonly id: string; readonly state: V4State },
  mutation: PlainMutation,
  handle: EntryHandle | undefined,
): Promise<void> {
  const oid = async (at: EntryHandle | undefined) => (at === undefined ? undefined : reader.oid(at))
  const put = async (ref: ReturnType<typeof branchRef>, after: RefValue | undefined) => {
    const before = await reader.ref(ref)
    if (before !== after) move(ref, before, after)
  }
  if (mutation.kind === 'entry' && mutation.lane !== undefined) {
    const ref = branchRef(id, mutation.lane)
    const [current, expected] = [await reader.ref(ref), await oid(state.handleOf(mutation.entry.parentId))]
    if (current !== undefined && current !== expected)
      throw new SessError('conflict', `${id}/${mutation.lane}`)
    await put(ref, await oid(handle))
  }
  if (mutation.kind === 'lane')
    await put(branchRef(id, mutation.lane), await oid(state.handleOf(mutation.leafId)))
  if (mutation.kind !== 'fact') return
  if (mutation.fact === 'name') {
    const { meta } = await found(reader, id)
    move(metaRef(id), refValue(meta), refValue({ ...meta, title: mutation.name || null }))
    return
  }
  const target = await oid(state.handleOf(mutation.targetId))
  const was = state.labels.get(mutation.targetId)
  if (was && was !== mutation.label && (await reader.ref(labelRef(id, was))) === target)
    await put(labelRef(id, was), undefined)
  if (mutation.label) await put(labelRef(id, mutation.label), target)
}

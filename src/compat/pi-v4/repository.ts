import { locateStore } from '../../library/outside.ts'
import { type OpenOptions, SessionStore } from '../../library/sessionstore.ts'
import type { SessionOutline, SessionWrites } from '../../library/types.ts'
import { defined } from '../../model/json.ts'
import { fromValue } from '../../model/value.ts'
import { newSessionId } from '../core/ids.ts'
import { SessionError } from './error.ts'
import { FORMAT, ofFacade } from './load.ts'
import { Session } from './session.ts'
import type { ForkMutation, V4State } from './state.ts'
import { guarded, metadataOf, SessionStorage } from './storage.ts'
import type { IdGenerator, SessionCreateOptions, SessionMetadata, V4ForkOptions } from './types.ts'

/** The folder of the store, and how it is opened; it is created if there is none. */
export interface RepositoryOptions extends Pick<OpenOptions, 'lockTimeout' | 'cwd'> {
  /** The folder of the store, by default that of the command line. */
  readonly dir?: string
}

/** Opens the sessions of pi v4 in a store. */
export const createSessionRepository = async ({
  dir = '',
  ...how
}: RepositoryOptions = {}): Promise<SessionRepository> =>
  new SessionRepository(await SessionStore.open(dir || locateStore(how), { ...how, create: true }))

/** The sessions of pi v4 in a store: each is a session of sess, its lanes are branches, its changes one log. */
export class SessionRepository implements AsyncDisposable {
  readonly #store: SessionStore

  constructor(store: SessionStore) {
    this.#store = store
  }

  /** Makes a session. Throws `already_exists`. */
  create({ id = newSessionId(), parentSessionId }: SessionCreateOptions = {}): Promise<Session> {
    return this.#begin('create', id, async (writes) => {
      await checkFree(writes, id)
      await writes.create(id, defined({ format: FORMAT, parent: parentSessionId }))
    })
  }

  /** Opens a session. Throws `not_found`. */
  async open({ id }: SessionMetadata): Promise<Session> {
    ofFacade(await this.#find(id), id)
    return this.#session(id)
  }

  /** Lists the sessions, the oldest first, without reading what they hold. */
  list(): Promise<SessionMetadata[]> {
    return guarded(() =>
      this.#store.read(async (reads) => {
        const all: SessionMetadata[] = []
        for await (const session of reads.list()) if (session.format === FORMAT) all.push(metadataOf(session))
        return all.sort((a, b) => a.createdAt - b.createdAt)
      }),
    )
  }

  /** Removes a session, if it is there. Its entries stay for `sess undo` and for its forks. */
  async delete({ id }: SessionMetadata): Promise<void> {
    if ((await this.#find(id))?.format === FORMAT) await guarded(() => this.#store.remove([id]))
  }

  /**
   * Creates a session that shares entries of another: up to a message or before it, or its whole tree. Copies nothing.
   * Throws `not_found`, `already_exists`, and `invalid_fork_target` where that is no message.
   */
  fork(source: SessionMetadata, options: V4ForkOptions & SessionCreateOptions = {}): Promise<Session> {
    const { id = newSessionId(), parentSessionId: parent = source.id } = options
    return this.#begin('fork', id, async (writes) => {
      const state = await new SessionStorage(this.#store, source.id).state(writes)
      const forking = targetOf(state, options)
      await checkFree(writes, id)
      const next = state.forked(forking)
      const continues = { session: source.id, entries: next.oidCount }
      await writes.create(id, defined({ format: FORMAT, parent, title: state.name || undefined, continues }))
      await writes.append(id, { value: fromValue(forking) ?? null })
      await nameAll(writes, id, next)
    })
  }

  close(): Promise<void> {
    return this.#store.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  #find(id: string): Promise<SessionOutline | undefined> {
    return guarded(() => this.#store.read((reads) => reads.find(id)))
  }

  #session(id: string): Session {
    const idGenerator: IdGenerator = { next: newSessionId }
    return new Session(new SessionStorage(this.#store, id), { idGenerator })
  }

  async #begin(call: string, id: string, work: (writes: SessionWrites) => Promise<void>): Promise<Session> {
    await guarded(() => this.#store.write(work, { command: `pi-v4 ${call} ${id}` }))
    return this.#session(id)
  }
}

async function checkFree(writes: SessionWrites, id: string): Promise<void> {
  if (await writes.find(id)) throw new SessionError('already_exists', `Session already exists: ${id}`)
}

/** Returns what a fork takes: before the message that is named, at the leaf of `main` where none is. */
function targetOf(state: V4State, options: V4ForkOptions): ForkMutation {
  if (options.scope === 'tree') return { kind: 'fork', scope: 'tree', leafId: null }
  const target = options.entryId ?? state.leafOf('main')
  if (target === null) return { kind: 'fork', scope: 'branch', leafId: null }
  const entry = state.entry(target)
  if (entry?.type !== 'message')
    throw new SessionError('invalid_fork_target', `Fork target is not a message entry: ${target}`)
  const position = options.position ?? (options.entryId === undefined ? 'at' : 'before')
  return { kind: 'fork', scope: 'branch', leafId: position === 'at' ? entry.id : entry.parentId }
}

/** Names the entries of the lanes and labels of a new session. */
async function nameAll(writes: SessionWrites, id: string, state: V4State): Promise<void> {
  for (const { lane, leafId } of state.lanePointers())
    await writes.setBranch(id, lane, state.oidOf(leafId) ?? null)
  for (const [target, label] of state.labels)
    if (label !== '') await writes.setLabel(id, label, state.oidOf(target) ?? null)
}

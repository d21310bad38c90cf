import { defined, type Json } from '../../model/json.ts'
import { branchRef, labelRef, metaRef } from '../../model/refname.ts'
import { fromValue } from '../../model/value.ts'
import { NativeLog } from '../../ops/append/nativelog.ts'
import { removeSessions } from '../../ops/remove.ts'
import { type Env, uuid7 } from '../../repo/env.ts'
import { processVariables } from '../../repo/environment.ts'
import { locateStore } from '../../repo/location.ts'
import { type Change, Repo, type RepoOptions } from '../../repo/repo.ts'
import { allSessions, EMPTY_META, findSession, logsOf, type SessionMeta } from '../../repo/session.ts'
import { SessionError } from './error.ts'
import { Session } from './session.ts'
import type { ForkMutation, V4State } from './state.ts'
import { FORMAT, found, guarded, metadataOf, SessionStorage } from './storage.ts'
import type { IdGenerator, SessionCreateOptions, SessionMetadata, V4ForkOptions } from './types.ts'

/** The folder of the store, and how it is opened; it is created if there is none. */
export interface RepositoryOptions extends Pick<RepoOptions, 'lockTimeout' | 'cwd'> {
  /** The folder of the store, by default that of the command line. */
  readonly dir?: string
}

/** Opens the sessions of pi v4 in a store. */
export const createSessionRepository = async ({
  dir,
  ...how
}: RepositoryOptions = {}): Promise<SessionRepository> => {
  const surroundings = { variables: processVariables(), env: { cwd: how.cwd ?? process.cwd() } }
  const folder = dir ?? locateStore(undefined, surroundings)
  return new SessionRepository(await Repo.open(folder, { ...how, create: true }))
}

/** The sessions of pi v4 in a store: each is a session of sess, its lanes are branches, its changes one log. */
export class SessionRepository implements AsyncDisposable {
  readonly #repo: Repo

  constructor(repo: Repo) {
    this.#repo = repo
  }

  /** Makes a session. Throws `already_exists`. */
  async create(options: SessionCreateOptions = {}): Promise<Session> {
    const id = options.id ?? uuid7(this.#repo.env)
    await this.#write('create', id, async (change) => {
      await checkFree(change, id)
      NativeLog.create(change, id, this.#meta(options.parentSessionId)).end()
    })
    return this.#session(id)
  }

  /** Opens a session. Throws `not_found`. */
  async open({ id }: SessionMetadata): Promise<Session> {
    await guarded(() => this.#repo.read((reader) => found(reader, id)))
    return this.#session(id)
  }

  /** Lists the sessions, the oldest first, without reading what they hold. */
  list(): Promise<SessionMetadata[]> {
    return guarded(() =>
      this.#repo.read(async (reader) => {
        const all: SessionMetadata[] = []
        for await (const { id, meta } of allSessions(reader))
          if (meta.format === FORMAT) all.push(metadataOf(id, meta))
        return all.sort((a, b) => a.createdAt - b.createdAt)
      }),
    )
  }

  /** Removes a session, if it is there. Its entries stay for `sess undo` and for its forks. */
  async delete({ id }: SessionMetadata): Promise<void> {
    const there = await guarded(() => this.#repo.read((reader) => findSession(reader, id)))
    if (there?.meta.format === FORMAT) await guarded(() => removeSessions(this.#repo, [id]))
  }

  /**
   * Creates a session that shares entries of another: up to a message or before it, or its whole tree. Copies nothing.
   * Throws `not_found`, `already_exists`, and `invalid_fork_target` where that is no message.
   */
  async fork(source: SessionMetadata, options: V4ForkOptions & SessionCreateOptions = {}): Promise<Session> {
    const id = options.id ?? uuid7(this.#repo.env)
    await this.#write('fork', id, async (change) => {
      const { state, session } = await new SessionStorage(this.#repo, source.id).forking(change)
      const forking = targetOf(state, options)
      await checkFree(change, id)
      const next = state.forked(forking)
      const fork = { base: logsOf(session), entries: next.handleCount }
      const { title, prompt } = session.meta
      const meta = {
        ...this.#meta(options.parentSessionId ?? source.id),
        ...defined({ title, prompt, fork }),
      }
      const nativeLog = NativeLog.create(change, id, meta)
      await nativeLog.note({ value: fromValue(forking) as Json })
      await nameAll(change, id, next)
      nativeLog.end()
    })
    return this.#session(id)
  }

  close(): Promise<void> {
    return this.#repo.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  #session(id: string): Session {
    const idGenerator: IdGenerator = { next: () => uuid7(this.#repo.env) }
    return new Session(new SessionStorage(this.#repo, id), { idGenerator })
  }

  #meta(parent: string | undefined): SessionMeta {
    const { cwd, now }: Env = this.#repo.env
    return { ...EMPTY_META, format: FORMAT, cwd, created: now(), ...(parent !== undefined && { parent }) }
  }

  #write(call: string, id: string, work: (change: Change) => Promise<void>): Promise<void> {
    return guarded(() => this.#repo.write({ command: `pi-v4 ${call} ${id}` }, work))
  }
}

async function checkFree({ reader }: Change, id: string): Promise<void> {
  if ((await reader.ref(metaRef(id))) !== undefined)
    throw new SessionError('already_exists', `Session already exists: ${id}`)
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

/** Creates the refs of the lanes and labels of a new session. */
async function nameAll({ reader, move }: Change, id: string, state: V4State): Promise<void> {
  for (const { lane, leafId } of state.lanePointers()) {
    const handle = state.handleOf(leafId)
    if (handle !== undefined) move(branchRef(id, lane), undefined, await reader.oid(handle))
  }
  const labels = new Map<string, string>()
  for (const [target, label] of state.labels) labels.set(label, target)
  for (const [label, target] of labels) {
    const handle = state.handleOf(target)
    if (label !== '' && handle !== undefined) move(labelRef(id, label), undefined, await reader.oid(handle))
  }
}

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isSessionFolder } from '../../formats/rollouts/fields.ts'
import { replaceFile } from '../../library/outside.ts'
import { defined } from '../../model/json.ts'
import { tryParse } from '../../model/value.ts'
import { Sequence } from '../core/sequence.ts'
import { appendLine, frozen, lineOf, linesOf, type SessionsFolder, timeNow } from './storage.ts'
import type { AgentSession, RolloutsMessage, RolloutsOutcome, SessionConfig, Status } from './types.ts'

/** Changes of a session: absent fields stay, `tags` are replaced as a whole. */
export type SessionUpdate = Partial<Pick<SessionConfig, 'status' | 'environment_state' | 'reward' | 'tags'>>

/** Options of a new session. */
export interface Beginning {
  readonly parent_id?: string | null
  readonly branch_point?: number | null
  readonly tags?: SessionConfig['tags']
}

/** The sessions to list, at most `limit` (by default 100). */
export interface SessionFilter {
  readonly filter_tags?: SessionConfig['tags']
  readonly status?: Status
  readonly limit?: number
}

/**
 * The functions on sessions in folders, one folder each. Each returns its value, or the reason for having none: nothing is
 * thrown but for what no caller can help. Changes are made one after the other.
 */
export interface FolderSessions {
  readonly create: (
    endpoint: SessionConfig['endpoint'],
    environment: SessionConfig['environment'],
    beginning?: Beginning,
  ) => Promise<RolloutsOutcome<AgentSession>>
  /** Writes what a session is, its messages too. */
  readonly save: (session: AgentSession) => Promise<RolloutsOutcome<AgentSession>>
  readonly get: (id: string) => Promise<RolloutsOutcome<AgentSession>>
  readonly getConfigSync: (id: string) => SessionConfig | null
  readonly getLatestIdSync: () => string | null
  readonly update: (id: string, change: SessionUpdate) => Promise<RolloutsOutcome<SessionConfig>>
  readonly appendMessage: (id: string, message: RolloutsMessage) => Promise<RolloutsOutcome<RolloutsMessage>>
  /** Lists sessions, the one that began last first, without their messages. */
  readonly list: (filter?: SessionFilter) => Promise<RolloutsOutcome<readonly SessionConfig[]>>
  readonly listChildren: (parentId: string) => Promise<RolloutsOutcome<readonly SessionConfig[]>>
  readonly getLatest: (status?: Status) => Promise<RolloutsOutcome<AgentSession>>
  readonly delete: (id: string) => Promise<RolloutsOutcome<string>>
}

/** Returns the functions over sessions in folders. */
export function folderSessions(place: SessionsFolder): FolderSessions {
  const writing = new Sequence()
  const folder = (id: string): string => join(place.root(), id)
  const messagesOf = (id: string): string => join(folder(id), 'messages.jsonl')

  /** Changes are made one after the other; what the system refuses is an outcome. */
  const changing = async <T>(
    work: () => RolloutsOutcome<T> | Promise<RolloutsOutcome<T>>,
  ): Promise<RolloutsOutcome<T>> => {
    try {
      return await writing.run(work)
    } catch (error) {
      if (error instanceof Error) return failed(error.message)
      throw error
    }
  }

  const config = (id: string): RolloutsOutcome<SessionConfig> => {
    const path = join(folder(id), 'session.json')
    if (!isSessionFolder(id) || !existsSync(path)) return failed(`Session not found: ${id}`)
    const value = tryParse(readFileSync(path, 'utf8'))
    return typeof value === 'object' && value !== null
      ? done(frozen(value as object) as SessionConfig)
      : failed(`Invalid session.json of ${id}`)
  }

  const writeConfig = (about: SessionConfig): void =>
    replaceFile(join(folder(about.session_id), 'session.json'), JSON.stringify(about, null, 2))

  const write = async ({ messages, ...about }: AgentSession): Promise<AgentSession> => {
    await mkdir(folder(about.session_id), { recursive: true })
    const clean = { ...about, endpoint: withoutSecrets(about.endpoint) }
    writeConfig(clean)
    const path = messagesOf(about.session_id)
    replaceFile(path, messages.map(lineOf).join(''))
    place.wrote(path)
    return frozen({ ...clean, messages: [...messages] })
  }

  const load = (id: string): RolloutsOutcome<AgentSession> => {
    const [about, error] = config(id)
    if (error !== null) return failed(error)
    const path = messagesOf(id)
    return done(
      frozen({
        ...about,
        messages: existsSync(path) ? [...(linesOf(path) as readonly RolloutsMessage[])] : [],
      }),
    )
  }

  const ids = async (): Promise<string[]> => {
    const names = existsSync(place.root()) ? await readdir(place.root()) : []
    return newestFirst(names)
  }

  const list = async ({
    filter_tags = {},
    status,
    limit = 100,
  }: SessionFilter): Promise<readonly SessionConfig[]> => {
    const found: SessionConfig[] = []
    for (const id of await ids()) {
      if (found.length >= limit) break
      const [about] = config(id)
      if (about === null || (status !== undefined && about.status !== status)) continue
      if (Object.entries(filter_tags).every(([key, value]) => about.tags[key] === value)) found.push(about)
    }
    return Object.freeze(found)
  }

  return {
    create: (endpoint, environment, { parent_id = null, branch_point = null, tags = {} } = {}) =>
      changing(async () => {
        const now = timeNow(place)
        const session_id = newId(place, now)
        const origin = { session_id, parent_id, branch_point, endpoint, environment }
        const state = { environment_state: null, status: 'pending', reward: null, tags } as const
        return done(await write({ ...origin, ...state, created_at: now, updated_at: now, messages: [] }))
      }),
    save: (session) => changing(async () => done(await write({ ...session, updated_at: timeNow(place) }))),
    get: (id) => changing(() => load(id)),
    getConfigSync: (id) => config(id)[0],
    getLatestIdSync: () =>
      existsSync(place.root()) ? (newestFirst(readdirSync(place.root()))[0] ?? null) : null,
    update: (id, { status, environment_state, reward, tags }) =>
      changing(() => {
        const [about, error] = config(id)
        if (error !== null) return failed(error)
        const change = defined({ status, environment_state, reward, tags })
        const next = { ...about, ...change, updated_at: timeNow(place) }
        writeConfig(next)
        return done(frozen(next))
      }),
    appendMessage: (id, message) =>
      changing(() => {
        const [, error] = config(id)
        if (error !== null) return failed(error)
        const timed = { ...message, timestamp: message.timestamp ?? timeNow(place) }
        appendLine(messagesOf(id), timed)
        place.wrote(messagesOf(id))
        return done(frozen(timed))
      }),
    list: (filter = {}) => changing(async () => done(await list(filter))),
    listChildren: (parentId) =>
      changing(async () => {
        const all = await list({ limit: Number.POSITIVE_INFINITY })
        return done(Object.freeze(all.filter(({ parent_id }) => parent_id === parentId)))
      }),
    getLatest: (status) =>
      changing(async () => {
        const [latest] = await list(defined({ limit: 1, status }))
        return latest ? load(latest.session_id) : failed('No sessions found')
      }),
    delete: (id) =>
      changing(async () => {
        const [, error] = config(id)
        if (error !== null) return failed(error)
        await rm(folder(id), { recursive: true })
        return done(id)
      }),
  }
}

const done = <T>(value: T): RolloutsOutcome<T> => [value, null]
const failed = (error: string): readonly [null, string] => [null, error]

const newestFirst = (names: readonly string[]): string[] => names.filter(isSessionFolder).sort().reverse()

/** Returns the id of a session that begins: the time, then 6 hex digits. */
function newId({ env }: SessionsFolder, now: string): string {
  const [date = '', time = ''] = now.slice(0, 19).replaceAll(/[-:]/g, '').split('T')
  return `${date}_${time}_${Buffer.from(env.random(3)).toString('hex')}`
}

const SECRET = /(?:^|_)(?:key|secret|password)$|^(?:\w+_)?token$/i

/** Returns an endpoint without what nobody should read. */
const withoutSecrets = (endpoint: SessionConfig['endpoint']): SessionConfig['endpoint'] =>
  Object.fromEntries(Object.entries(endpoint).filter(([key]) => !SECRET.test(key)))

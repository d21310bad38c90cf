import { asString, isObject, type Json, type JsonObject } from '../../model/json.ts'
import { firstOf } from '../core/contentblocks.ts'

const TIMES = [
  'timestamp',
  'ts',
  'time',
  'created_at',
  'createdAt',
  'created',
  'date',
  'sentAt',
  'startTime',
] as const
const INNER = ['message', 'info', 'data', 'meta', 'metadata', 'payload'] as const
const IDS = ['uuid', 'id', 'messageId', 'message_id'] as const
const SESSION_IDS = [
  'sessionId',
  'session_id',
  'sessionID',
  'conversationId',
  'conversation_id',
  'threadId',
] as const
const TITLES = ['title', 'sessionTitle', 'customTitle', 'name', 'summary'] as const
const FOLDERS = ['cwd', 'workingDirectory', 'workspaceDirectory', 'directory', 'workspace'] as const

/**
 * Returns when a record of an unknown format was said, in milliseconds since 1970, where one of its fields
 * tells.
 */
export function timeIn(value: Json): number | undefined {
  if (!isObject(value)) return undefined
  const own = timeAmong(value)
  if (own !== undefined) return own
  for (const name of INNER) {
    const inner = value[name]
    const time = isObject(inner) ? timeAmong(inner) : undefined
    if (time !== undefined) return time
  }
  return undefined
}

function timeAmong(value: JsonObject): number | undefined {
  for (const name of TIMES) {
    const found = value[name]
    const time = millis(isObject(found) ? firstOf(found, ['created', 'start', 'started']) : found)
    if (time !== undefined) return time
  }
  return undefined
}

/**
 * Returns an ISO time, or seconds or milliseconds since 1970, as milliseconds; nothing else passes for a
 * time.
 */
export function millis(value: Json | undefined): number | undefined {
  if (typeof value === 'number') {
    if (value >= 1e8 && value < 1e11) return Math.round(value * 1000)
    return value >= 1e11 && value < 1e14 ? Math.round(value) : undefined
  }
  const text = asString(value)
  if (text === undefined || !/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(text) || text.length > 40) return undefined
  const time = Date.parse(text)
  return Number.isNaN(time) ? undefined : time
}

/** Returns the id that a record of an unknown format carries. */
export const nativeIn = (value: Json): string | undefined =>
  asString(firstOf(value, IDS)) ?? asString(firstOf(firstOf(value, INNER), IDS))

/** What a record of an unknown format tells of its session. */
export interface Hints {
  readonly id?: string
  readonly title?: string
  readonly cwd?: string
}

/** Returns what a record tells of its session. A header's own `id`, `title` and `name` are the session's. */
export function hintsIn(value: Json, isHeader: boolean): Hints {
  const inner = firstOf(value, ['data', 'context', 'info'])
  const find = (names: readonly string[]): string | undefined =>
    asString(firstOf(value, names)) ?? asString(firstOf(inner, names))
  const id = find(SESSION_IDS) ?? (isHeader ? find(['id']) : undefined)
  const title = isHeader ? find(TITLES) : undefined
  const cwd = find(FOLDERS)
  return { ...(id && { id }), ...(title && { title }), ...(cwd && { cwd }) }
}

/** Returns whether a record says that it begins a session. */
export const isHeader = (value: Json): boolean =>
  /^(session|metadata|header|init)\b|session[._-]?(start|meta|init|created)/i.test(
    asString(firstOf(value, ['type'])) ?? '',
  )

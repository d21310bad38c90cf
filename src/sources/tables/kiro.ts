import type { SqlRow } from '../sqlite.ts'
import type { AgentTables } from './agenttables.ts'
import { type JsonPart, jsonParts } from './jsonparts.ts'
import { embedded, line } from './rows.ts'

/** Tables of Kiro CLI without conversations. They hold credentials, settings and the commands of a shell. */
const IGNORES = ['migrations', 'auth_kv', 'state', 'history']

/**
 * The first engine of Kiro CLI: a conversation is one JSON document that is rewritten as it grows. The row comes with an
 * empty history; each turn is a line for the user and one for the answer. One conversation may be in several rows, one
 * for each folder: the newest counts, the others are lines after it.
 */
export const kiro: AgentTables = {
  needs: { conversations_v2: ['key', 'conversation_id', 'value', 'created_at', 'updated_at'] },
  reads: {
    conversations_v2: { columns: ['key', 'conversation_id', 'value', 'created_at', 'updated_at'] },
  },
  ignores: IGNORES,
  sessions: (database) =>
    database.rows(
      'SELECT conversation_id AS id, MIN(created_at) AS created FROM conversations_v2 GROUP BY id ORDER BY created, id',
    ),
  *lines(database, { id = null }) {
    const rows = database.rows(
      'SELECT * FROM conversations_v2 WHERE conversation_id IS ? ORDER BY updated_at DESC, created_at DESC, key DESC',
      id,
    )
    let count = 0
    for (const row of rows)
      if (count++ === 0) yield* conversationLines('conversations_v2', row)
      else yield line('conversations_v2', row, ['value'])
  },
}

/** Its releases before: one conversation for each folder. */
export const kiroFolders: AgentTables = {
  needs: { conversations: ['key', 'value'], migrations: ['version'] },
  reads: { conversations: { columns: ['key', 'value'] } },
  ignores: IGNORES,
  *sessions(database) {
    let count = 0
    for (const row of database.rows('SELECT key, value FROM conversations ORDER BY key'))
      yield { key: row.key ?? null, id: conversationId(row) ?? `row-${count++}` }
  },
  *lines(database, { key = null }) {
    for (const row of database.rows('SELECT * FROM conversations WHERE key IS ?', key))
      yield* conversationLines('conversations', row)
  },
}

/** Returns the id in a conversation, if it can be part of a path. */
function conversationId({ value = null }: SqlRow): string | undefined {
  const id = parts(value)
    ?.find(({ key }) => key === '"conversation_id"')
    ?.value.trim()
  return id !== undefined && /^"[\w.-]+"$/.test(id) ? id.slice(1, -1) : undefined
}

/** Returns the members of a JSON object; undefined of any other value. */
function parts(value: SqlRow[string]): readonly JsonPart[] | undefined {
  if (typeof value !== 'string' || !/^\s*\{/.test(value)) return undefined
  try {
    JSON.parse(value)
    return jsonParts(value)
  } catch {
    return undefined // it is kept with its row
  }
}

/** Yields the lines of a conversation: its row, then each turn. */
function* conversationLines(table: string, row: SqlRow): Generator<string> {
  const { value = null } = row
  const document = parts(value) ?? []
  const history = document.find(({ key }) => key === '"history"')
  if (!history?.value.trim().startsWith('[')) {
    yield line(table, row, ['value'])
    return
  }
  // A document over several lines stays a text in its row: its turns are spelled again.
  const isOneLine = embedded(value) === value
  const rest = document.map((part) => `${part.key}:${part === history ? '[]' : part.value}`)
  yield line(table, isOneLine ? { ...row, value: `{${rest.join(',')}}` } : row, ['value'])
  const turns = isOneLine ? history.value : JSON.stringify(JSON.parse(history.value))
  for (const [turn, { value: text }] of jsonParts(turns).entries())
    for (const members of linesOfTurn(text)) yield `{"turn":${turn},${members.join(',')}}`
}

/** Returns the members of the lines of a turn: `{ user, assistant, … }`, or in older releases a list of both. */
function linesOfTurn(turn: string): readonly (readonly string[])[] {
  if (!/^\s*[{[]/.test(turn)) return [[`"value":${turn}`]]
  const members = jsonParts(turn).map(({ key, value }, i) => `${key ?? `"${i}"`}:${value}`)
  const isUser = (member: string): boolean => /^"(?:user|0)":/.test(member)
  return [members.filter(isUser), members.filter((member) => !isUser(member))].filter(
    (group) => group.length > 0,
  )
}

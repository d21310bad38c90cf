import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import type { SessionAbout } from '../content.ts'
import { chunksOf, kindWithin, statOf } from '../files.ts'
import type { SourceDatabase, SqlRow, SqlValue } from '../sqlite.ts'
import { unzstd } from '../zstd.ts'
import type { AgentTables } from './agenttables.ts'
import { columnsOf, line, rowsOf } from './rows.ts'

const EVENTS = 'transcript_events'
const WINDOWS = 'session_windows'
const NODES = 'session_nodes'
/** Sessions that were deleted or reset: their transcripts, whole and compressed. */
const ARCHIVES = 'session_transcript_archives'
/** Sessions that were not used for long: their events, compressed, in the table or in a file. */
const COLD = 'session_transcript_cold_archives'

/** The largest event and the largest transcript that are decompressed. */
const MAX_EVENT_BYTES = 32 << 20
const MAX_TRANSCRIPT_BYTES = 256 << 20

/** The reasons for which a conversation goes on in another session. */
const GOES_ON: ReadonlySet<SqlValue | undefined> = new Set(['reset', 'rollover', 'recovery', 'compaction'])

/**
 * OpenClaw since 2026.8. An event is a line of the files that it wrote before, unchanged, so that a session in a file and
 * in the database has the same bytes.
 */
export const openclaw: AgentTables = {
  needs: { [EVENTS]: ['session_id', 'seq', 'event_json', 'created_at'] },
  reads: {
    [EVENTS]: {
      columns: [
        ...['session_id', 'seq', 'event_json', 'created_at'],
        ...['event_zstd', 'event_utf8_bytes', 'navigation_json'],
      ],
    },
    [WINDOWS]: {},
    [NODES]: {},
    [ARCHIVES]: {
      columns: [
        ...['session_id', 'generation', 'session_key', 'reason', 'encoding', 'archive_blob'],
        ...['archive_sha256', 'archive_name', 'created_at', 'published_at'],
      ],
    },
    [COLD]: {
      columns: [
        ...['session_id', 'generation', 'archive_name', 'archive_sha256', 'event_count', 'raw_bytes'],
        ...['archive_bytes', 'last_seq', 'archived_at', 'storage', 'archive_blob'],
      ],
    },
  },
  version: { table: 'schema_meta', column: 'schema_version', newest: 24 },
  ignores: [
    ...['schema_meta', 'conversations', 'session_conversations', 'transcript_event_identities'],
    ...[
      'transcript_rewrite_watermarks',
      'session_transcript_index_state',
      'session_transcript_active_events',
    ],
    ...['session_entry_snapshots', 'session_members', 'session_participants', 'session_progress_cards'],
    ...['session_pending_inputs', 'session_suggestions', 'session_goal_operations', 'heartbeat_outcomes'],
    ...['memory_entry_origins', 'memory_session_tombstones', 'message_tool_run_outcomes', 'board_tabs'],
    ...['standing_intents', 'trajectory_runtime_events'],
    ...['', '_data', '_idx', '_content', '_docsize', '_config'].map((end) => `session_transcript_fts${end}`),
  ],
  *sessions(database) {
    const cold = hasAll(columnsOf(database, COLD), ['session_id', 'archived_at'])
      ? `UNION ALL SELECT session_id AS id, archived_at AS at FROM ${COLD} `
      : ''
    yield* database.rows(
      `SELECT id, MIN(at) AS at FROM (SELECT session_id AS id, created_at AS at FROM ${EVENTS} ${cold}) GROUP BY id ORDER BY at, id`,
    )
    if (!hasAll(columnsOf(database, ARCHIVES), ['session_id', 'generation', 'archive_blob', 'created_at']))
      return
    const archives = `SELECT session_id AS archived, generation FROM ${ARCHIVES} ORDER BY created_at, session_id, generation`
    for (const row of database.rows(archives))
      yield { ...row, id: `${String(row.archived)}.${String(row.generation)}` }
  },
  lines: (database, session, path) =>
    session.archived === undefined ? eventLines(database, session, path) : archiveLines(database, session),
  beside: (database, session) => besideLines(database, session),
  about: (database, session) => aboutSession(database, session),
}

const hasAll = (columns: ReadonlySet<string>, names: readonly string[]): boolean =>
  names.every((name) => columns.has(name))

/** Yields the events of a session: first those in cold storage, then those in the table. */
async function* eventLines(database: SourceDatabase, session: SqlRow, path: string): AsyncGenerator<string> {
  let last = Number.NEGATIVE_INFINITY
  if (columnsOf(database, COLD).has('session_id'))
    for (const row of rowsOf(database, COLD, 'session_id', session, 'session_id')) {
      const bytes = await coldBytes(row, path)
      if (!bytes) {
        yield line(COLD, row, [])
        continue
      }
      last = Math.max(last, Number(row.last_seq ?? last))
      for (const text of utf8.decode(bytes).split('\n')) if (text !== '') yield* coldEvent(text)
    }
  for (const row of rowsOf(database, EVENTS, 'session_id', session, 'seq'))
    if (Number(row.seq) > last) yield await eventText(row)
}

/** Returns the text of an event. A row that has none, or one that cannot be decompressed, is a line by itself. */
async function eventText(row: SqlRow): Promise<string> {
  const { event_json: text, event_zstd: packed } = row
  if (typeof text === 'string') return text
  const bytes = packed instanceof Uint8Array ? await unpacked([packed], MAX_EVENT_BYTES) : undefined
  return bytes ? utf8.decode(bytes) : line(EVENTS, row, [])
}

/** Returns the events of a session in cold storage: in the row, or in a file beside the sessions. Follows no link. */
async function coldBytes(row: SqlRow, path: string): Promise<Uint8Array | undefined> {
  const { archive_blob: blob, archive_name: name } = row
  if (blob instanceof Uint8Array) return unpacked([blob], MAX_TRANSCRIPT_BYTES)
  if (typeof name !== 'string' || /[/\\\0]|^\.\.?$/.test(name)) return undefined
  const agent = dirname(dirname(path))
  const steps = `sessions/cold/${name}`
  if (kindWithin(agent, steps) !== 'file') return undefined
  const file = join(agent, steps)
  return unpacked(chunksOf(file, statOf(file).size), MAX_TRANSCRIPT_BYTES)
}

/** Yields the event in a line of cold storage, which holds its row or is the event itself; none for a header. */
function* coldEvent(text: string): Generator<string> {
  const { kind, row } = text.startsWith('{"kind":') ? (JSON.parse(text) as ColdLine) : {}
  if (kind === undefined) yield text
  else if (typeof row?.event_json === 'string') yield row.event_json
}

interface ColdLine {
  readonly kind?: unknown
  readonly row?: { readonly event_json?: unknown }
}

/** Yields the transcript of a session that was deleted or reset. One that cannot be decompressed stays in its row. */
async function* archiveLines(
  database: SourceDatabase,
  { archived = null, generation = null }: SqlRow,
): AsyncGenerator<string | Uint8Array> {
  const rows = database.rows(
    `SELECT * FROM ${ARCHIVES} WHERE session_id IS ? AND generation IS ?`,
    archived,
    generation,
  )
  for (const row of rows) {
    const { encoding, archive_blob: blob } = row
    const isPlain = encoding === 'identity'
    const bytes = blob instanceof Uint8Array && !isPlain ? await unpacked([blob], MAX_TRANSCRIPT_BYTES) : blob
    yield bytes instanceof Uint8Array ? bytes : line(ARCHIVES, row, [])
  }
}

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })

/** Returns decompressed bytes; undefined where they are damaged or more than a limit. */
async function unpacked(
  packed: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  most: number,
): Promise<Uint8Array | undefined> {
  const parts: Uint8Array[] = []
  let size = 0
  try {
    for await (const part of unzstd(Readable.from(packed))) {
      size += part.length
      if (size > most) return undefined
      parts.push(part)
    }
  } catch {
    return undefined // what is damaged stays in its row
  }
  return Buffer.concat(parts)
}

/** Yields the rows about a session: its windows, and the nodes whose current session it is. */
function* besideLines(database: SourceDatabase, session: SqlRow): Generator<string> {
  const { archived: id = session.id ?? null } = session
  for (const row of windowsOf(database, id)) yield line(WINDOWS, row, [])
  for (const row of nodesOf(database, 'current_session_id', id)) yield line(NODES, row, ['entry_json'])
}

const windowsOf = (database: SourceDatabase, id: SqlValue): readonly SqlRow[] =>
  columnsOf(database, WINDOWS).has('session_id')
    ? [...database.rows(`SELECT * FROM ${WINDOWS} WHERE session_id = ? LIMIT 100`, id)]
    : []

const nodesOf = (database: SourceDatabase, column: string, value: SqlValue): readonly SqlRow[] =>
  columnsOf(database, NODES).has(column)
    ? [...database.rows(`SELECT * FROM ${NODES} WHERE ${column} = ? LIMIT 100`, value)]
    : []

/** Returns what the windows and nodes tell of a session: its title, its caller, and the session in which it goes on. */
function aboutSession(database: SourceDatabase, session: SqlRow): SessionAbout {
  const { archived: id = session.id ?? null } = session
  const [own] = windowsOf(database, id)
  const key = own?.session_key
  const [node] = key === undefined ? [] : nodesOf(database, 'session_key', key)
  const caller = text(own?.spawned_by) ?? text(node?.spawned_by)
  const [parent] = caller === undefined ? [] : nodesOf(database, 'session_key', caller)
  const next = columnsOf(database, WINDOWS).has('previous_session_id')
    ? [...database.rows(`SELECT * FROM ${WINDOWS} WHERE previous_session_id = ? LIMIT 100`, id)]
    : []
  return {
    title: text(node?.label) ?? text(node?.display_name) ?? text(own?.display_name),
    parent: text(parent?.current_session_id),
    continuedIn: text(next.find(({ reason }) => GOES_ON.has(reason))?.session_id),
  }
}

const text = (value: SqlValue | undefined): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

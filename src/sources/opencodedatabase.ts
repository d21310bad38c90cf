import { isObject, items, type Json, type JsonObject, jsonText } from '../model/json.ts'
import { parseJson } from '../model/value.ts'
import { chunksOf, statOf } from './files.ts'
import type { Scratch } from './scratch.ts'
import { newDatabase, type SqlRow } from './sqlite.ts'

/** The tables of OpenCode that hold a session, as of 2026. */
const TABLES = `
CREATE TABLE session (id TEXT PRIMARY KEY, project_id TEXT NOT NULL, workspace_id TEXT, parent_id TEXT, slug TEXT NOT NULL,
  directory TEXT NOT NULL, path TEXT, title TEXT NOT NULL, version TEXT NOT NULL, share_url TEXT,
  summary_additions INTEGER, summary_deletions INTEGER, summary_files INTEGER, summary_diffs TEXT,
  cost REAL NOT NULL DEFAULT 0, tokens_input INTEGER NOT NULL DEFAULT 0, tokens_output INTEGER NOT NULL DEFAULT 0,
  tokens_reasoning INTEGER NOT NULL DEFAULT 0, tokens_cache_read INTEGER NOT NULL DEFAULT 0,
  tokens_cache_write INTEGER NOT NULL DEFAULT 0, revert TEXT, permission TEXT, agent TEXT, model TEXT,
  time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL, time_compacting INTEGER, time_archived INTEGER);
CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT NOT NULL REFERENCES session(id) ON DELETE CASCADE,
  time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL, data TEXT NOT NULL);
CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT NOT NULL REFERENCES message(id) ON DELETE CASCADE,
  session_id TEXT NOT NULL, time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL, data TEXT NOT NULL);
CREATE INDEX message_session_idx ON message (session_id);
CREATE INDEX part_message_idx ON part (message_id);
CREATE INDEX part_session_idx ON part (session_id);
`

/** Yields the bytes of a new OpenCode database with the rows of one session, from lines of JSON. */
export async function* opencodeDatabase(
  lines: AsyncIterable<Uint8Array>,
  scratch: Scratch,
): AsyncGenerator<Uint8Array> {
  const file = scratch.file()
  const database = await newDatabase(file)
  try {
    database.exec(`BEGIN;${TABLES}`)
    for await (const line of linesIn(lines))
      for (const [table, row] of rowsIn(parseJson(line)?.value)) database.insert(table, row)
    database.exec('COMMIT')
  } finally {
    database.close()
  }
  for await (const chunk of chunksOf(file, statOf(file).size)) yield chunk.slice()
}

/** A row to be inserted into a table. */
type NewRow = readonly [table: string, row: SqlRow]

function* rowsIn(line: Json | undefined): Generator<NewRow> {
  if (!isObject(line)) return
  const { table, row, info, parts, rows } = line
  if (table === 'session' && isObject(row)) yield [table, plain(row)]
  const [message, ...others] = items(rows).filter(isObject)
  if (message === undefined || info === undefined) return
  yield ['message', { ...plain(message), data: jsonText(info) }]
  for (const [i, part] of items(parts).entries())
    yield ['part', { ...plain(others[i] ?? {}), data: jsonText(part) }]
}

const plain = (row: JsonObject): SqlRow =>
  Object.fromEntries(
    Object.entries(row).map(([column, value]) => [
      column,
      value === null || typeof value === 'string' || typeof value === 'number' ? value : jsonText(value),
    ]),
  )

/** Yields the lines of a stream without their newlines. */
async function* linesIn(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
}

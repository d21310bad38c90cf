import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { newDatabase } from '../../support/database.ts'
import { newFolder } from '../../support/folder.ts'

/** A message with its parts, as OpenCode's export has it. */
export interface Message {
  readonly info: {
    readonly id: string
    readonly time: { readonly created: number }
    readonly [key: string]: unknown
  }
  readonly parts: readonly { readonly id: string; readonly [key: string]: unknown }[]
}

/** A session, as OpenCode's export has it. */
export interface Session {
  readonly info: { readonly id: string; readonly [key: string]: unknown }
  readonly messages: readonly Message[]
}

const T = 1_760_000_000_000

/** Makes a message; its parts have ids by their places. */
export const message = (
  id: string,
  at: number,
  info: Readonly<Record<string, unknown>>,
  ...parts: readonly Readonly<Record<string, unknown>>[]
): Message => ({
  info: { id, sessionID: 'ses_1', time: { created: T + at }, ...info },
  parts: parts.map((part, i) => ({ id: `prt_${id}_${i}`, sessionID: 'ses_1', messageID: id, ...part })),
})

export const user = (id: string, at: number, text: string): Message =>
  message(
    id,
    at,
    { role: 'user', agent: 'build', model: { providerID: 'anthropic', modelID: 'claude' } },
    { type: 'text', text },
  )

export const assistant = (
  id: string,
  at: number,
  ...parts: readonly Readonly<Record<string, unknown>>[]
): Message =>
  message(
    id,
    at,
    { role: 'assistant', mode: 'build', modelID: 'claude', providerID: 'anthropic', finish: 'stop', cost: 0 },
    ...parts,
  )

export const text = (words: string): Readonly<Record<string, unknown>> => ({ type: 'text', text: words })

/** A tool part that was answered; cleared later, where a time is passed. */
export const tool = (
  callID: string,
  output: string,
  compacted?: number,
): Readonly<Record<string, unknown>> => ({
  type: 'tool',
  callID,
  tool: 'bash',
  state: {
    status: 'completed',
    input: { command: 'ls' },
    output,
    title: 'ls',
    metadata: {},
    time: { start: T, end: T, ...(compacted !== undefined && { compacted: T + compacted }) },
  },
})

export const session = (messages: readonly Message[], info: object = {}): Session => ({
  info: {
    id: 'ses_1',
    slug: 'calm-river',
    projectID: 'prj',
    directory: '/home/ada/app',
    parentID: 'ses_0',
    title: 'A title',
    version: '1.2.3',
    time: { created: T, updated: T + 1 },
    ...info,
  },
  messages,
})

/** Writes a session as OpenCode exports it, and gives the file. */
export function exported(value: Session): string {
  const file = join(newFolder(), 'ses_1.json')
  writeFileSync(file, JSON.stringify(value, null, 2))
  return file
}

/** Writes a session as OpenCode kept it before 2026, and gives the folder. */
export function stored({ info, messages }: Session): string {
  const root = join(newFolder(), 'storage')
  const write = (file: string, value: unknown): void => {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), JSON.stringify(value, null, 2))
  }
  write(`session/prj/${info.id}.json`, info)
  for (const { info: fields, parts } of messages) {
    write(`message/${info.id}/${fields.id}.json`, fields)
    for (const part of parts) write(`part/${fields.id}/${part.id}.json`, part)
  }
  return root
}

const quoted = (value: unknown): string =>
  value === undefined || value === null
    ? 'NULL'
    : typeof value === 'number'
      ? String(value)
      : `'${(typeof value === 'string' ? value : JSON.stringify(value)).replaceAll("'", "''")}'`

/** Writes a session as rows, and gives the database. */
export function rows({ info, messages }: Session): string {
  const insert = (table: string, ...values: readonly unknown[]): string =>
    `INSERT INTO ${table} VALUES (${values.map(quoted).join(', ')});`
  const statements = messages.flatMap(({ info: { id, sessionID: _own, ...data }, parts }) => [
    insert('message', id, info.id, data.time.created, data.time.created, data),
    ...parts.map(({ id: part, sessionID: _session, messageID, ...fields }) =>
      insert('part', part, messageID, info.id, data.time.created, data.time.created, fields),
    ),
  ])
  const { id, projectID, parentID, directory, title, revert } = info
  return newDatabase(
    `CREATE TABLE session (id TEXT, project_id TEXT, parent_id TEXT, directory TEXT, title TEXT, revert TEXT, time_created INTEGER);
CREATE TABLE message (id TEXT, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
${insert('session', id, projectID, parentID, directory, title, revert, T)}
${statements.join('\n')}`,
    'opencode.db',
  )
}

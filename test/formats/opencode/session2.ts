import { newDatabase } from '../../support/database.ts'

export const T = 1_789_000_000_000

/** A row of the table of messages of OpenCode 2. */
export interface Row {
  readonly id: string
  readonly type: string
  readonly at: number
  readonly data: Readonly<Record<string, unknown>>
}

/** A session of OpenCode 2: the columns of its row that matter, and its messages. */
export interface Session2 {
  readonly id: string
  readonly row?: Readonly<Record<string, unknown>>
  readonly messages: readonly Row[]
}

export const row2 = (type: string, id: string, at: number, data: Row['data']): Row => ({
  ...{ id, type, at },
  data: { ...data, time: { created: T + at, ...(data.time as object | undefined) } },
})

export const user2 = (id: string, at: number, text: string): Row => row2('user', id, at, { text })

export const TOKENS = { input: 100, output: 10, reasoning: 5, cache: { read: 2, write: 1 } }

export const assistant2 = (id: string, at: number, ...content: readonly (string | object)[]): Row =>
  row2('assistant', id, at, {
    agent: 'build',
    model: { providerID: 'anthropic', id: 'claude', variant: 'high' },
    content: content.map((item) => (typeof item === 'string' ? { type: 'text', text: item } : item)),
    finish: 'stop',
    cost: 0.5,
    tokens: TOKENS,
    time: { completed: T + at + 1 },
  })

export const tool2 = (id: string, name: string, state: object): object => ({
  ...{ type: 'tool', id, name, state },
  time: { created: T, completed: T },
})

export const compaction2 = (id: string, at: number, fields: object): Row =>
  row2('compaction', id, at, { reason: 'auto', ...fields })

const SESSION =
  'id TEXT PRIMARY KEY, project_id TEXT, parent_id TEXT, fork_session_id TEXT, fork_boundary TEXT, directory TEXT, title TEXT, version TEXT, cost REAL, revert TEXT, time_created INTEGER, time_updated INTEGER'

const quoted = (value: unknown): string =>
  value === undefined || value === null
    ? 'NULL'
    : typeof value === 'number'
      ? String(value)
      : `'${(typeof value === 'string' ? value : JSON.stringify(value)).replaceAll("'", "''")}'`

/** Returns the statements that make the tables of OpenCode 2; `table` is that of the sessions. */
export const tables2 = (sessions: readonly Session2[], table = 'session_v2'): string =>
  [
    `CREATE TABLE ${table} (${SESSION});`,
    'CREATE TABLE session_message (id TEXT PRIMARY KEY, session_id TEXT, type TEXT, seq INTEGER, time_created INTEGER, time_updated INTEGER, data TEXT);',
    ...sessions.map(({ id, row = {}, messages }) => {
      const usual = { id, project_id: 'prj', directory: '/home/ada/app', title: 'A title', version: '2.0.12' }
      const updated = Math.max(0, ...messages.map(({ at }) => at))
      const all = { ...usual, cost: 0, time_created: T, time_updated: T + updated, ...row }
      return `INSERT INTO ${table} (${Object.keys(all).join()}) VALUES (${Object.values(all).map(quoted).join()});`
    }),
    ...sessions.flatMap(({ id, messages }) =>
      messages.map(
        (message, seq) =>
          `INSERT INTO session_message VALUES (${[message.id, id, message.type, seq, T + message.at, T + message.at, message.data].map(quoted).join()});`,
      ),
    ),
  ].join('\n')

/** Makes a database of OpenCode 2, and gives its path. */
export const database2 = (sessions: readonly Session2[], name = 'opencode.db'): string =>
  newDatabase(tables2(sessions), name)

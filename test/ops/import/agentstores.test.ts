import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import sqlite from 'node-sqlite3-wasm'
import { expect, it } from 'vitest'
import { asString, type Json } from '../../../src/model/json.ts'
import { filesIn } from '../../support/folder.ts'
import { Shell } from '../../support/shell.ts'
import { storedFrame } from '../../support/zstd.ts'

/** Writes files below a shell's home, of a date that import takes for settled. */
function put(shell: Shell, files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [name, bytes] of Object.entries(files)) {
    const path = shell.path(name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, bytes)
  }
}

/** Runs statements of SQL in a database below a shell's home. */
function sql(
  shell: Shell,
  name: string,
  statements: string,
  ...values: readonly (string | Uint8Array)[]
): void {
  mkdirSync(dirname(shell.path(name)), { recursive: true })
  const database = new sqlite.Database(shell.path(name))
  if (values.length > 0) database.run(statements, [...values])
  else database.exec(statements)
  database.close()
}

const lines = (...records: readonly object[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('')

async function listed(shell: Shell): Promise<readonly Record<string, unknown>[]> {
  const { stdout } = await shell.run('sess ls --json')
  return stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

/** Returns who says what in a session's context. */
async function said(shell: Shell, session: string): Promise<string> {
  const { stdout } = await shell.run(`sess context ${session} --json`)
  const { messages } = JSON.parse(stdout) as {
    readonly messages: readonly { readonly role: string; readonly blocks: readonly Record<string, Json>[] }[]
  }
  return messages
    .map(
      ({ role, blocks }) =>
        `${role}: ${blocks.map(({ text, name }) => asString(text) ?? asString(name)).join(', ')}`,
    )
    .join('\n')
}

const unreadIn = async (shell: Shell): Promise<readonly unknown[]> =>
  (await shell.run('sess import --json')).stdout
    .split('\n')
    .filter((line) => line.includes('"unread":'))
    .map((line) => JSON.parse(line) as unknown)

const sound = async (shell: Shell): Promise<void> => expect((await shell.run('sess fsck')).code).toBe(0)

const message = (id: string, parentId: string | null, role: string, text: string): object => ({
  ...{ type: 'message', id, parentId, timestamp: '2026-09-10T08:00:00.000Z' },
  message: { role, content: [{ type: 'text', text }], timestamp: 1 },
})
const header = (id: string): object => ({
  ...{ type: 'session', version: 3, id, timestamp: '2026-09-10T08:00:00.000Z', cwd: '/home/ada/tides' },
})
const A = '0c1a0000-0000-4000-8000-000000000001'
const B = '0c1a0000-0000-4000-8000-000000000002'
const C = '0c1a0000-0000-4000-8000-000000000003'
const D = '0c1a0000-0000-4000-8000-000000000004'
const CLAW = '.openclaw/agents/main/agent/openclaw-agent.sqlite'
const CLAW_TABLES = `
CREATE TABLE transcript_events (session_id TEXT, seq INTEGER, event_json TEXT, created_at INTEGER, event_zstd BLOB, event_utf8_bytes INTEGER, navigation_json TEXT, PRIMARY KEY (session_id, seq));
CREATE TABLE session_windows (session_id TEXT PRIMARY KEY, session_key TEXT, previous_session_id TEXT, reason TEXT, spawned_by TEXT, display_name TEXT);
CREATE TABLE session_nodes (session_key TEXT PRIMARY KEY, current_session_id TEXT, entry_json TEXT, label TEXT);
CREATE TABLE session_transcript_archives (session_id TEXT, generation TEXT, reason TEXT, encoding TEXT, archive_blob BLOB, archive_name TEXT, created_at INTEGER);
CREATE TABLE session_transcript_cold_archives (session_id TEXT PRIMARY KEY, generation TEXT, archive_name TEXT, last_seq INTEGER, archived_at INTEGER, storage TEXT, archive_blob BLOB);
`

/** Adds events of a session to OpenClaw's database, those of odd numbers compressed. */
function addEvents(shell: Shell, id: string, events: readonly object[], from = 0): void {
  for (const [i, event] of events.entries()) {
    const [at, text] = [from + i, JSON.stringify(event)]
    const insert = `INSERT INTO transcript_events VALUES ('${id}', ${at}, ${at % 2 ? 'NULL, 1, ?' : '?, 1, NULL'}, ${text.length}, NULL)`
    sql(shell, CLAW, insert, at % 2 ? storedFrame(text) : text)
  }
}

it('takes a session of OpenClaw in a file and in its database for one', async () => {
  const shell = new Shell({ samples: false })
  const before = [header(A), message('e1', null, 'user', 'When is high water?')]
  const file = `.openclaw/agents/main/sessions/${A}.jsonl`
  put(shell, { [file]: lines(...before) })
  await shell.run('sess import')
  const [first] = await listed(shell)
  const whole = [...before, message('e2', 'e1', 'assistant', 'At noon.')]
  sql(shell, CLAW, CLAW_TABLES)
  addEvents(shell, A, whole)
  sql(
    shell,
    CLAW,
    `INSERT INTO session_windows VALUES ('${A}', 'agent:main:main', NULL, 'initial', NULL, 'Tides');
    INSERT INTO session_windows VALUES ('${B}', 'agent:main:moon', '${A}', 'fork', 'agent:main:main', NULL);
    INSERT INTO session_nodes VALUES ('agent:main:main', '${A}', '{}', 'High water')`,
  )
  addEvents(shell, B, [header(B), message('e1', null, 'user', 'And the moon?')])
  await shell.run('sess import')
  const sessions = await listed(shell)
  expect(sessions.map(({ id, title, parent, format }) => [id, title, parent, format])).toEqual([
    [A, 'High water', null, 'openclaw'],
    [B, null, A, 'openclaw'],
  ])
  expect((await shell.run(`sess log ${A} --json`)).stdout).toContain(
    String(first?.branches && (first.branches as { main: string }).main),
  )
  expect(await said(shell, A)).toBe('user: When is high water?\nassistant: At noon.')
  expect((await shell.run(`sess export ${A}`)).stdout).toBe(lines(...whole))
  addEvents(shell, A, [message('e3', 'e2', 'user', 'And low?')], 3)
  await shell.run('sess import')
  expect(await said(shell, A)).toMatch(/And low\?$/)
  expect((await listed(shell)).length).toBe(2)
  expect((await shell.run('sess import')).stdout).toContain('nothing new')
  await sound(shell)
})

it('reads sessions of OpenClaw that are deleted, in cold storage, or damaged', async () => {
  const shell = new Shell({ samples: false })
  sql(shell, CLAW, CLAW_TABLES)
  const events = (id: string, text: string): readonly object[] => [
    header(id),
    message('e1', null, 'user', text),
  ]
  const rows = lines(
    { kind: 'header', generation: 'g1' },
    ...events(B, 'In cold storage.').map((event, seq) => ({
      kind: 'event',
      row: { seq, event_json: JSON.stringify(event), created_at: 1 },
    })),
  )
  const archive = 'INSERT INTO session_transcript_archives VALUES'
  const cold = 'INSERT INTO session_transcript_cold_archives VALUES'
  sql(
    shell,
    CLAW,
    `${archive} ('${A}', 'g1', 'deleted', 'zstd', ?, 'a', 1)`,
    storedFrame(lines(...events(A, 'Deleted.'))),
  )
  sql(
    shell,
    CLAW,
    `${archive} ('${D}', 'g1', 'reset', 'zstd', ?, 'd', 2)`,
    storedFrame('lost').subarray(0, 14),
  )
  sql(shell, CLAW, `${cold} ('${B}', 'g1', 'b.jsonl.zst', 1, 1, 'sqlite', ?)`, storedFrame(rows))
  sql(shell, CLAW, `${cold} ('${C}', 'g1', 'c.jsonl.zst', 1, 1, 'file', NULL)`)
  put(shell, {
    '.openclaw/agents/main/sessions/cold/c.jsonl.zst': storedFrame(lines(...events(C, 'In a file.'))),
    [`.openclaw/agents/main/sessions/${A}.jsonl.deleted.g1.zst`]: storedFrame(
      lines(...events(A, 'Deleted.')),
    ),
    '.openclaw/agents/main/sessions/x.jsonl.reset.2026-09-10': lines(...events('x', 'Reset.')),
  })
  addEvents(shell, C, [{}, {}, message('e2', 'e1', 'user', 'Later.')])
  const { code } = await shell.run('sess import')
  expect(code).toBe(0)
  const sessions = (await listed(shell)).map(({ id }) => String(id))
  expect(sessions.filter((id) => [A, B, C, 'x'].includes(id)).sort()).toEqual([A, B, C, 'x'])
  expect([await said(shell, A), await said(shell, B), await said(shell, C), await said(shell, 'x')]).toEqual([
    ...['user: Deleted.', 'user: In cold storage.', 'user: In a file.\nuser: Later.', 'user: Reset.'],
  ])
  expect(sessions.length).toBe(5)
  await sound(shell)
})

it('keeps a conversation of Kiro one session, whatever its folder, and reads the newest row', async () => {
  const shell = new Shell({ samples: false })
  const id = '607a278f-0000-4000-8000-000000000001'
  const name = '.local/share/kiro-cli/data.sqlite3'
  const turn = (prompt: string, content: string): object => ({
    user: { content: { Prompt: { prompt } }, timestamp: '2026-05-01T10:00:00Z' },
    assistant: { Response: { message_id: prompt, content } },
  })
  const value = (...history: readonly object[]): string =>
    JSON.stringify({ conversation_id: id, history, model_info: { model_id: 'claude-x' } })
  const [one, two] = [turn('When is high water?', 'At noon.'), turn('And low?', 'At six.')]
  sql(
    shell,
    name,
    `CREATE TABLE conversations_v2 (key TEXT, conversation_id TEXT, value TEXT, created_at INTEGER, updated_at INTEGER, PRIMARY KEY (key, conversation_id));
    CREATE TABLE conversations (key TEXT PRIMARY KEY, value TEXT); CREATE TABLE migrations (id INTEGER, version INTEGER);
    CREATE TABLE auth_kv (key TEXT, value TEXT); INSERT INTO auth_kv VALUES ('token', 'secret-7')`,
  )
  sql(
    shell,
    name,
    `INSERT INTO conversations_v2 VALUES ('/home/ada/tides', '${id}', ?, 1777629600000, 1777629600000)`,
    value(one),
  )
  sql(shell, name, `INSERT INTO conversations VALUES ('/home/ada', ?)`, value(turn('Old', 'copy')))
  sql(
    shell,
    name,
    `INSERT INTO conversations VALUES ('/home/ada/moon', ?)`,
    JSON.stringify(
      {
        conversation_id: 'older',
        history: [[{ content: { Prompt: { prompt: 'Full moon?' } } }, { Response: { content: 'Friday.' } }]],
      },
      null,
      1,
    ),
  )
  await shell.run('sess import')
  expect(await said(shell, id)).toBe('user: When is high water?\nassistant: At noon.')
  sql(
    shell,
    name,
    `INSERT INTO conversations_v2 VALUES ('/home/ada/moon', '${id}', ?, 1777629600000, 1777629700000)`,
    value(one, two),
  )
  await shell.run('sess import')
  const sessions = await listed(shell)
  expect(sessions.map((session) => [session.id, session.cwd, session.model])).toEqual([
    ['older', '/home/ada/moon', null],
    [id, '/home/ada/moon', 'claude-x'],
  ])
  expect(await said(shell, id)).toBe(
    'user: When is high water?\nassistant: At noon.\nuser: And low?\nassistant: At six.',
  )
  expect(await said(shell, 'older')).toBe('user: Full moon?\nassistant: Friday.')
  expect((await shell.run(`sess resume ${id}`)).stdout).toBe(
    `cd /home/ada/moon && kiro-cli chat --resume-id ${id}\n`,
  )
  expect((await shell.run('sess search secret-7')).stdout).toBe('')
  expect((await shell.run('sess import')).stdout).toContain('nothing new')
  await sound(shell)
})

const GROK = '019f6000-0000-7000-8000-000000000002'
const GROK_FOLDER = `.grok/sessions/%2Fhome%2Fada%2Ftides/${GROK}`
const update = (type: string, text: string): object => ({
  timestamp: 1784278801,
  params: { sessionId: GROK, update: { sessionUpdate: `${type}_chunk`, content: { type: 'text', text } } },
})

it("keeps a session of Grok's updates one session while its last message grows", async () => {
  const shell = new Shell({ samples: false })
  const file = `${GROK_FOLDER}/updates.jsonl`
  const records = [update('user_message', 'When is high water?'), update('agent_message', 'At ')]
  put(shell, { [file]: lines(...records), [`${GROK_FOLDER}/chat_history.jsonl`]: '' })
  await shell.run('sess import')
  expect(await said(shell, GROK)).toBe('user: When is high water?\nassistant: At ')
  put(shell, {
    [file]: lines(...records, update('agent_message', 'noon.')),
    [`${GROK_FOLDER}/summary.json`]: JSON.stringify({
      info: { cwd: '/home/ada/moon' },
      generated_title: 'Tides',
      current_model_id: 'grok-5',
      num_chat_messages: 2,
    }),
  })
  await shell.run('sess import')
  expect((await listed(shell)).map(({ id, title, cwd, model }) => [id, title, cwd, model])).toEqual([
    [GROK, 'Tides', '/home/ada/moon', 'grok-5'],
  ])
  expect(await said(shell, GROK)).toBe('user: When is high water?\nassistant: At noon.')
  expect((await shell.run(`sess export ${GROK}`)).stdout).toBe(readFileSync(shell.path(file), 'utf8'))
  expect((await shell.run(`sess resume ${GROK}`)).stdout).toBe(`cd /home/ada/moon && grok --resume ${GROK}\n`)
  await sound(shell)
})

it("keeps Grok's updates with the session whose history is beside them", async () => {
  const shell = new Shell({ samples: false })
  put(shell, {
    [`${GROK_FOLDER}/updates.jsonl`]: lines(update('user_message', 'When is high water?'), {
      params: {
        update: {
          ...{ sessionUpdate: 'turn_completed', prompt_id: 'p' },
          usage: { inputTokens: 100, cachedReadTokens: 40, outputTokens: 7 },
        },
      },
    }),
    [`${GROK_FOLDER}/chat_history.jsonl`]: lines(
      { role: 'user', content: 'When is high water?' },
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'look', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'c', content: '12:00' },
      { role: 'assistant', content: 'At noon.' },
    ),
  })
  expect((await shell.run('sess import')).stdout).not.toContain('skipped')
  expect((await listed(shell)).map(({ id, format, cwd, calls }) => [id, format, cwd, calls])).toEqual([
    [GROK, 'grok', '/home/ada/tides', 1],
  ])
  expect((await listed(shell))[0]?.tokens).toMatchObject({ input: 60, output: 7, cacheRead: 40 })
  expect(await said(shell, GROK)).toBe(
    'user: When is high water?\nassistant: look\ntool: 12:00\nassistant: At noon.',
  )
  mkdirSync(shell.path('out'))
  await shell.run(`sess export ${GROK} --out out`)
  expect(filesIn(shell.path('out'), /jsonl$/).sort()).toEqual(['chat_history.jsonl', 'updates.jsonl'])
})

it('looks into the databases of the projects that Crush lists, and no other folders', async () => {
  const shell = new Shell({ samples: false })
  const parts = JSON.stringify([{ type: 'text', data: { text: 'When is high water?' } }])
  const tables = `CREATE TABLE sessions (id TEXT, parent_session_id TEXT, title TEXT, created_at INTEGER);
    CREATE TABLE messages (id TEXT, session_id TEXT, role TEXT, parts TEXT, created_at INTEGER);`
  const project = (name: string, folder: string): void =>
    sql(
      shell,
      `${folder}/crush.db`,
      `${tables} INSERT INTO sessions VALUES ('${name}', NULL, '${name}', 1);
       INSERT INTO messages VALUES ('m', '${name}', 'user', '${parts}', 1)`,
    )
  project('tides', 'tides/.crush')
  project('moon', 'data/moon')
  project('near', 'near')
  put(shell, {
    '.local/share/crush/projects.json': JSON.stringify({
      projects: [
        { path: shell.path('tides'), data_dir: shell.path('tides/.crush') },
        { path: shell.path('moon'), data_dir: shell.path('data/moon') },
        { path: shell.path('gone'), data_dir: shell.path('gone') },
        { path: '/', data_dir: 'near' },
        { data_dir: 7 },
        null,
      ],
    }),
    'data/moon/notes.jsonl': '{"role":"user","content":"no session of Crush"}\n',
  })
  await shell.run('sess import')
  expect(
    (await listed(shell)).map(({ id, cwd }) => [id, String(cwd).replace(shell.dir, '/home/ada')]),
  ).toEqual([
    ['moon', '/home/ada/moon'],
    ['tides', '/home/ada/tides'],
  ])
  expect((await shell.run('sess resume moon')).stdout).toBe('cd /home/ada/moon && crush --session moon\n')
  expect(await unreadIn(shell)).toEqual([])
})

it("finds the sessions of Claude Desktop's agent mode, and offers no command that cannot resume them", async () => {
  const shell = new Shell({ samples: false })
  const id = 'd1d10000-0000-4000-8000-000000000001'
  const record = {
    ...{ parentUuid: null, type: 'user', uuid: 'u1', sessionId: id, cwd: '/sessions/calm-tide' },
    ...{ timestamp: '2026-09-10T08:00:00.000Z', message: { role: 'user', content: 'When is high water?' } },
  }
  const folder = '.config/Claude/local-agent-mode-sessions/a/b'
  put(shell, {
    [`${folder}/local_1/.claude/projects/-sessions-calm-tide/${id}.jsonl`]: lines(record),
    [`${folder}/local_1/audit.jsonl`]: lines({ type: 'user' }),
    [`${folder}/local_2/audit.jsonl`]: lines({ type: 'user' }),
  })
  expect(await unreadIn(shell)).toEqual([
    {
      path: '/home/ada/.config/Claude/local-agent-mode-sessions',
      unread: 'unknown',
      name: 'audit logs of sessions',
      count: 1,
      note: "such as 'a/b/local_2/audit.jsonl'",
    },
  ])
  expect((await listed(shell)).map((session) => [session.id, session.format])).toEqual([[id, 'claude-code']])
  expect(await shell.type(`sess resume ${id}`)).toMatch(/is not in the folder of its agent[^]*exit 1/)
  rmSync(shell.path('.config'), { recursive: true })
})

it('names and counts what looks like sessions in the folders of agents and is not read', async () => {
  const shell = new Shell({ samples: false })
  const step = { step_index: 0, source: 'USER', type: 'USER_INPUT', content: 'a' }
  put(shell, {
    '.gemini/antigravity-cli/conversations/read.pb': 'x',
    '.gemini/antigravity-cli/brain/read/.system_generated/logs/transcript.jsonl': lines(step),
    '.gemini/antigravity-cli/conversations/one.pb': 'x',
    '.gemini/antigravity-cli/conversations/two.pb': 'x',
    '.gemini/antigravity-cli/conversations/three.db': 'x',
    '.gemini/antigravity-cli/settings.db': 'x',
    '.codex/sessions/2026/threads.sqlite': 'x',
    '.codex/sessions/2026/other.jsonl.zst': 'x',
    '.factory/sessions/p/x.settings.json': '{}',
    '.grok/sessions/session_search.sqlite': 'x',
    '.grok/sessions/p/x/events.jsonl': 'x',
  })
  expect(await unreadIn(shell)).toEqual(
    [
      {
        path: '.codex/sessions',
        name: "files '*.jsonl.zst'",
        count: 1,
        note: "such as '2026/other.jsonl.zst'",
      },
      { path: '.codex/sessions', name: "files '*.sqlite'", count: 1, note: "such as '2026/threads.sqlite'" },
      {
        path: '.gemini/antigravity-cli',
        name: 'encrypted conversations',
        count: 2,
        note: "such as 'conversations/one.pb'",
      },
      {
        path: '.gemini/antigravity-cli',
        name: 'conversations in a database of protocol buffers',
        count: 1,
        note: "such as 'conversations/three.db'",
      },
    ]
      .map((one) => ({ ...one, path: `/home/ada/${one.path}`, unread: 'unknown' }))
      .map((one) => expect.objectContaining(one) as unknown),
  )
  expect((await shell.run('sess import')).stdout).toContain(
    'not read: encrypted conversations (2) in .gemini/antigravity-cli: ',
  )
  expect((await shell.run('sess import -n')).stdout).toContain('encrypted conversations (2)')
})

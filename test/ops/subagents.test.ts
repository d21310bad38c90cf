import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Listed, Store } from '../../src/index.ts'
import { type JsonObject, without } from '../../src/model/json.ts'
import { newStore } from '../support/corpus.ts'
import { newDatabase } from '../support/database.ts'
import { newFolder } from '../support/folder.ts'
import { answered, asked, claudeLine } from '../support/transcripts.ts'

const SESSION = '5d0c0b7e-2f6a-4b8c-9d7e-1a2b3c4d5e6f'
const AGENT = 'a0ad4f4'

const lines = (...records: readonly unknown[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('')

/** Imports files of a folder, and gives what a list says of their sessions, by their ids. */
async function taken(
  store: Store,
  files: Readonly<Record<string, string>>,
): Promise<ReadonlyMap<string, Listed>> {
  const folder = newFolder()
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  expect((await store.import(folder)).refused).toEqual([])
  return new Map((await store.list()).map((session) => [session.id, session]))
}

const cursorSays = (text: string): string =>
  lines({ role: 'user', message: { content: [{ type: 'text', text }] } })
const cursorAsks = (prompt: string): string =>
  lines({
    role: 'assistant',
    message: { content: [{ type: 'tool_use', name: 'Agent', input: { prompt } }] },
  })
const [SUB, OTHER] = ['0d6f1c1e-90a1-4a52-8d7b-0a1b2c3d4e5f', '0d6f1c1e-90a1-4a52-8d7b-0a1b2c3d4e60']

const task = (id: string, parent: string, call: string): JsonObject => ({
  ...answered(id, parent),
  message: {
    role: 'assistant',
    id: `msg-${id}`,
    content: [{ type: 'tool_use', id: call, name: 'Task', input: { prompt: 'look' } }],
  },
})
const result = (id: string, parent: string, call: string, more: JsonObject = {}): JsonObject => ({
  ...asked(id, parent),
  message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: call, content: 'seen' }] },
  ...more,
})

describe('sub-agents are linked to the call that started them', () => {
  it('of Claude Code, whose result names them, in a file of their own', async () => {
    const store = await newStore()
    const main = [
      asked('u1', null),
      task('a1', 'u1', 't1'),
      result('r1', 'a1', 't1', { toolUseResult: { status: 'completed', agentId: AGENT } }),
      answered('a2', 'r1'),
    ]
    const own = [
      { ...asked('s1', null, 'look'), isSidechain: true, agentId: AGENT },
      { ...answered('s2', 's1', 'seen'), isSidechain: true, agentId: AGENT },
    ]
    const sessions = await taken(store, {
      [`${SESSION}.jsonl`]: main.map((record, i) => claudeLine(SESSION, i, record)).join(''),
      [`${SESSION}/subagents/agent-${AGENT}.jsonl`]: own.map((r, i) => claudeLine(SESSION, i, r)).join(''),
    })
    const caller = await store.resolve(`${SESSION}:a1`)
    expect(sessions.get(SESSION)).toMatchObject({ parent: null, agents: { [`agent-${AGENT}`]: caller } })
    expect(sessions.get(`agent-${AGENT}`)).toMatchObject({ parent: SESSION, agents: {} })
    expect((await store.show(`${SESSION}:a1`)).agents).toEqual([`agent-${AGENT}`])
    expect((await store.show(`${SESSION}:a2`)).agents).toEqual([])
  })

  it('of Claude Code while they still work: what tells of their progress names the call', async () => {
    const store = await newStore()
    const progress = (uuid: string, parentUuid: string, message?: object): JsonObject =>
      ({
        ...{ type: 'progress', uuid, parentUuid, parentToolUseID: 't1' },
        data: { type: 'agent_progress', agentId: AGENT, ...(message && { message }) },
      }) as JsonObject
    const said = (record: JsonObject): object => without(record, 'parentUuid')
    const records = [
      ...[asked('u1', null), task('a1', 'u1', 't1'), progress('p1', 'a1')],
      ...[progress('p2', 'p1', said(asked('s1', null, 'look'))), progress('p3', 'p2', { type: 'user' })],
      ...[progress('p4', 'p3', said(answered('s2', 's1', 'seen')))],
      ...[progress('p5', 'p4', said(answered('s2', 's1', 'again'))), result('r1', 'p5', 't1')],
    ]
    const own = [
      { ...asked('s1', null, 'look'), isSidechain: true, agentId: AGENT },
      { ...answered('s2', 's1', 'seen'), isSidechain: true, agentId: AGENT },
    ]
    const sessions = await taken(store, {
      [`${SESSION}.jsonl`]: records.map((record, i) => claudeLine(SESSION, i, record)).join(''),
      [`agent-${AGENT}.jsonl`]: own.map((record, i) => claudeLine(SESSION, i, record)).join(''),
    })
    expect(sessions.get(SESSION)?.agents).toEqual({
      [`agent-${AGENT}`]: await store.resolve(`${SESSION}:a1`),
    })
    const logged = async (revision: string): Promise<readonly (string | null)[]> => {
      const texts: (string | null)[] = []
      for await (const { text } of store.log(revision)) texts.push(text)
      return texts
    }
    expect(await logged(`${SESSION}/agent-${AGENT}`)).toEqual(['seen', 'look'])
    expect(await logged(SESSION)).toHaveLength(3)
    expect(await store.resolve(`${SESSION}/agent-${AGENT}`)).toBe(await store.resolve(`agent-${AGENT}`))
    expect(await store.resolve(`${SESSION}:s1`)).toBe(await store.resolve(`agent-${AGENT}:s1`))
  })

  it('of Codex, whose calls give the id of a thread', async () => {
    const [main, agent] = ['019a0000-0000-7000-8000-000000000001', '019a0000-0000-7000-8000-000000000002']
    const item = (payload: object): object => ({
      timestamp: '2026-03-01T10:00:00Z',
      type: 'response_item',
      payload,
    })
    const event = (payload: object): object => ({ type: 'event_msg', payload })
    const meta = (payload: object): object => ({
      timestamp: '2026-03-01T10:00:00Z',
      type: 'session_meta',
      payload,
    })
    const says = item({ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'look' }] })
    const store = await newStore()
    const sessions = await taken(store, {
      [`rollout-2026-03-01T10-00-00-${main}.jsonl`]: lines(
        meta({ id: main, cwd: '/w' }),
        says,
        item({ type: 'function_call', id: 'call', call_id: 'c', name: 'spawn_agent', arguments: '{}' }),
        item({ type: 'function_call_output', call_id: 'c', output: JSON.stringify({ agent_id: agent }) }),
        item({ type: 'function_call', id: 'other', call_id: 'd', name: 'collab', arguments: '{}' }),
        event({ type: 'collab_agent_spawn_end', call_id: 'd', new_thread_id: 'thread-2' }),
        item({ type: 'function_call_output', call_id: 'd', output: '{"agent_id":"no-start"}' }),
        event({ type: 'collab_agent_spawn_end', call_id: 'd', new_thread_id: 'thread-3' }),
      ),
      [`rollout-2026-03-01T10-00-01-${agent}.jsonl`]: lines(
        meta({ id: agent, cwd: '/w', source: { subagent: { thread_spawn: { parent_thread_id: main } } } }),
        says,
      ),
    })
    expect(sessions.get(main)?.agents).toEqual({
      [agent]: await store.resolve(`${main}:call`),
      'thread-2': await store.resolve(`${main}:other`),
    })
    expect(sessions.get(agent)?.parent).toBe(main)
  })

  it('of Gemini CLI, whose files lie in a folder that is named by the session', async () => {
    const header = (sessionId: string, more = {}): object => ({ sessionId, projectHash: 'h', ...more })
    const call = { id: 'c', name: 'look', args: {}, agentId: 'sub-1' }
    const store = await newStore()
    const sessions = await taken(store, {
      'session-1.jsonl': lines(
        header('main-1'),
        { id: 'm1', type: 'user', content: 'look' },
        { id: 'm2', type: 'gemini', content: '', toolCalls: [call] },
      ),
      'main-1/sub-1.jsonl': lines(header('sub-1', { kind: 'subagent' }), {
        id: 'x',
        type: 'user',
        content: 'look',
      }),
    })
    expect(sessions.get('main-1')?.agents).toEqual({ 'sub-1': await store.resolve('main-1:m2') })
    expect(sessions.get('sub-1')?.parent).toBe('main-1')
  })

  it('of OpenCode, whose tasks name their session', async () => {
    const part = {
      type: 'tool',
      callID: 'c',
      tool: 'task',
      state: { status: 'completed', metadata: { sessionId: 'ses_2' } },
    }
    const exported = (info: object, ...parts: object[]): string =>
      JSON.stringify({
        info: { version: '1', directory: '/w', projectID: 'p', ...info },
        messages: [{ info: { id: 'msg_1', sessionID: 'x', role: 'assistant', time: { created: 1 } }, parts }],
      })
    const store = await newStore()
    const sessions = await taken(store, {
      'a.json': exported({ id: 'ses_1' }, part),
      'b.json': exported({ id: 'ses_2', parentID: 'ses_1' }, { type: 'text', text: 'seen' }),
    })
    expect(sessions.get('ses_1')?.agents).toEqual({ ses_2: await store.resolve('ses_1:msg_1') })
    expect(sessions.get('ses_2')?.parent).toBe('ses_1')
  })

  it('of Kimi Code, whose agents lie side by side, each named by the result of its call', async () => {
    const loop = (event: object): object => ({ type: 'context.append_loop_event', event })
    const begins = { type: 'metadata', protocol_version: '1.4' }
    const asks = { type: 'context.append_message', message: { role: 'user', content: 'look' } }
    const output = 'agent_id: agent-0\nstatus: completed\n\nagent_id: none'
    const calls = ['Agent', 'Bash', 'Bash'].map((name, i) =>
      loop({ type: 'tool.call', uuid: `call-${i}`, toolCallId: `t${i}`, name, args: {} }),
    )
    const store = await newStore()
    const sessions = await taken(store, {
      'wd_x/session_1/agents/main/wire.jsonl': lines(
        ...[begins, asks, ...calls],
        loop({ type: 'tool.result', toolCallId: 't0', result: { output } }),
        loop({ type: 'tool.result', toolCallId: 't1', result: { output: 'agent_id: agent-7' } }),
      ),
      'wd_x/session_1/agents/main/shot.png': 'of main',
      'wd_x/session_1/agents/agent-0/wire.jsonl': lines(begins, asks),
      'wd_x/session_1/agents/agent-0/out/log.txt': 'of the agent',
      'wd_x/session_1/state.json': JSON.stringify({ title: 'Tides' }),
      'wd_x/session_1/tasks/1/output.log': 'of a task',
    })
    expect([...sessions.keys()].sort()).toEqual(['session_1', 'session_1-agent-0'])
    expect(sessions.get('session_1')?.agents).toEqual({
      'session_1-agent-0': await store.resolve('session_1:call-0'),
    })
    expect(sessions.get('session_1')).toMatchObject({ parent: null, title: 'Tides' })
    expect(sessions.get('session_1-agent-0')?.parent).toBe('session_1')
  })

  it('of Kimi CLI, in a folder of the session', async () => {
    const asks = { role: 'user', content: 'look' }
    const mark = { role: '_checkpoint', id: 0 }
    const call = { id: 't', type: 'function', function: { name: 'Agent', arguments: '{}' } }
    const store = await newStore()
    const sessions = await taken(store, {
      [`5d41/${SESSION}/context.jsonl`]: lines(
        ...[mark, asks, { role: 'assistant', content: '', tool_calls: [call] }],
        { role: 'tool', tool_call_id: 't', content: 'agent_id: a1b2\nseen' },
      ),
      [`5d41/${SESSION}/wire.jsonl`]: lines({ type: 'metadata', protocol_version: '1.4' }),
      [`5d41/${SESSION}/subagents/a1b2/context.jsonl`]: lines(mark, asks),
    })
    expect([...sessions.keys()].sort()).toEqual([SESSION, `${SESSION}-a1b2`])
    expect(Object.keys(sessions.get(SESSION)?.agents ?? {})).toEqual([`${SESSION}-a1b2`])
    expect(sessions.get(`${SESSION}-a1b2`)?.parent).toBe(SESSION)
  })

  it('of Cursor to the session in whose folder they lie, by what its calls ask', async () => {
    const store = await newStore()
    const sessions = await taken(store, {
      [`${SESSION}/${SESSION}.jsonl`]:
        cursorSays('go') + cursorAsks('look  at it') + cursorAsks('twice') + cursorAsks('twice'),
      [`${SESSION}/subagents/${SUB}.jsonl`]: cursorSays('<user_query>\nlook at it\n</user_query>'),
      [`${SESSION}/subagents/${OTHER}.jsonl`]: cursorSays('twice'),
    })
    expect(sessions.get(SUB)?.parent).toBe(SESSION)
    expect(sessions.get(SESSION)?.parent).toBeNull()
    expect(sessions.get(SESSION)?.agents).toEqual({ [SUB]: await store.resolve(`${SESSION}~2`) })
    expect((await store.fsck()).findings).toEqual([])
  })

  it('of Cursor, whose call may come after what it started', async () => {
    const store = await newStore()
    const folder = newFolder()
    const [main, sub] = [join(folder, SESSION, `${SESSION}.jsonl`), join(folder, SESSION, 'subagents')]
    mkdirSync(sub, { recursive: true })
    writeFileSync(main, cursorSays('go'))
    writeFileSync(join(sub, `${SUB}.jsonl`), cursorSays('look at it'))
    await store.import(folder)
    const agents = async (): Promise<unknown> => (await store.list()).find(({ id }) => id === SESSION)?.agents
    expect(await agents()).toEqual({})
    appendFileSync(main, cursorAsks('look at it'))
    await store.import(folder)
    expect(await agents()).toEqual({ [SUB]: await store.resolve(SESSION) })
  })

  it('of Crush, which names them by the message and the call', async () => {
    const store = await newStore()
    const call = (id: string, name: string): object => ({
      type: 'tool_call',
      data: { id, name, input: '{}' },
    })
    const parts = JSON.stringify([call('c', 'agent'), call('d', 'ls')])
    await store.import(
      newDatabase(`
CREATE TABLE sessions (id TEXT, parent_session_id TEXT, title TEXT, created_at INTEGER);
CREATE TABLE messages (id TEXT, session_id TEXT, role TEXT, parts TEXT, created_at INTEGER);
INSERT INTO sessions VALUES ('s', NULL, 'T', 1), ('m$$c', 's', 'look', 2);
INSERT INTO messages VALUES ('m', 's', 'assistant', '${parts}', 1), ('n', 'm$$c', 'user', '[]', 2);
`),
    )
    const sessions = new Map((await store.list()).map((session) => [session.id, session]))
    expect(sessions.get('s')?.agents).toEqual({ m$$c: await store.resolve('s:m') })
    expect(sessions.get('m$$c')).toMatchObject({ parent: 's', agents: {} })
  })

  it.each([
    ['a file', '/home/ada/2026-03-01T10-00-00-000Z_01957f00.jsonl', '01957f00'],
    ['a file of Windows', 'C:\\pi\\2026_01957f00.jsonl', '01957f00'],
    ['an id', '01957f00-0000-7000-8000-000000000001', '01957f00-0000-7000-8000-000000000001'],
    ['nothing', '', null],
  ])('and a fork of pi to the session that it names by %s', async (_, parentSession, parent) => {
    const store = await newStore()
    const sessions = await taken(store, {
      'x.jsonl': lines(
        {
          type: 'session',
          version: 3,
          id: 'fork',
          timestamp: '2026-03-01T10:00:00Z',
          cwd: '/',
          parentSession,
        },
        { type: 'message', id: 'a', parentId: null, message: { role: 'user', content: 'go' } },
      ),
    })
    expect(sessions.get('fork')?.parent).toBe(parent)
  })
})

import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Listed, Store } from '../../src/index.ts'
import type { JsonObject } from '../../src/model/json.ts'
import { newStore } from '../support/corpus.ts'
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
    const progress = {
      type: 'progress',
      uuid: 'p1',
      parentUuid: 'a1',
      parentToolUseID: 't1',
      data: { type: 'agent_progress', agentId: AGENT },
    }
    const records = [asked('u1', null), task('a1', 'u1', 't1'), progress]
    const sessions = await taken(store, {
      [`${SESSION}.jsonl`]: records.map((record, i) => claudeLine(SESSION, i, record)).join(''),
    })
    expect(sessions.get(SESSION)?.agents).toEqual({
      [`agent-${AGENT}`]: await store.resolve(`${SESSION}:a1`),
    })
  })

  it('of Codex, whose calls give the id of a thread', async () => {
    const [main, agent] = ['019a0000-0000-7000-8000-000000000001', '019a0000-0000-7000-8000-000000000002']
    const item = (payload: object): object => ({
      timestamp: '2026-03-01T10:00:00Z',
      type: 'response_item',
      payload,
    })
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
      ),
      [`rollout-2026-03-01T10-00-01-${agent}.jsonl`]: lines(
        meta({ id: agent, cwd: '/w', source: { subagent: { thread_spawn: { parent_thread_id: main } } } }),
        says,
      ),
    })
    expect(sessions.get(main)?.agents).toEqual({ [agent]: await store.resolve(`${main}:call`) })
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

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  type AgentSession,
  type Message,
  type Outcome,
  rollouts,
} from '../../../src/compat/rollouts/index.ts'
import { openStore } from '../../../src/library/store.ts'
import { newFolder } from '../../support/folder.ts'
import { quietEnv } from '../../support/store.ts'

const here = (root = newFolder()) => ({ root, ...rollouts({ root, env: quietEnv() }).sessions })
const endpoint = { provider: 'anthropic', model: 'claude', max_tokens: 9, api_key: 'k', oauth_token: 't' }
const environment = { type: 'coding', config: { cwd: '/work' } }
const user = (content: string): Message => ({ role: 'user', content })

/** Returns the value of an outcome. */
function value<T>([got, error]: Outcome<T>): T {
  expect(error).toBeNull()
  return got as T
}

describe('sessions of rollouts in folders', () => {
  it('keeps the metadata of a session next to its messages, without secrets', async () => {
    const { root, create, appendMessage, get } = here()
    const session = value(await create(endpoint, environment, { tags: { kind: 'try' } }))
    expect(session.session_id).toMatch(/^20260101_000000_[0-9a-f]{6}$/)
    value(await appendMessage(session.session_id, user('Hello')))
    const dir = join(root, session.session_id)
    expect(readdirSync(dir).sort()).toEqual(['messages.jsonl', 'session.json'])
    expect(readFileSync(join(dir, 'messages.jsonl'), 'utf8')).toBe(
      '{"role": "user", "content": "Hello", "timestamp": "2026-01-01T00:00:01.000Z"}\n',
    )
    expect(JSON.parse(readFileSync(join(dir, 'session.json'), 'utf8'))).toEqual({
      session_id: session.session_id,
      parent_id: null,
      branch_point: null,
      endpoint: { provider: 'anthropic', model: 'claude', max_tokens: 9 },
      environment,
      environment_state: null,
      status: 'pending',
      reward: null,
      tags: { kind: 'try' },
      created_at: '2026-01-01T00:00:00.000Z',
      updated_at: '2026-01-01T00:00:00.000Z',
    })
    const again = value(await get(session.session_id))
    expect(again).toEqual({
      ...session,
      messages: [{ ...user('Hello'), timestamp: '2026-01-01T00:00:01.000Z' }],
    })
    for (const part of [again, again.messages, again.tags, again.endpoint])
      expect(Object.isFrozen(part)).toBe(true)
  })

  it('updates the fields that are passed and leaves the rest; tags are replaced as a whole', async () => {
    const { create, update, getConfigSync } = here()
    const { session_id: id } = value(await create({}, environment, { tags: { a: '1', b: '2' } }))
    await update(id, { status: 'completed', reward: 0.5, environment_state: { step: 3 } })
    const changed = value(await update(id, { tags: { b: '3' } }))
    expect(changed).toMatchObject({ status: 'completed', reward: 0.5, environment_state: { step: 3 } })
    expect(changed.tags).toEqual({ b: '3' })
    expect(changed.updated_at > changed.created_at).toBe(true)
    expect(getConfigSync(id)).toEqual(changed)
    const all = Array.from({ length: 20 }, (_, i) =>
      update(id, i % 2 ? { reward: i } : { tags: { i: `${i}` } }),
    )
    await Promise.all(all)
    expect(getConfigSync(id)).toMatchObject({ reward: 19, tags: { i: '18' }, status: 'completed' })
  })

  it('lists sessions, the newest first, by tags and status, and their children', async () => {
    const { create, update, list, listChildren, getLatest, getLatestIdSync, root } = here()
    const ids: string[] = []
    for (const tags of [{ run: '1' }, { run: '2' }, { run: '1', best: 'yes' }]) {
      const beginning = ids[0] === undefined ? { tags } : { tags, parent_id: ids[0], branch_point: 2 }
      ids.push(value(await create({}, environment, beginning)).session_id)
    }
    mkdirSync(join(root, '--work-project--'))
    const idsOf = async (filter?: Parameters<typeof list>[0]) =>
      value(await list(filter)).map(({ session_id }) => session_id)
    const [first, second, third] = ids
    expect(await idsOf()).toEqual([third, second, first])
    expect(await idsOf({ filter_tags: { run: '1' } })).toEqual([third, first])
    expect(await idsOf({ limit: 1 })).toEqual([third])
    await update(second as string, { status: 'completed' })
    expect(await idsOf({ status: 'completed' })).toEqual([second])
    expect(value(await listChildren(first as string)).map(({ session_id }) => session_id)).toEqual([
      third,
      second,
    ])
    expect(value(await getLatest()).session_id).toBe(third)
    expect(value(await getLatest('completed')).session_id).toBe(second)
    expect(getLatestIdSync()).toBe(third)
  })

  it('returns errors as values', async () => {
    const {
      root,
      get,
      update,
      appendMessage,
      delete: remove,
      getLatest,
      getConfigSync,
      getLatestIdSync,
      create,
    } = here()
    const gone = [null, 'Session not found: 20260101_000000_000000']
    const id = '20260101_000000_000000'
    const asked = [get(id), update(id, {}), appendMessage(id, user('x')), remove(id)]
    for (const outcome of await Promise.all(asked)) expect(outcome).toEqual(gone)
    expect(await get('../../etc')).toEqual([null, 'Session not found: ../../etc'])
    expect(await getLatest()).toEqual([null, 'No sessions found'])
    expect([getConfigSync(id), getLatestIdSync()]).toEqual([null, null])
    const { session_id } = value(await create({}, environment))
    const messages = join(root, session_id, 'messages.jsonl')
    writeFileSync(messages, 'no JSON\n')
    expect(await get(session_id)).toEqual([null, `line 1 of ${messages} is no JSON object`])
    writeFileSync(join(root, session_id, 'session.json'), '{"session_id')
    expect(await get(session_id)).toEqual([null, `Invalid session.json of ${session_id}`])
    rmSync(join(root, session_id, 'session.json'))
    expect(await remove(session_id)).toEqual([null, `Session not found: ${session_id}`])
  })

  it('saves a session as a whole, and deletes it', async () => {
    const { root, create, save, get, delete: remove } = here()
    const session: AgentSession = value(await create({}, environment))
    const messages = [user('a'), { role: 'assistant', content: 'b', model: 'm' } as const]
    const saved = value(await save({ ...session, status: 'truncated', messages }))
    expect(value(await get(session.session_id))).toEqual(saved)
    expect(saved).toMatchObject({ status: 'truncated', messages })
    expect(await remove(session.session_id)).toEqual([session.session_id, null])
    expect(readdirSync(root)).toEqual([])
  })

  it('F12, G10: is a session of its own id in a store, sharing what a child copied', async () => {
    const dir = newFolder()
    const { sessions, settled, close } = rollouts({
      root: join(dir, 'sessions'),
      store: join(dir, 'store'),
      env: quietEnv(),
    })
    const parent = value(await sessions.create({}, environment))
    await sessions.appendMessage(parent.session_id, user('one'))
    await settled()
    await sessions.appendMessage(parent.session_id, { role: 'assistant', content: 'two', model: 'm' })
    const { messages } = value(await sessions.get(parent.session_id))
    await settled()
    const origin = { parent_id: parent.session_id, branch_point: messages.length }
    const child = value(await sessions.create({}, environment, origin))
    await settled() // an empty file is a session of that id already
    await sessions.save({ ...child, messages })
    await sessions.appendMessage(child.session_id, user('three'))
    await settled()
    const store = await openStore(join(dir, 'store'))
    expect((await store.stats()).entries).toBe(3)
    await close()
    await store.close()
  })
})

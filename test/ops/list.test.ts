import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/model/json.ts'
import { logId, type WriterId } from '../../src/model/record.ts'
import { metaRef } from '../../src/model/refname.ts'
import { shortIds } from '../../src/model/shortid.ts'
import { append, createSession } from '../../src/ops/append/append.ts'
import type { Append } from '../../src/ops/append/request.ts'
import { fork } from '../../src/ops/fork.ts'
import { importPaths } from '../../src/ops/import/import.ts'
import { type Listed, listed, listSessions, sessionInfo } from '../../src/ops/list.ts'
import type { Repo } from '../../src/repo/repo.ts'
import { allSessions, getSession, refValue } from '../../src/repo/session.ts'
import { renewList } from '../../src/repo/sessionlist.ts'
import { newFolder } from '../support/folder.ts'
import { nativeRefIn } from '../support/nativelogs.ts'
import { makeSession } from '../support/sessions.ts'
import { BEGIN, openRepo, quietEnv } from '../support/store.ts'

const says = (content: string, role = 'user'): Append => ({ body: { role, content } })
const info = (repo: Repo, id: string): Promise<Listed> =>
  repo.read(async (reader) => listed(await getSession(reader, id)))

/** An answer of Claude's, of which each block repeats the usage of the call as it is by then. */
const answer = (id: string, output: number, content: Json): Append => ({
  type: 'claude/assistant',
  body: {
    type: 'assistant',
    message: { id, model: 'claude', content: [content], usage: { input_tokens: 10, output_tokens: output } },
  },
})
const CALL = { type: 'tool_use', id: 'c', name: 'read', input: {} }
const TEXT = { type: 'text', text: 'Done.' }

const KNOWN = ({ prompt, prompts, calls, tokens, model }: Listed) => ({
  prompt,
  prompts,
  calls,
  tokens: tokens?.total,
  model,
})

const LOG = logId('0123456789abcdef' as WriterId, 0)
const grown = (updated: number | null, more: object = {}) =>
  refValue({ log: LOG, count: 1, entries: 1, hash: 'ab'.repeat(32), updated, ...more })

describe('a list', () => {
  it('has those that moved since it was kept in their places, and of all the ids that name them alone', async () => {
    const repo = await openRepo()
    const ids = Array.from({ length: 40 }, (_, i) => `session-number-${(i * 7) % 40}`)
    for (const [i, id] of ids.entries()) await makeSession(repo, id, { updated: BEGIN + (i >> 1) })
    await renewList(repo)
    await makeSession(repo, 'session-number-3x', { updated: BEGIN + 5 })
    await repo.write({}, async ({ reader, move }) => {
      for (const [i, id] of ['session-number-0', 'session-number-31'].entries())
        move(nativeRefIn(repo.dir, id), await reader.ref(nativeRefIn(repo.dir, id)), grown(BEGIN + 90 * i))
      for (const name of ['session-number-1', 'session-number-9'].map(metaRef))
        move(name, await reader.ref(name), undefined)
    })
    const rows = await repo.read(async (reader) => {
      const all: Listed[] = []
      for await (const session of allSessions(reader)) all.push(listed(session))
      return all
    })
    const time = ({ updated }: Listed): number => Date.parse(updated as string)
    rows.sort((a, b) => time(b) - time(a) || (a.id < b.id ? -1 : 1))
    const list = await listSessions(repo)
    const more = { continues: null, costComputed: false, live: expect.any(Boolean) as boolean }
    expect([...list.rows()]).toEqual(rows.map((row) => ({ ...row, ...more, project: row.cwd })))
    expect(list.map('updated', (at) => at)).toEqual(rows.map(time))
    const short = shortIds(rows.map(({ id }) => id))
    expect(list.short()).toEqual(rows.map(({ id }) => short.get(id)))
    const [first] = (await listSessions(repo, { reverse: true, limit: 3 })).short()
    expect([list.stored, first]).toEqual([rows.length, short.get(rows[2]?.id as string)])
  })
})

it('computes missing costs from a kept list alone, and of sessions that moved since', async () => {
  const repo = await openRepo()
  const used = (input: number, cost: { cost?: number } = {}) =>
    grown(BEGIN, { summary: { input, output: 9, model: 'claude-sonnet-4-5', ...cost } })
  const ids = Array.from({ length: 40 }, (_, i) => `s${i}`)
  await repo.write({ bulk: true }, ({ move }) => {
    for (const [i, id] of ids.entries()) {
      move(metaRef(id), undefined, { format: 'pi', title: null })
      move(nativeRefIn(repo.dir, id), undefined, used(1000 + i, i % 2 ? { cost: 5 } : {}))
    }
  })
  await renewList(repo)
  await repo.write({}, async ({ reader, move }) =>
    move(nativeRefIn(repo.dir, 's2'), await reader.ref(nativeRefIn(repo.dir, 's2')), used(7_000_000)),
  )
  const list = await listSessions(repo, {}, ['cost'])
  const each = await Promise.all(list.map('id', (id) => sessionInfo(repo, id)))
  expect(list.map('cost', (cost) => cost)).toEqual(each.map(({ cost }) => cost))
  expect(list.costComputed()).toEqual(each.map(({ costComputed }) => costComputed))
  expect(list.costComputed().filter(Boolean)).toHaveLength(20)
})

it('says which sessions grew within a minute, and their repositories or else folders', async () => {
  let now = BEGIN + 100_000
  const repo = await openRepo(undefined, { env: { ...quietEnv(), now: () => now } })
  const meta = { format: 'pi', title: null, cwd: '/w/lamp' }
  await repo.write({}, ({ move }) => {
    move(metaRef('a'), undefined, meta)
    move(nativeRefIn(repo.dir, 'a'), undefined, grown(now - 1000))
    move(metaRef('b'), undefined, { ...meta, git: { repository: 'https://example.org/lamp' } })
    move(nativeRefIn(repo.dir, 'b'), undefined, grown(now - 61_000))
  })
  const rows = async () => [...(await listSessions(repo)).rows()].map(({ live, project }) => [live, project])
  expect(await rows()).toEqual([
    [true, '/w/lamp'],
    [false, 'https://example.org/lamp'],
  ])
  now += 60_000
  expect((await rows())[0]).toEqual([false, '/w/lamp'])
})

it('calls no session live of which only the import is known', async () => {
  const now = BEGIN + 100_000
  const repo = await openRepo(undefined, { env: { ...quietEnv(), now: () => now } })
  await repo.write({}, ({ move }) => {
    move(metaRef('a'), undefined, { format: 'pi', title: null, created: now - 1000 })
    move(nativeRefIn(repo.dir, 'a'), undefined, grown(null))
  })
  expect([...(await listSessions(repo)).rows()].map(({ live }) => live)).toEqual([false])
})

describe('what a list says', () => {
  it('is kept as entries are appended, in whatever groups', async () => {
    const repo = await openRepo()
    const all = [
      says('Be brief', 'system'),
      says(' First\nwords '),
      answer('a', 1, CALL),
      answer('a', 5, TEXT),
    ]
    const told = { prompt: 'First words', prompts: 1, calls: 1, tokens: 15, model: 'claude' }
    const one = await createSession(repo)
    await append(repo, one, all)
    expect(KNOWN(await info(repo, one))).toEqual(told)
    const other = await createSession(repo)
    expect(KNOWN(await info(repo, other))).toEqual({ prompt: null, prompts: 0, calls: 0, model: null })
    for (const entry of all) await append(repo, other, [entry])
    expect(KNOWN(await info(repo, other))).toEqual(told)
    await append(repo, one, [says('More'), answer('b', 7, TEXT)])
    expect(KNOWN(await info(repo, one))).toEqual({ ...told, prompts: 2, tokens: 32 })
  })

  it('stays small in the head of the log', async () => {
    const repo = await openRepo()
    const id = await createSession(repo)
    await append(repo, id, [says('x'.repeat(9000)), answer('msg_01XgVYKq4ZK4rJcBbPs5Mfvd', 12_345, CALL)])
    const head = await repo.read((reader) => reader.ref(nativeRefIn(repo.dir, id)))
    // Of one quarter of an hour and one model: each more of them adds a row to what `stats` sums up.
    expect(JSON.stringify(head).length).toBeLessThan(420)
  })

  it('of a fork has the prompt of what was forked, and counts what was added', async () => {
    const repo = await openRepo()
    const id = await createSession(repo)
    await append(repo, id, [says('First'), answer('a', 5, CALL)])
    const { session } = await fork(repo, id)
    expect(await info(repo, session)).toMatchObject({ prompt: 'First', prompts: 0, tokens: null, entries: 2 })
    await append(repo, session, [says('Second'), answer('b', 9, TEXT)])
    expect(KNOWN(await info(repo, session))).toEqual({
      prompt: 'First',
      prompts: 1,
      calls: 0,
      tokens: 19,
      model: 'claude',
    })
    expect(KNOWN(await info(repo, id))).toMatchObject({ prompts: 1, tokens: 15 })
  })

  it('is read from a source, and again as it grows', async () => {
    const line = (value: Json): string => `${JSON.stringify(value)}\n`
    const message = (role: string, text: string, total: number) =>
      line({
        type: 'message',
        id: `m${total}`,
        parentId: null,
        timestamp: '2026-01-01T00:00:00Z',
        message: {
          role,
          content: [{ type: 'text', text }],
          ...(role === 'assistant' && { usage: { input: 1, output: 2, cost: { total } } }),
        },
      })
    const header = line({
      type: 'session',
      version: 3,
      id: 'p',
      timestamp: '2026-01-01T00:00:00Z',
      cwd: '/w',
    })
    const path = join(newFolder(), 'p.jsonl')
    writeFileSync(path, header + message('user', 'Count', 1) + message('assistant', 'One.', 0.25))
    const repo = await openRepo()
    const { files } = await importPaths(repo, [path])
    const id = files[0]?.session ?? ''
    const first = { format: 'pi', prompt: 'Count', prompts: 1, cost: 0.25, tokens: { total: 3 } }
    expect(await info(repo, id)).toMatchObject(first)
    appendFileSync(path, message('user', 'On', 2) + message('assistant', 'Two.', 0.5))
    await importPaths(repo, [path])
    expect(await info(repo, id)).toMatchObject({ ...first, prompts: 2, cost: 0.75, tokens: { total: 6 } })
    await append(repo, id, [says('Here')])
    expect(await info(repo, id)).toMatchObject({ ...first, prompts: 3, cost: 0.75, tokens: { total: 6 } })
  })
})

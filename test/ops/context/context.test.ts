import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import type { EntryInput } from '../../../src/library/session.ts'
import { RecordFinder } from '../../../src/repo/records.ts'
import { newStore } from '../../support/corpus.ts'
import { newFolder } from '../../support/folder.ts'

const said = (role: 'user' | 'assistant', content: string) => ({ body: { role, content } })
const called = (id: string): EntryInput => ({
  body: { role: 'assistant', content: [{ type: 'toolCall', id, name: 'read', arguments: {} }] },
})

describe('the context of a session', () => {
  it('C1: is empty before the first entry, without a model', async () => {
    const store = await newStore()
    const session = await store.createSession()
    const nothing = { messages: [], repairs: [], left: [], tokens: 0 }
    expect(await session.context()).toEqual(nothing)
    await session.append(said('user', 'a'))
    await session.switchToRoot()
    expect(await session.context()).toEqual(nothing)
    expect(await session.context({ format: 'pi' })).toEqual({
      messages: [],
      thinkingLevel: 'off',
      model: null,
    })
    expect((await session.context({ format: 'anthropic' })).request).toEqual({ messages: [] })
    expect((await session.context({ format: 'openai' })).request).toEqual({ input: [] })
  })

  it('says what it took to be valid, in the order in which it was done', async () => {
    const store = await newStore()
    const session = await store.createSession()
    const [, first, second] = await session.appendAll([said('user', 'go'), called('a/b'), called('c')])
    const { request, repairs } = await session.context({ format: 'openai-chat' })
    expect(repairs).toEqual([
      { kind: 'closed-call', oid: first, call: 'a/b' },
      { kind: 'closed-call', oid: second, call: 'c' },
      { kind: 'renamed-call', oid: first, call: 'a/b', as: 'a_b' },
    ])
    expect((request.messages as readonly unknown[]).length).toBe(4)
  })

  it('has equal bytes on equal paths in every format but pi, which has times', async () => {
    const store = await newStore()
    const entries: EntryInput[] = [
      said('user', 'go'),
      called('x'),
      { body: { role: 'tool', content: [{ type: 'toolResult', id: 'x', text: 'words' }] } },
      said('assistant', 'done'),
    ]
    const [one, other] = [await store.createSession({ title: 'One' }), await store.createSession()]
    await one.appendAll(entries)
    for (const entry of entries) await other.append(entry)
    const fork = await store.fork(one.id)
    for (const format of ['json', 'anthropic', 'openai', 'openai-chat'] as const) {
      const bytes = await Promise.all(
        [one, other, fork].map(async (session) =>
          JSON.stringify(await session.context({ format } as { format: 'json' })),
        ),
      )
      expect(new Set(bytes).size).toBe(1)
      expect(bytes[0]?.length).toBeGreaterThan(100)
    }
    const { shared, left } = await store.compareContexts(one.id, other.id, { format: 'anthropic' })
    expect(shared).toEqual(left)
  })

  it('gives equal entries on different branches the time of the record on the path', async () => {
    const at = (second: number): string => `2026-01-02T03:04:0${second}.000Z`
    const record = (id: string, parentId: string | null, second: number, content: string) => ({
      type: 'message',
      id,
      parentId,
      timestamp: at(second),
      message: { role: 'user', content, timestamp: Date.parse(at(second)) },
    })
    const lines = [
      { type: 'session', version: 3, id: 'twice', timestamp: at(0), cwd: '/' },
      record('a', null, 0, 'A'),
      record('b', 'a', 1, 'B'),
      { type: 'label', id: 'l', parentId: 'b', timestamp: at(2), targetId: 'b', label: 'first' },
      record('c', 'l', 2, 'C'),
      record('x', 'a', 3, 'B'),
      record('y', 'x', 4, 'D'),
      record('d', 'c', 5, 'E'),
    ]
    const store = await newStore()
    const file = join(newFolder(), 'twice.jsonl')
    writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    await store.import(file)
    const session = await store.session('twice')
    const timesOf = async (native: string) =>
      (await session.context({ format: 'pi', at: `twice:${native}` })).messages.map((message) =>
        new Date((message as { timestamp: number }).timestamp).getSeconds(),
      )
    expect(await timesOf('d')).toEqual([0, 1, 2, 5])
    expect(await timesOf('c')).toEqual([0, 1, 2])
    expect(await timesOf('y')).toEqual([0, 3, 4])
  })

  it('of pi reads no record above a compaction', async () => {
    const time = '2026-01-02T03:04:05.678Z'
    const messages = Array.from({ length: 300 }, (_, i) => ({
      type: 'message',
      message: { role: 'user', content: `${i}`, timestamp: 1 },
    }))
    messages.splice(295, 0, {
      type: 'compaction',
      summary: 'before',
      firstKeptEntryId: '294',
      tokensBefore: 1,
    } as never)
    const lines = messages.map((one, i) => ({
      ...one,
      id: `${i}`,
      parentId: i > 0 ? `${i - 1}` : null,
      timestamp: time,
    }))
    const file = join(newFolder(), 'long.jsonl')
    const header = { type: 'session', version: 3, id: 'long', timestamp: time, cwd: '/' }
    writeFileSync(file, [header, ...lines].map((line) => `${JSON.stringify(line)}\n`).join(''))
    const store = await newStore()
    await store.import(file)
    const looked = vi.spyOn(RecordFinder.prototype, 'findNative')
    const { messages: seen } = await (await store.session('long')).context({ format: 'pi' })
    expect(seen.length).toBe(7)
    expect(looked.mock.calls.length).toBeLessThan(10)
    looked.mockRestore()
  })

  it('C8, C9: of pi 0.73 has no edits and no system prompt that a compaction carries', async () => {
    const time = '2026-01-02T03:04:05.678Z'
    const chain = [
      { type: 'message', message: { role: 'system', content: 'A', timestamp: 1 } },
      { type: 'message', message: { role: 'user', content: 'a', timestamp: 1 } },
      { type: 'message', message: { role: 'user', content: 'b', timestamp: 1 } },
      { type: 'context_edit', targetId: '2', replacement: null },
      {
        type: 'compaction',
        summary: 'S',
        firstKeptEntryId: '1',
        tokensBefore: 9,
        systemMessage: { role: 'system', content: 'C', timestamp: 1 },
      },
    ]
    const records = chain.map((record, at) => ({
      id: `${at + 1}`,
      parentId: at === 0 ? null : `${at}`,
      timestamp: time,
      ...record,
    }))
    const header = { type: 'session', version: 3, id: 'old', timestamp: time, cwd: '/' }
    const file = join(newFolder(), 'old.jsonl')
    writeFileSync(file, [header, ...records].map((record) => `${JSON.stringify(record)}\n`).join(''))
    const store = await newStore()
    await store.import(file)
    const session = await store.session('old')
    const texts = async (version: '1.5' | '0.73') =>
      (await session.context({ format: 'pi', version })).messages.map((message) => {
        const { content, summary } = message as { content?: string; summary?: string }
        return content ?? summary
      })
    expect(await texts('1.5')).toEqual(['C', 'S', 'b'])
    expect(await texts('0.73')).toEqual(['S', 'A', 'a', 'b'])
  })
})

describe('a budget', () => {
  it('says as data what is left out, in every format', async () => {
    const store = await newStore()
    const session = await store.createSession()
    const [old] = await session.appendAll([
      said('user', 'long '.repeat(80)),
      said('assistant', 'answer'),
      said('user', 'now'),
    ])
    const { messages, left, tokens } = await session.context({ budget: 3 })
    expect(messages.map(({ blocks }) => blocks[0])).toEqual([{ kind: 'text', text: 'now' }])
    expect([left[0], left.length, tokens]).toEqual([{ kind: 'message', oid: old, tokens: 100 }, 2, 1])
    const request = await session.context({ format: 'anthropic', budget: 3 })
    expect(request.left).toEqual(left)
    expect(request.request).toEqual({
      messages: [{ role: 'user', content: [{ type: 'text', text: 'now' }] }],
    })
    const pi = await session.context({ format: 'pi', budget: 3 })
    expect(pi.messages).toMatchObject([{ role: 'user', content: [{ type: 'text', text: 'now' }] }])
  })
})

describe('compareContexts', () => {
  it('gives the shared beginning of two forks in messages, bytes and tokens', async () => {
    const store = await newStore()
    const one = await store.createSession()
    await one.appendAll([said('user', 'go on'), said('assistant', 'yes')])
    const other = await store.fork(one.id)
    await one.append(said('user', 'north'))
    await other.append(said('user', 'nowhere'))
    const compared = await store.compareContexts(one.id, other.id, { format: 'anthropic' })
    const text = (role: string, words: string) =>
      JSON.stringify({ role, content: [{ type: 'text', text: words }] }).length
    const before = text('user', 'go on') + text('assistant', 'yes')
    const common = '{"role":"user","content":[{"type":"text","text":"no'.length
    expect(compared).toEqual({
      shared: { messages: 2, bytes: before + common, tokens: 3 },
      left: { messages: 3, bytes: before + text('user', 'north'), tokens: 5 },
      right: { messages: 3, bytes: before + text('user', 'nowhere'), tokens: 5 },
    })
    for (const format of ['json', 'pi', 'openai', 'openai-chat'] as const)
      expect((await store.compareContexts(one.id, other.id, { format })).shared).toMatchObject({
        messages: 2,
        tokens: 3,
      })
  })
})

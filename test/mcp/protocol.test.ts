import type { Client } from '@modelcontextprotocol/client'
import { describe, expect, it } from 'vitest'
import { mcpHandler } from '../../src/mcp/handler.ts'
import type { Memory } from '../../src/mcp/memory.ts'
import { append } from '../../src/verbs/append.ts'
import { newSession } from '../../src/verbs/new.ts'
import { contextOf, openStore, type Store } from '../../src/verbs/open.ts'
import { afterTest } from '../support/cleanup.ts'
import { newFolder } from '../support/folder.ts'
import { callOf, clientOf, httpClientOf, memoryOf } from '../support/mcpclient.ts'

/** Makes a store with a session of some messages of its user, and returns both. */
async function filled(...texts: string[]): Promise<{ readonly store: Store; readonly session: string }> {
  const store = await openStore(newFolder(), { create: true, cwd: '/work', lockTimeout: 60_000 })
  afterTest(() => store.close())
  const call = contextOf(store)
  const { session } = await newSession.run(call, { title: 'Tides' })
  const entry = texts.map((content) => ({ body: { role: 'user', content } }))
  await append.run(call, { session, entry })
  return { store, session }
}

type Opener = (memory: Memory) => Promise<Client>

describe.each<[string, Opener]>([
  ['in process', clientOf],
  ['over HTTP, of 2025', (memory) => httpClientOf(memory)],
  ['over HTTP, of 2026-07-28', (memory) => httpClientOf(memory, '2026-07-28')],
])('a client %s', (_, open) => {
  it('lists tools and prompts, and calls a tool', async () => {
    const { store, session } = await filled('When is high tide?')
    const client = await open(memoryOf(store))
    expect(client.getServerVersion()).toMatchObject({ name: 'sess', version: '0.0.0' })
    expect((await client.listTools()).tools).toHaveLength(8)
    const { prompts } = await client.listPrompts()
    expect(prompts.map(({ name }) => name)).toEqual(['recall', 'go-on'])
    const prompt = await client.getPrompt({ name: 'recall', arguments: { topic: 'tides' } })
    expect(JSON.stringify(prompt.messages)).toContain('this: tides')
    expect((await callOf(client, 'search', { query: 'tide' })).items[0]).toMatchObject({ session })
  })

  it('lists, reads and completes resources', async () => {
    const { store, session } = await filled(...Array.from({ length: 60 }, (__, i) => `Tide ${i}?`))
    const client = await open(memoryOf(store))
    const { resources } = await client.listResources()
    expect(resources).toEqual([
      expect.objectContaining({ uri: `sess://session/${session}`, name: session, title: 'Tides' }),
    ])
    const { resourceTemplates } = await client.listResourceTemplates()
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      'sess://session/{id}',
      'sess://session/{id}/{after}',
      'sess://entry/{oid}',
    ])
    const textOf = async (uri: string): Promise<string> => {
      const [content] = (await client.readResource({ uri })).contents
      return content && 'text' in content ? content.text : ''
    }
    const seen: string[] = []
    let next: string | undefined
    do {
      const text = await textOf(`sess://session/${session}${next === undefined ? '' : `/${next}`}`)
      seen.push(...[...text.matchAll(/"(Tide \d+\?)"/g)].map(([, said = '']) => said))
      next = /next: (\S+)/.exec(text)?.[1]
    } while (next !== undefined && seen.length < 100)
    expect(seen).toEqual(Array.from({ length: 60 }, (__, i) => `Tide ${i}?`))
    const shown = await callOf(client, 'show', { revision: session })
    expect(await textOf(shown.items[0]?.uri as string)).toContain('Tide 59?')
    const { completion } = await client.complete({
      ref: { type: 'ref/resource', uri: 'sess://session/{id}' },
      argument: { name: 'id', value: session.slice(0, 4) },
    })
    expect(completion.values).toContain(session)
  })

  it('gets an error for what does not exist', async () => {
    const { store } = await filled('When?')
    const client = await open(memoryOf(store))
    for (const uri of [
      'sess://entry/ffffffffffff',
      'sess://session/none',
      'sess://session/%E0%A4%A',
      'file:///etc',
    ])
      await expect(client.readResource({ uri })).rejects.toThrow(/not found|Resource/i)
    await expect(client.callTool({ name: 'erase', arguments: {} })).rejects.toThrow(/erase/)
  })
})

it('stops the work of a call that is cancelled', async () => {
  const { store } = await filled('When is high tide?')
  const signals: AbortSignal[] = []
  let began: () => void
  const isBegun = new Promise<void>((resolve) => (began = resolve))
  const memory = memoryOf(store, {
    context: ({ signal }) => {
      signals.push(signal)
      began()
      return new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve(contextOf(store, { signal })))
      })
    },
  })
  const client = await clientOf(memory)
  const stop = new AbortController()
  const call = callOf(client, 'search', { query: 'tide' }, { signal: stop.signal })
  await isBegun
  stop.abort('enough')
  await expect(call).rejects.toThrow('enough')
  await expect.poll(() => signals[0]?.aborted).toBe(true)
})

it('answers while there is no store, and once there is one', async () => {
  const { store } = await filled('When is high tide?')
  let isThere = false
  const client = await clientOf(
    memoryOf(store, {
      context: async ({ signal }) =>
        isThere ? contextOf(store, { signal }) : contextOf(await openStore('/work/none', {}), { signal }),
    }),
  )
  const before = await callOf(client, 'search', { query: 'tide' })
  expect((await client.listResources()).resources).toEqual([])
  expect([before.failed, before.text]).toEqual([true, expect.stringContaining('sess import')])
  isThere = true
  expect((await callOf(client, 'search', { query: 'high' })).items).toHaveLength(1)
})

it('answers many calls at once, each with its own', async () => {
  const words = ['ebb', 'flood', 'neap', 'spring', 'slack', 'rip', 'bore', 'seiche']
  const { store } = await filled(...words.map((word) => `What is ${word}?`))
  const client = await clientOf(memoryOf(store))
  const asked = Array.from({ length: 40 }, (_, i) => words[i % words.length] as string)
  const replies = await Promise.all(asked.map((query) => callOf(client, 'search', { query })))
  expect(replies.map(({ text }) => asked.find((word) => text.includes(`What is ${word}?`)))).toEqual(asked)
})

it('refuses over HTTP a body that is too large, and one that is no JSON', async () => {
  const { store } = await filled('When?')
  const { fetch, close } = mcpHandler(memoryOf(store))
  afterTest(close)
  const post = (body: string): Promise<Response> =>
    fetch(
      new Request('http://127.0.0.1/mcp', {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      }),
    )
  expect((await post(`{"a":"${'x'.repeat(5 << 20)}"}`)).status).toBe(413)
  expect((await post('{')).status).toBe(400)
})

import { expect, it } from 'vitest'
import { field, items, type Json } from '../../src/model/json.ts'
import { ALL } from '../support/amount.ts'
import { TestServer } from '../support/restserver.ts'

const [READERS, WRITERS] = [50, 5]

/** Milliseconds: a minute with volume. */
const DURATION = ALL ? 60_000 : 1000

const PATHS = ['rows?filter=all&limit=20', 'entries?limit=50', 'turns?limit=10', 'branches', 'tree?limit=50']

it('serves many readers and writers at once without an error or a lost write', {
  timeout: 180_000,
}, async () => {
  const server = await TestServer.start({ write: true })
  const [shared = '', ...others] = server.sessions
  const until = performance.now() + DURATION
  const failed: unknown[] = []
  let reads = 0
  const written: string[][] = Array.from({ length: WRITERS }, () => [])
  const reader = async (n: number): Promise<void> => {
    for (let turn = n; performance.now() < until; turn++) {
      const path = `/api/sessions/${turn % 3 === 0 ? others[turn % others.length] : shared}/${PATHS[turn % PATHS.length]}`
      const response = await server.fetch(path)
      const text = await response.text()
      reads++
      if (response.status !== 200) failed.push([path, text])
    }
  }
  // All of them append to one session, each says what it was decided on, and decides again where it lost.
  const writer = async (n: number): Promise<void> => {
    for (let turn = 0; performance.now() < until; turn++) {
      const content = `writer ${n} turn ${turn}`
      const { json } = await server.ask(`/sessions/${shared}/entries?limit=1`)
      const tip = field(items(field(json, 'items'))[0], 'oid') as string
      const entry = [{ body: { role: 'user', content } }]
      const done = await server.post(`/sessions/${shared}/entries`, { entry }, { 'if-match': `"${tip}"` })
      if (done.status === 200) written[n]?.push(content)
      else if (done.status !== 409) failed.push(done.text)
    }
  }
  await Promise.all([
    ...Array.from({ length: READERS }, (_, n) => reader(n)),
    ...Array.from({ length: WRITERS }, (_, n) => writer(n)),
  ])
  expect(failed).toEqual([])
  expect(reads).toBeGreaterThanOrEqual(READERS)
  const found = new Set<Json>()
  for (let after = ''; ; ) {
    const { json } = await server.ask(`/sessions/${shared}/entries?limit=500${after}`)
    for (const one of items(field(json, 'items'))) found.add(field(one, 'text') as Json)
    const next = field(json, 'next')
    if (next === null) break
    after = `&after=${next as string}`
  }
  const all = written.flat()
  expect(all.length).toBeGreaterThan(0)
  expect(all.filter((text) => !found.has(text))).toEqual([])
})

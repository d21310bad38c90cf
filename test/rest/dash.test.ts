import { expect, it } from 'vitest'
import { field, items, type Json, type JsonObject } from '../../src/model/json.ts'
import { TestServer } from '../support/restserver.ts'

const says = (content: string, role = 'user') => ({ body: { role, content } })

async function swarming(): Promise<{
  readonly server: TestServer
  readonly session: string
  readonly root: string
}> {
  const server = await TestServer.start({ write: true })
  const { json } = await server.post('/swarms', { swarm: 'faster', task: 'Make the queries faster' })
  const session = field(field(json, 'result'), 'session') as string
  const { json: branches } = await server.ask('/swarms/faster/branches')
  const root = field(items(field(branches, 'branches'))[0], 'leafEntryId') as string
  return { server, session, root }
}

const append = async (
  server: TestServer,
  session: string,
  branch: string,
  ...texts: string[]
): Promise<void> => {
  const { status } = await server.post(`/sessions/${session}/entries`, {
    branch,
    entry: texts.map((text) => says(text)),
  })
  expect(status).toBe(200)
}

it('makes, switches and compares branches of a swarm as Dash does', async () => {
  const { server, session, root } = await swarming()
  const made = await server.post('/swarms/faster/branches', {
    name: 'approach-1',
    description: 'Use indexing',
  })
  expect(made.json).toEqual({ entryId: root, name: 'approach-1', description: 'Use indexing' })
  expect(Number(made.headers.get('sess-operation'))).toBeGreaterThan(0)
  const other = await server.post('/swarms/faster/branches', { name: 'approach-2', fromEntryId: root })
  expect(other.json).toEqual({ entryId: root, name: 'approach-2', description: null })
  await append(server, session, 'approach-1', 'one', 'two')
  await append(server, session, 'approach-2', 'three')
  const switched = await server.post('/swarms/faster/switch-branch', { branchName: 'approach-2' })
  expect(switched.json).toEqual({ success: true, currentBranch: 'approach-2' })
  const { json } = await server.ask('/swarms/faster/branches')
  expect(field(json, 'currentBranch')).toBe('approach-2')
  expect(items(field(json, 'branches')).map((one) => [field(one, 'id'), field(one, 'entryCount')])).toEqual([
    ['main', 1],
    ['approach-1', 3],
    ['approach-2', 2],
  ])
  const { json: whole } = await server.ask('/swarms/faster/comparison?metric=entries')
  expect(field(whole, 'winner')).toBe('main')
  expect(items((await server.ask('/swarms')).json)).toEqual([(await server.ask('/swarms/faster')).json])
  const { json: compared } = await server.post('/swarms/faster/compare', {
    branchIds: ['approach-1', 'approach-2'],
  })
  expect(
    items(field(compared, 'branches')).map((one) => [field(one, 'name'), field(one, 'entryCount')]),
  ).toEqual([
    ['approach-1', 2],
    ['approach-2', 1],
  ])
  expect(items(field(compared, 'differences')).map((one) => field(one, 'metric'))).toEqual(
    ['tokens', 'cost'].toSorted(),
  )
})

it('answers wrong calls with a message in error too', async () => {
  const { server } = await swarming()
  const cases: readonly (readonly [path: string, body: JsonObject | undefined, status: number])[] = [
    ['/swarms/nothing/tree', undefined, 404],
    ['/swarms/nothing/branches', undefined, 404],
    ['/sessions/nothing/tree', undefined, 404],
    ['/swarms/faster/branches', { description: 'nameless' }, 400],
    ['/swarms/faster/branches', { name: 'main' }, 409],
    ['/swarms/faster/switch-branch', { branchName: 'nothing' }, 404],
    ['/swarms/faster/compare', { branchIds: ['main'] }, 400],
  ]
  for (const [path, body, status] of cases) {
    const reply = body ? await server.post(path, body) : await server.ask(path)
    expect([path, reply.status, field(reply.json, 'error')]).toEqual([
      path,
      status,
      field(reply.json, 'detail'),
    ])
  }
})

it('lists the tree in pre-order, whole and in parts', async () => {
  const { server, session, root } = await swarming()
  for (const name of ['left', 'right']) await server.post('/swarms/faster/branches', { name })
  await append(server, session, 'left', 'l1', 'l2', 'l3')
  await append(server, session, 'right', 'r1', 'r2')
  await append(server, session, 'main', 'm1')
  await server.post(`/sessions/${session}/label`, { label: 'here', revision: root })
  const whole = items((await server.ask('/swarms/faster/tree')).json) as readonly JsonObject[]
  expect(whole).toHaveLength(7)
  expect(whole[0]).toMatchObject({ id: root, parentId: null, depth: 0, hasChildren: true, label: 'here' })
  expect(whole[0]).toMatchObject({ type: 'sess/message', metadata: { role: 'user', contentLength: 23 } })
  const seen = new Set<Json>()
  for (const [i, { id, parentId, depth, hasChildren, timestamp }] of whole.entries()) {
    if (i > 0) expect(seen.has(parentId as Json)).toBe(true)
    seen.add(id as Json)
    expect(timestamp).toMatch(/^\d{4}-/)
    expect(hasChildren).toBe(whole.some((other) => other.parentId === id))
    expect(depth).toBe(
      parentId === null ? 0 : (whole.find((other) => other.id === parentId)?.depth as number) + 1,
    )
  }
  // A walk in pre-order: the descendants of an entry follow it without a gap.
  for (const [i, { depth }] of whole.entries()) {
    const end = whole.findIndex((other, at) => at > i && (other.depth as number) <= (depth as number))
    const inside = whole.slice(i + 1, end < 0 ? undefined : end)
    expect(inside.every((other) => (other.depth as number) > (depth as number))).toBe(true)
  }
  const parts: Json[] = []
  for (let path = `/sessions/${session}/tree?limit=2`; ; ) {
    const { json, headers } = await server.ask(path)
    expect(items(json).length).toBeLessThanOrEqual(2)
    parts.push(...items(json))
    const [, next] = /^<\/api(.*)>; rel="next"$/.exec(headers.get('link') ?? '') ?? []
    if (next === undefined) break
    path = next
  }
  expect(parts).toEqual(whole)
  const flat = items((await server.ask(`/sessions/${session}/tree?depth=1`)).json) as readonly JsonObject[]
  expect(flat.map(({ depth }) => depth)).toEqual([0, 1, 1, 1])
  const below = whole.find(({ depth, hasChildren }) => depth === 1 && hasChildren === true) as JsonObject
  const { json: part } = await server.ask(`/sessions/${session}/tree?root=${below.id as string}`)
  const from = whole.indexOf(below)
  const end = whole.findIndex((other, at) => at > from && (other.depth as number) <= 1)
  expect(part).toEqual(whole.slice(from, end < 0 ? undefined : end))
})

it('lists what was done in a swarm, and not what was done elsewhere', async () => {
  const { server, session } = await swarming()
  await server.post('/swarms', { swarm: 'faster-still', task: 'Other' })
  await server.post('/swarms/faster/branches', { name: 'left' })
  await append(server, session, 'left', 'l1')
  await server.post(`/sessions/${server.sessions[0]}/rename`, { title: 'Elsewhere' })
  const { json } = await server.ask('/swarms/faster/events')
  const types = items(field(json, 'events')).map((one) => field(one, 'type'))
  expect(types).toEqual([
    `POST /api/sessions/${session}/entries`,
    'POST /api/swarms/faster/branches',
    'POST /api/swarms',
  ])
  expect(items(field((await server.ask('/swarms/faster/events?limit=1')).json, 'events'))).toHaveLength(1)
})

it('tells of a swarm as events, from its own and other sessions of it', async () => {
  const { server, session } = await swarming()
  const [other = '', apart = ''] = server.sessions
  await server.post('/swarms/faster/add', { name: 'helper', of: other })
  const response = await server.fetch('/api/events?swarm=faster')
  const heard: string[] = []
  const listen = async (): Promise<void> => {
    for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) heard.push(part)
  }
  void listen().catch(() => undefined)
  await expect.poll(() => heard.join('')).toContain('event: ready')
  await server.post(`/sessions/${apart}/rename`, { title: 'Elsewhere' })
  await append(server, session, 'main', 'm1')
  await append(server, other, 'main', 'o1')
  await server.post('/swarms/faster/remove', { name: 'helper' })
  await expect.poll(() => heard.join('')).toContain('"swarms":["faster"]')
  const text = heard.join('')
  expect([text.includes(session), text.includes(other), text.includes(apart)]).toEqual([true, true, false])
})

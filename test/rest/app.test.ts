import { describe, expect, it } from 'vitest'
import { field, items, type Json, type JsonObject } from '../../src/model/json.ts'
import { labelRef } from '../../src/model/refname.ts'
import { ROUTES } from '../../src/rest/routes.ts'
import { TestServer } from '../support/restserver.ts'

const textIn = (value: Json, ...path: readonly string[]): string => {
  let at: Json | undefined = value
  for (const key of path) at = Array.isArray(at) ? items(at)[Number(key)] : field(at, key)
  return at as string
}

describe('the routes that read', () => {
  it('answer what verbs return, as the description says', async () => {
    const server = await TestServer.start()
    const [first = '', second = ''] = server.sessions
    const list = await server.ask('/sessions')
    expect(items(field(list.json, 'items'))).toHaveLength(server.sessions.length)
    const { json: one } = await server.ask(`/sessions/${first}`)
    expect(textIn(one, 'id')).toBe(first)
    const { json: log } = await server.ask(`/sessions/${first}/entries?limit=5`)
    const oid = textIn(log, 'items', '0', 'oid')
    const paths = [
      '',
      `/sessions/${first}/usage`,
      `/sessions/${first}/rows?filter=all&limit=7`,
      `/sessions/${first}/turns`,
      `/sessions/${first}/context?budget=100`,
      `/sessions/${first}/context?revision=${oid}`,
      `/sessions/${first}/branches?verbose=true`,
      `/sessions/${second}/labels`,
      `/sessions/${first}/graph`,
      `/entries/${oid}`,
      `/objects/${oid}`,
      '/places',
      `/diff?a=${first}&b=${second}`,
      `/diff/stat?a=${first}&b=${second}`,
      `/compare?revisions=${first}&revisions=${second}&metric=entries`,
      `/context-diff?a=${first}&b=${second}`,
      '/search?query=says&limit=3',
      '/search/sessions?query=says',
      '/search/count?query=says',
      '/ops?limit=2',
      '/ops/1',
      '/usage?by=day',
      '/store',
      '/store/check',
      '/changes?wait=0',
    ]
    for (const path of paths) expect([path, (await server.ask(path)).status]).toEqual([path, 200])
    const asked = new Set(paths.map((path) => path.replace(/\?.*/, '').replace(/[0-9a-f-]{36,}|\b1$/, ':')))
    const unasked = ROUTES.filter(
      ({ method, path }) => method === 'GET' && !asked.has(path.replace(/:\w+/, ':')),
    )
    expect(unasked.map(({ path }) => path)).toEqual([
      '/sessions',
      '/sessions/:id',
      '/sessions/:id/entries',
      '/swarms',
      '/swarms/:id',
      '/swarms/:id/comparison',
    ])
    expect((await server.ask('/swarms')).json).toEqual([])
    const compared = await server.post('/compare', { revisions: [first, second] })
    expect(field(compared.json, 'sides')).toHaveLength(2)
  })

  it('read a list by pages', async () => {
    const server = await TestServer.start()
    const seen: string[] = []
    for (let after = ''; ; ) {
      const { json } = await server.ask(`/sessions?limit=2${after}`)
      seen.push(...items(field(json, 'items')).map((one) => textIn(one, 'id')))
      const next = field(json, 'next')
      if (next === null) break
      after = `&after=${next as string}`
    }
    expect(seen.toSorted()).toEqual(server.sessions.toSorted())
  })

  it('answer what is wrong as a problem', async () => {
    const server = await TestServer.start()
    const cases: readonly (readonly [path: string, status: number, code: string])[] = [
      ['/nothing', 404, 'no-route'],
      ['/sessions/nothing', 404, 'no-session'],
      ['/sessions?limit=many', 400, 'bad-usage'],
      ['/sessions?limit=2000', 400, 'bad-usage'],
      ['/sessions?colour=red', 400, 'bad-usage'],
      ['/sessions?limit=1&limit=2', 400, 'bad-usage'],
      ['/sessions?after=x', 400, 'bad-usage'],
      ['/diff', 400, 'bad-usage'],
      [`/search?query=${'x'.repeat(3000)}`, 400, 'bad-usage'],
      [`/entries/${'0'.repeat(64)}`, 404, 'no-revision'],
      ['/entries/abcd', 404, 'no-entry'],
      ['/ops/999999', 404, 'no-operation'],
      [`/sessions/${server.sessions[0]}/export?format=nothing`, 400, 'bad-usage'],
    ]
    for (const [path, status, code] of cases) {
      const reply = await server.ask(path)
      expect([path, reply.status, field(reply.json, 'code')]).toEqual([path, status, code])
      expect(reply.headers.get('content-type')).toBe('application/problem+json')
    }
  })

  it('answer HEAD and OPTIONS, and name the methods of a path', async () => {
    const server = await TestServer.start()
    const head = await server.fetch('/api/sessions', { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    const options = await server.fetch('/api/compare', { method: 'OPTIONS' })
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS, POST'])
    const other = await server.fetch('/api/sessions', { method: 'DELETE' })
    expect([other.status, other.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS, POST'])
  })

  it('say that nothing changed: an object for good, an entry with its labels', async () => {
    const server = await TestServer.start()
    const { json } = await server.ask(`/sessions/${server.sessions[0]}/entries?limit=1`)
    const oid = textIn(json, 'items', '0', 'oid')
    const object = await server.ask(`/objects/${oid}`)
    expect(object.headers.get('etag')).toBe(`"${oid}"`)
    expect(object.headers.get('cache-control')).toContain('immutable')
    const headers = (tag: string | null) => ({ headers: { 'if-none-match': tag ?? '' } })
    expect((await server.fetch(`/api/objects/${oid}`, headers(`"${oid}"`))).status).toBe(304)
    const entry = await server.ask(`/entries/${oid}`)
    const tag = entry.headers.get('etag')
    expect((await server.fetch(`/api/entries/${oid}`, headers(tag))).status).toBe(304)
    expect((await server.fetch(`/api/entries/${oid}`, headers('"other"'))).status).toBe(200)
  })

  it('stream an export byte for byte, to be saved', async () => {
    const server = await TestServer.start()
    const imported = server.sessions.at(-1)
    const response = await server.fetch(`/api/sessions/${imported}/export`)
    expect(response.headers.get('content-disposition')).toBe('attachment')
    const { json } = { json: (await response.text()).trim().split('\n') }
    expect(json).toHaveLength(10)
    expect(JSON.parse(json[0] as string)).toMatchObject({ sessionId: 'imported' })
  })
})

describe('the routes that write', () => {
  it('are refused by a server that only reads', async () => {
    const server = await TestServer.start()
    const before = await server.ask('/ops?limit=1')
    for (const { path, method } of ROUTES.filter(
      (route) => route.method === 'POST' && route.verb !== 'compare',
    )) {
      const reply = await server.ask(path.replace(':id', server.sessions[0] as string), { method, body: {} })
      expect([path, reply.status, field(reply.json, 'code')]).toEqual([path, 403, 'read-only'])
    }
    expect((await server.ask('/ops?limit=1')).text).toBe(before.text)
  })

  it('change the store, answer with the operation, and can be undone', async () => {
    const server = await TestServer.start({ write: true })
    const [id = '', other = ''] = server.sessions
    const refs = async () => (await server.ask(`/sessions/${id}`)).json as JsonObject
    const { json: log } = await server.ask(`/sessions/${id}/entries?limit=4`)
    const oid = textIn(log, 'items', '3', 'oid')
    const says = { body: { role: 'user', content: 'And then?' } }
    const calls: readonly (readonly [path: string, body: JsonObject])[] = [
      ['branches', { name: 'try', start: oid }],
      ['switch', { revision: 'try' }],
      ['entries', { entry: [says] }],
      ['label', { label: 'good', revision: oid }],
      ['cherry-pick', { revision: [`${other}/main`] }],
      ['merge', { revision: `${other}/main` }],
      ['rename', { title: 'Tides' }],
      ['compact', { keepTokens: 0, summary: 'Roots.' }],
      ['navigate', { revision: oid }],
      ['pop', { summary: 'Nothing came of it.' }],
      ['rebase', { upstream: `${other}/main`, branch: 'try' }],
      ['fork', { revision: oid, title: 'Again' }],
    ]
    for (const [path, body] of calls) {
      const before = await refs()
      const preview = await server.post(`/sessions/${id}/${path}`, { ...body, dryRun: true })
      expect([path, preview.status, field(preview.json, 'operation')]).toEqual([path, 200, null])
      expect(await refs()).toEqual(before)
      const done = await server.post(`/sessions/${id}/${path}`, body)
      const operation = field(done.json, 'operation') as number
      expect([path, done.status, typeof operation]).toEqual([path, 200, 'number'])
      const after = await refs()
      const undone = await server.post('/undo', { operation: `${operation}` })
      expect([path, undone.status]).toEqual([path, 200])
      // The heads of the logs of appends stay.
      const lasting = ({ branches, labels, head, title }: JsonObject) => ({ branches, labels, head, title })
      expect([path, lasting(await refs())]).toEqual([path, lasting(before)])
      await server.post('/redo')
      expect([path, lasting(await refs())]).toEqual([path, lasting(after)])
    }
    const { json: made } = await server.post('/sessions', { title: 'New' })
    expect(field(field(made, 'result'), 'session')).toBeTypeOf('string')
  })

  it('refuse what was decided on another tip, and name the present one', async () => {
    const server = await TestServer.start({ write: true })
    const [id = ''] = server.sessions
    const tip = textIn((await server.ask(`/sessions/${id}`)).json, 'branches', 'main')
    const entry = [{ body: { role: 'user', content: 'And then?' } }]
    const first = await server.post(`/sessions/${id}/entries`, { entry }, { 'if-match': `"${tip}"` })
    expect(first.status).toBe(200)
    const second = await server.post(`/sessions/${id}/entries`, { entry }, { 'if-match': `"${tip}"` })
    const now = textIn((await server.ask(`/sessions/${id}`)).json, 'branches', 'main')
    expect([second.status, field(second.json, 'present')]).toEqual([409, { [id]: now }])
    const third = await server.post(`/sessions/${id}/label`, {
      label: 'x',
      expected: { [`${id}/main`]: tip },
    })
    expect([third.status, field(third.json, 'present')]).toEqual([409, { [`${id}/main`]: now }])
    const wrong = await server.post(`/sessions/${id}/label`, { label: 'x' }, { 'if-match': tip })
    expect(wrong.status).toBe(400)
  })

  it('take an append for that of a program, which undo without a number leaves', async () => {
    const server = await TestServer.start({ write: true })
    const [id = ''] = server.sessions
    await server.post(`/sessions/${id}/label`, { label: 'mine' })
    const entry = [{ body: { role: 'assistant', content: 'By an agent.' } }]
    await server.post(`/sessions/${id}/entries`, { entry })
    const { json } = await server.post('/undo')
    expect(textIn(json, 'result', 'operation', 'command')).toBe(`POST /api/sessions/${id}/label`)
    expect((await server.ask(`/sessions/${id}/entries?limit=1`)).text).toContain('By an agent.')
  })

  it('do a repeated request once', async () => {
    const server = await TestServer.start({ write: true })
    const [id = ''] = server.sessions
    const again = () =>
      server.post(
        `/sessions/${id}/entries`,
        { entry: [{ body: { role: 'user', content: 'Once.' } }] },
        { 'idempotency-key': 'request-7' },
      )
    const first = await again()
    const second = await again()
    expect(field(second.json, 'operation')).toBe(field(first.json, 'operation'))
    expect([field(first.json, 'repeated'), field(second.json, 'repeated')]).toEqual([false, true])
  })
})

it('tells in a header that an answer went on without a damaged ref, until it is repaired', async () => {
  const server = await TestServer.start()
  const [first = ''] = server.sessions
  const warning = async (): Promise<string | null> => (await server.ask('/sessions')).headers.get('warning')
  expect(await warning()).toBeNull()
  const name = labelRef(first, 'bad')
  await server.store.write({ repairs: true }, ({ move }) => move(name, undefined, {}))
  expect(await warning()).toBe(
    '199 sess "1 ref of the store cannot be read and was left out: sess fsck --repair"',
  )
  await server.store.write({ repairs: true }, async ({ reader, move }) =>
    move(name, await reader.ref(name), undefined),
  )
  expect(await warning()).toBeNull()
})

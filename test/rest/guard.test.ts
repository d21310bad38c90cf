import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type Asked, type Gate, refusalOf } from '../../src/rest/guard.ts'
import { STRICT_HEADERS } from '../../src/rest/headers.ts'
import { TestServer } from '../support/restserver.ts'

const gate: Gate = {
  hosts: ['127.0.0.1:4600', 'localhost:4600'],
  token: 'secret',
  guarded: ['/api', '/mcp'],
  withoutOrigin: ['/mcp'],
}

interface Attempt extends Partial<Omit<Asked, 'header'>> {
  readonly headers?: Readonly<Record<string, string>>
}

/** The status with which a request is refused; undefined where it is answered. */
function statusOf({ headers = {}, ...asked }: Attempt): number | undefined {
  const all: Readonly<Record<string, string>> = { authorization: 'Bearer secret', ...headers }
  const usual = { method: 'GET', path: '/api/sessions', hosts: ['127.0.0.1:4600'] }
  return refusalOf({ ...usual, ...asked, header: (name) => all[name] }, gate)?.status
}

const OWN = 'http://127.0.0.1:4600'
const JSON_BODY = { 'content-type': 'application/json' }

describe('the gate', () => {
  it('knows the host by its exact name and port alone', () => {
    expect(statusOf({})).toBeUndefined()
    expect(statusOf({ hosts: ['localhost:4600'] })).toBeUndefined()
    const others = [
      'evil.test:4600',
      '127.0.0.1',
      '127.0.0.1:80',
      '127.0.0.1:4600.',
      'localhost.:4600',
      'LOCALHOST:4600',
    ]
    const forms = [
      '[::1]:4600',
      '0.0.0.0:4600',
      '2130706433:4600',
      '127.1:4600',
      '',
      'localhost:4600@evil.test',
    ]
    for (const host of [...others, ...forms])
      for (const path of ['/', '/api', '/index.html'])
        expect([host, statusOf({ path, hosts: [host] })]).toEqual([host, 421])
    expect(statusOf({ hosts: [] })).toBe(421)
    expect(statusOf({ hosts: ['127.0.0.1:4600', 'evil.test'] })).toBe(421)
  })

  it('answers no page of another origin', () => {
    const post = { method: 'POST', headers: JSON_BODY }
    expect(statusOf({ ...post, headers: { ...JSON_BODY, origin: OWN } })).toBeUndefined()
    expect(statusOf(post)).toBe(403)
    for (const origin of [
      'http://127.0.0.1:5000',
      'http://evil.test',
      'null',
      'https://127.0.0.1:4600',
      'http://localhost:4600',
    ]) {
      expect([origin, statusOf({ ...post, headers: { ...JSON_BODY, origin } })]).toEqual([origin, 403])
      expect([origin, statusOf({ headers: { origin } })]).toEqual([origin, 403])
      expect([origin, statusOf({ method: 'OPTIONS', headers: { origin } })]).toEqual([origin, 403])
    }
    for (const site of ['cross-site', 'same-site'])
      expect(statusOf({ headers: { 'sec-fetch-site': site } })).toBe(403)
    for (const site of ['same-origin', 'none'])
      expect(statusOf({ headers: { 'sec-fetch-site': site } })).toBeUndefined()
  })

  it('lets another page lead to the page, which has no data, and to nothing else', () => {
    const led = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
    expect(statusOf({ path: '/', headers: led })).toBeUndefined()
    expect(statusOf({ path: '/api/sessions', headers: led })).toBe(403)
    expect(statusOf({ path: '/', headers: { ...led, 'sec-fetch-dest': 'iframe' } })).toBe(403)
    expect(statusOf({ path: '/', headers: { ...led, 'sec-fetch-mode': 'no-cors' } })).toBe(403)
    expect(
      statusOf({ path: '/', method: 'POST', headers: { ...led, ...JSON_BODY, origin: 'http://evil.test' } }),
    ).toBe(403)
  })

  it('needs the token for all data, and no cookie or query in its place', () => {
    for (const path of ['/api', '/api/openapi.json', '/api/sessions', '/api/nothing', '/mcp', '/mcp/x'])
      for (const authorization of ['', 'Bearer', 'Bearer other', 'Bearer secretx', 'Basic secret', 'secret'])
        expect([path, statusOf({ path, headers: { authorization, cookie: 'token=secret' } })]).toEqual([
          path,
          401,
        ])
    expect(statusOf({ headers: { authorization: 'bearer secret' } })).toBeUndefined()
    expect(statusOf({ path: '/', headers: { authorization: '' } })).toBeUndefined()
  })

  it('takes no body that a form can send', () => {
    const origin = OWN
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      '',
      'application/jsonx',
    ])
      expect([type, statusOf({ method: 'POST', headers: { origin, 'content-type': type } })]).toEqual([
        type,
        415,
      ])
    expect(
      statusOf({ method: 'POST', headers: { origin, 'content-type': 'application/json; charset=utf-8' } }),
    ).toBeUndefined()
  })

  it('lets programs that know of no Origin in by the token, but no page', () => {
    expect(statusOf({ method: 'POST', path: '/mcp', headers: JSON_BODY })).toBeUndefined()
    expect(
      statusOf({ method: 'POST', path: '/mcp', headers: { ...JSON_BODY, origin: 'http://evil.test' } }),
    ).toBe(403)
    expect(statusOf({ method: 'POST', path: '/mcp', headers: { ...JSON_BODY, authorization: '' } })).toBe(401)
    expect(statusOf({ method: 'POST', path: '/mcpx', headers: JSON_BODY })).toBe(403)
  })
})

const request = (server: TestServer, lines: readonly string[], body = ''): Promise<string> =>
  server.raw(`${[...lines, 'Connection: close'].join('\r\n')}\r\n\r\n${body}`)

describe('a server under attack', () => {
  it('shows no byte of the store, and changes nothing', async () => {
    const server = await TestServer.start({ write: true })
    const [id = ''] = server.sessions
    const { token } = server.running
    const before = (await server.ask('/ops?limit=1')).text
    const auth = `Authorization: Bearer ${token}`
    const body = '{"label":"owned"}'
    const type = 'Content-Type: application/json'
    const sized = `Content-Length: ${body.length}`
    const post = `POST /api/sessions/${id}/label HTTP/1.1`
    const attempts: readonly (readonly [what: string, lines: readonly string[], body?: string])[] = [
      ['another host', ['GET /api/sessions HTTP/1.1', 'Host: evil.test', auth]],
      ['two hosts', ['GET /api/sessions HTTP/1.1', `Host: ${server.host}`, 'Host: evil.test', auth]],
      ['no host', ['GET /api/sessions HTTP/1.1', auth]],
      ['no host, HTTP/1.0', ['GET /api/sessions HTTP/1.0', auth]],
      ['an absolute address', ['GET http://evil.test/api/sessions HTTP/1.1', 'Host: evil.test', auth]],
      ['no token', ['GET /api/sessions HTTP/1.1', `Host: ${server.host}`]],
      ['the token in the query', [`GET /api/sessions?token=${token} HTTP/1.1`, `Host: ${server.host}`]],
      [
        'the token in a cookie',
        ['GET /api/sessions HTTP/1.1', `Host: ${server.host}`, `Cookie: token=${token}`],
      ],
      ['another origin', [post, `Host: ${server.host}`, auth, type, sized, 'Origin: http://evil.test'], body],
      ['no origin', [post, `Host: ${server.host}`, auth, type, sized], body],
      [
        'a form',
        [post, `Host: ${server.host}`, auth, 'Content-Type: text/plain', sized, `Origin: ${server.url}`],
        body,
      ],
      [
        'another method in its place',
        [`GET /api/sessions/${id}/label?label=owned HTTP/1.1`, `Host: ${server.host}`, auth],
      ],
      ['a path outside', ['GET /../../../etc/passwd HTTP/1.1', `Host: ${server.host}`, auth]],
      ['an escaped path outside', ['GET /%2e%2e/%2e%2e/etc/passwd HTTP/1.1', `Host: ${server.host}`, auth]],
      [
        'another protocol',
        ['GET /api/events HTTP/1.1', `Host: ${server.host}`, 'Upgrade: websocket', 'Connection: Upgrade'],
      ],
    ]
    for (const [what, lines, sent] of attempts) {
      const answer = await request(server, lines, sent)
      expect([what, answer.split(' ')[1]?.[0]]).toEqual([what, '4'])
      expect([what, answer.includes('session 0') || answer.includes('root:')]).toEqual([what, false])
    }
    expect((await server.ask('/ops?limit=1')).text).toBe(before)
  })

  it('knows no token of an earlier run', async () => {
    const earlier = await TestServer.start()
    const server = await TestServer.start()
    const { status } = await server.fetch('/api/sessions', {
      headers: { authorization: `Bearer ${earlier.running.token}` },
    })
    expect(status).toBe(401)
    expect(Buffer.from(server.running.token, 'base64url')).toHaveLength(32)
  })

  it('sends the strict headers with every answer, and none that lets other origins in', async () => {
    const server = await TestServer.start()
    const answers = [
      await server.fetch('/'),
      await server.fetch('/api'),
      await server.fetch('/api/nothing'),
      await server.fetch('/api', { headers: { authorization: undefined } }),
      await server.fetch('/api', { method: 'OPTIONS' }),
      await server.fetch('/', { method: 'DELETE' }),
    ]
    for (const { headers } of answers) {
      for (const [name, value] of Object.entries(STRICT_HEADERS)) expect(headers.get(name)).toBe(value)
      expect(headers.get('cache-control')).toBe('no-store')
      expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
      expect(headers.get('set-cookie')).toBeNull()
    }
  })

  it('listens on the loopback address alone', async () => {
    const server = await TestServer.start()
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    if (!existsSync('/proc/net/tcp')) return
    const { readFileSync } = await import('node:fs')
    const port = Number(server.url.split(':').at(-1)).toString(16).toUpperCase().padStart(4, '0')
    const listening = readFileSync('/proc/net/tcp', 'utf8')
      .split('\n')
      .filter((line) => line.includes(`:${port} 00000000:0000 0A`))
    expect(listening).toHaveLength(1)
    expect(listening[0]).toContain(`0100007F:${port}`)
  })

  it('takes no body without bounds, and no header', async () => {
    const server = await TestServer.start({ write: true })
    const large = await server.fetch(`/api/sessions/${server.sessions[0]}/rename`, {
      method: 'POST',
      body: { title: 'x'.repeat(17 * 1024 * 1024) },
    })
    expect(large.status).toBe(413)
    const header = await request(server, [
      'GET / HTTP/1.1',
      `Host: ${server.host}`,
      `X: ${'x'.repeat(20_000)}`,
    ])
    expect(header).toContain('431')
  })
})

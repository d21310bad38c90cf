import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { restApp } from '../../src/rest/app.ts'
import type { Endpoint } from '../../src/rest/endpoint.ts'
import { contextOf } from '../../src/verbs/open.ts'
import { afterTest } from '../support/cleanup.ts'
import { newFolder } from '../support/folder.ts'
import { TestServer } from '../support/restserver.ts'

it('serves the files of the page, and no other', async () => {
  const assets = newFolder()
  writeFileSync(join(assets, 'index.html'), '<p>page')
  writeFileSync(join(assets, 'page.js'), 'go()')
  writeFileSync(join(assets, 'notes.secret'), 'no')
  mkdirSync(join(assets, 'parts'))
  writeFileSync(join(assets, 'parts/style.css'), 'p {}')
  symlinkSync('/etc/passwd', join(assets, 'passwd.txt'))
  const server = await TestServer.start({ assets })
  const served = async (path: string): Promise<readonly [number, string | null, string]> => {
    const response = await server.fetch(path, { headers: { authorization: undefined } })
    return [response.status, response.headers.get('content-type'), await response.text()]
  }
  expect(await served('/')).toEqual([200, 'text/html; charset=utf-8', '<p>page'])
  expect(await served('/page.js')).toEqual([200, 'text/javascript; charset=utf-8', 'go()'])
  expect(await served('/parts/style.css')).toEqual([200, 'text/css; charset=utf-8', 'p {}'])
  for (const path of [
    '/notes.secret',
    '/passwd.txt',
    '/../package.json',
    '/parts',
    '/index.html/',
    '/api.html',
  ])
    expect([path, (await served(path))[0]]).toEqual([path, 404])
})

it('says that there is no page where it was not built', async () => {
  const server = await TestServer.start()
  expect(await (await server.fetch('/')).text()).toContain('/api')
})

it('mounts a handler of another interface behind its rules', async () => {
  const asked: string[] = []
  const handle = async (request: Request): Promise<Response> => {
    asked.push(`${request.method} ${new URL(request.url).pathname} ${await request.text()}`)
    return new Response('{}', { status: 202, headers: { 'content-type': 'application/json' } })
  }
  const server = await TestServer.start({ mounts: [{ path: '/mcp', handle }] })
  const send = (headers: Readonly<Record<string, string | undefined>>) =>
    server.fetch('/mcp', { method: 'POST', body: { id: 1 }, headers })
  const done = await send({ origin: undefined })
  expect([done.status, done.headers.get('content-security-policy')]).toEqual([
    202,
    expect.stringContaining("'none'"),
  ])
  expect((await send({ authorization: undefined })).status).toBe(401)
  expect((await send({ origin: 'http://evil.test' })).status).toBe(403)
  expect(
    (await server.fetch('/mcp/session', { method: 'DELETE', headers: { origin: undefined } })).status,
  ).toBe(202)
  expect(asked).toEqual(['POST /mcp {"id":1}', 'DELETE /mcp/session '])
})

it('ends an export whose reader goes away, and reports nothing', async () => {
  const reported = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  afterTest(() => reported.mockRestore())
  const ended: string[] = []
  const server = await TestServer.start({ write: true, log: (line) => ended.push(line) })
  const [session = ''] = server.sessions
  const entry = Array.from({ length: 1200 }, (_, i) => ({
    body: { role: 'user', content: `${i} ${'words '.repeat(300)}` },
  }))
  expect((await server.post(`/sessions/${session}/entries`, { entry })).status).toBe(200)
  // Some leave while the next bytes are made, some while they wait for them to be read.
  for (let i = 0; i < 12; i++) {
    const leaving = new AbortController()
    const path = `/api/sessions/${session}/export?format=jsonl`
    const response = await server.fetch(path, { signal: leaving.signal })
    const reader = response.body?.getReader()
    for (let chunks = 0; chunks < i; chunks++) expect((await reader?.read())?.done).toBe(false)
    leaving.abort()
    await expect(reader?.closed).rejects.toThrow(/abort/i)
  }
  // A database that nobody reads any more is let go: another process could have it.
  expect((await server.ask('/sessions')).status).toBe(200)
  expect(reported.mock.calls).toEqual([])
})

it('ends without waiting for clients that keep their connections', async () => {
  const server = await TestServer.start()
  const events = await server.fetch('/api/events')
  const ended = events.text()
  expect((await server.ask('/sessions')).status).toBe(200)
  // What cuts connections that are left after a while never does here.
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  afterTest(() => void vi.useRealTimers())
  const closed = server.running.close().then(() => 'closed')
  // Else it would last until an idle connection is given up.
  expect(await Promise.race([closed, pause(3000)])).toBe('closed')
  expect(await ended).toContain('event: ready')
})

/** An endpoint that works until its caller is gone. */
function endless(onStop: () => void): Endpoint {
  return {
    method: 'GET',
    path: '/endless',
    id: 'endless',
    summary: 'work for ever',
    effect: 'read',
    detail: () => Promise.resolve({ query: [], type: 'application/json' }),
    answer: async ({ context }) => {
      for (;;) {
        try {
          await context.repo.yieldToEvents()
        } catch (error) {
          onStop()
          throw error
        }
      }
    },
  }
}

it('stops the work of a client that goes away', async () => {
  const { createServer } = await import('node:http')
  const { getRequestListener } = await import('@hono/node-server')
  const { store } = await TestServer.start()
  let stopped = 0
  const token = 'x'
  const hosts: string[] = []
  const app = restApp({
    context: contextOf(store),
    endpoints: [endless(() => (stopped = performance.now()))],
    write: false,
    token,
    hosts,
    assets: new Map(),
  })
  const listener = getRequestListener(app.fetch, { overrideGlobalObjects: false })
  const server = createServer((request, response) => void listener(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  hosts.push(`127.0.0.1:${port}`)
  const leaving = new AbortController()
  const asked = fetch(`http://127.0.0.1:${port}/api/endless`, {
    headers: { authorization: `Bearer ${token}` },
    signal: leaving.signal,
  }).catch(() => undefined)
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(stopped).toBe(0)
  const left = performance.now()
  leaving.abort()
  await asked
  await expect.poll(() => stopped).toBeGreaterThan(0)
  // 100 ms on a machine with nothing else to do.
  expect(stopped - left).toBeLessThan(2000)
  server.close()
})

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect, it } from 'vitest'
import { built, script } from '../support/built.ts'
import { afterTest } from '../support/cleanup.ts'
import { newFolder } from '../support/folder.ts'
import { smallStore } from '../support/smallstore.ts'

const sess = script('../../bin/sess.js')

interface Announced {
  readonly url: string
  readonly token: string
  readonly store: string
  readonly write: boolean
  readonly pid: number
}

interface Started {
  readonly child: ChildProcess
  readonly said: Announced
  /** All of standard output after the first line. */
  readonly rest: string[]
}

function run(dir: string, ...words: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, [sess, '--store', dir, 'serve', ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, HOME: newFolder(), BROWSER: 'false' },
  })
  afterTest(() => void child.kill('SIGKILL'))
  return child
}

async function serve(dir: string, ...words: readonly string[]): Promise<Started> {
  const child = run(dir, '--json', ...words)
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })
  const [line] = (await once(lines, 'line')) as [string]
  const rest: string[] = []
  lines.on('line', (more: string) => rest.push(more))
  return { child, said: JSON.parse(line) as Announced, rest }
}

const ask = ({ url, token }: Announced, path: string): Promise<Response> =>
  fetch(url + path, { headers: { authorization: `Bearer ${token}` } })

const files = (dir: string): string[] => readdirSync(dir).filter((name) => name.startsWith('serve-'))

it('prints one line once it listens, notes itself in the store, and ends within a second', async () => {
  const { dir } = await smallStore()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    const { child, said, rest } = await serve(dir)
    expect(said).toMatchObject({ store: dir, write: false, pid: child.pid })
    const [name = ''] = files(dir)
    const path = join(dir, name)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(said)
    expect((await ask(said, '/api/sessions')).status).toBe(200)
    const events = await ask(said, '/api/events')
    const ended = events.text()
    const begun = performance.now()
    child.kill(signal)
    const [code] = (await once(child, 'exit')) as [number]
    expect([signal, code]).toEqual([signal, 0])
    // A machine that does other things too takes longer than one that does not.
    expect(performance.now() - begun).toBeLessThan(5000)
    expect(await ended).toContain('event: ready')
    expect([rest, files(dir)]).toEqual([[], []])
  }
})

it('removes the file of a server that was killed, and none of one that runs', async () => {
  const { dir } = await smallStore()
  const { child: killed } = await serve(dir)
  killed.kill('SIGKILL')
  await once(killed, 'exit')
  expect(files(dir)).toHaveLength(1)
  const first = await serve(dir)
  expect(files(dir)).toEqual([`serve-${first.said.pid}.json`])
  const second = run(dir)
  let noted = ''
  second.stderr?.on('data', (part: Buffer) => (noted += part.toString()))
  await expect.poll(() => noted).toContain(`this store is also served at ${first.said.url}`)
  expect(noted).not.toContain(first.said.token)
  second.kill('SIGINT')
  await once(second, 'exit')
  expect(files(dir)).toEqual([`serve-${first.said.pid}.json`])
})

it('lets other processes append and read meanwhile, and tells of it', async () => {
  const { dir, sessions } = await smallStore()
  const { said } = await serve(dir, '--write')
  const events = await ask(said, '/api/events')
  const reader = events.body?.pipeThrough(new TextDecoderStream()).getReader()
  let heard = ''
  const listen = async (): Promise<void> => {
    for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read())
      heard += part.value
  }
  void listen().catch(() => undefined)
  await expect.poll(() => heard).toContain('event: ready')
  const child = spawn(process.execPath, [script('keepappending.mjs'), built(), dir, sessions[0] as string], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  afterTest(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  await expect.poll(() => heard).toContain('"grew":true')
  const statuses = new Set<number>()
  for (let n = 0; n < 20; n++) {
    statuses.add((await ask(said, `/api/sessions/${sessions[0]}/entries?limit=20`)).status)
    const response = await fetch(`${said.url}/api/sessions/${sessions[1]}/label`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${said.token}`,
        origin: said.url,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ label: `mark ${n}` }),
    })
    statuses.add(response.status)
  }
  expect([...statuses]).toEqual([200])
})

it('logs each request in a line, without secrets, and writes through no link', async () => {
  const { dir } = await smallStore()
  const log = join(newFolder(), 'log')
  const { child, said } = await serve(dir, '--log', log)
  await ask(said, '/api/search?query=hidden')
  await fetch(`${said.url}/api`)
  child.kill('SIGINT')
  await once(child, 'exit')
  const text = readFileSync(log, 'utf8')
  expect(statSync(log).mode & 0o777).toBe(0o600)
  const lines = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { readonly path: string; readonly status: number })
  expect(lines.map(({ path, status }) => [path, status])).toEqual([
    ['/api/search', 200],
    ['/api', 401],
  ])
  expect(text).not.toContain('hidden')
  expect(text).not.toContain(said.token)
  const target = join(newFolder(), 'target')
  writeFileSync(target, '')
  symlinkSync(target, `${log}.link`)
  const refused = run(dir, '--log', `${log}.link`)
  const [code] = (await once(refused, 'exit')) as [number]
  expect([code, readFileSync(target, 'utf8')]).toEqual([1, ''])
})

it('refuses a port that is in use', async () => {
  const { dir } = await smallStore()
  const { said } = await serve(dir)
  const child = run(dir, '--port', new URL(said.url).port)
  let noted = ''
  child.stderr?.on('data', (part: Buffer) => (noted += part.toString()))
  const [code] = (await once(child, 'close')) as [number]
  expect([code, noted.split('\n')[0]]).toEqual([2, `sess: the port ${new URL(said.url).port} is in use`])
})

it('opens the browser by a private file, and never by an address with the secret', async () => {
  const { dir } = await smallStore()
  const seen = join(newFolder(), 'seen')
  const browser = join(newFolder(), 'browser')
  writeFileSync(browser, `#!/bin/sh\nstat -c %a "$1" > '${seen}.mode' && cp "$1" '${seen}'\n`, {
    mode: 0o700,
  })
  const child = spawn(process.execPath, [sess, '--store', dir, 'serve', '--json', '--open'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH, HOME: newFolder(), BROWSER: browser },
  })
  afterTest(() => void child.kill('SIGKILL'))
  const [said] = (await once(child.stdout, 'data')) as [Buffer]
  const { url, token } = JSON.parse(said.toString()) as Announced
  await expect.poll(() => files(dir).length).toBe(2)
  const read = (path: string): string => {
    try {
      return readFileSync(path, 'utf8')
    } catch {
      return ''
    }
  }
  await expect.poll(() => read(seen)).toContain(`${url}/#${token}`)
  expect(read(`${seen}.mode`).trim()).toBe('600')
  child.kill('SIGINT')
  await once(child, 'exit')
  await pause(0)
  expect(files(dir)).toEqual([])
})

it('offers its tools to agents at /mcp, to those that have the token', async () => {
  const { dir, sessions } = await smallStore()
  const { said } = await serve(dir)
  const connected = async (headers: Readonly<Record<string, string>>): Promise<Client> => {
    const client = new Client({ name: 'test', version: '1' })
    afterTest(() => client.close())
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${said.url}/mcp`), { requestInit: { headers } }),
    )
    return client
  }
  await expect(connected({})).rejects.toThrow(/401|token/i)
  const client = await connected({ authorization: `Bearer ${said.token}` })
  expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain('fork')
  const found = await client.callTool({ name: 'sessions', arguments: {} })
  expect(JSON.stringify(found.structuredContent)).toContain(sessions[0])
})

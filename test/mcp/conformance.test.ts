import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it } from 'vitest'
import { script } from '../support/built.ts'
import { afterTest } from '../support/cleanup.ts'
import { newFolder } from '../support/folder.ts'
import { INSTALLED, installed } from '../support/installed.ts'
import { smallStore } from '../support/smallstore.ts'

const PACKAGE = '@modelcontextprotocol/conformance@0.1.16'

/**
 * The scenarios that name no tool, resource or prompt of the suite's own server. Those of streams need a server that keeps
 * sessions, and those of logs, sampling and elicitation one that asks its client.
 */
const APPLICABLE = [
  'server-initialize',
  'ping',
  'tools-list',
  'resources-list',
  'prompts-list',
  'dns-rebinding-protection',
]

/**
 * Returns the program of the suite. It is written for Node 22; what Node 20 lacks of it is a function that finds files of
 * clients to test.
 */
function suite(): string {
  const path = installed(PACKAGE, '@modelcontextprotocol/conformance/dist/index.js')
  const own = join(dirname(path), 'onnode20.js')
  writeFileSync(own, readFileSync(path, 'utf8').replace('globSync as ', 'existsSync as '))
  return own
}

describe.skipIf(INSTALLED === undefined)('the official suite of the protocol', { timeout: 600_000 }, () => {
  it.each(APPLICABLE)('passes: %s', async (scenario) => {
    const url = await served()
    const words = ['server', '--url', url, '--scenario', scenario, '--output-dir', newFolder()]
    const child = spawn(process.execPath, [suite(), ...words], { stdio: ['ignore', 'pipe', 'pipe'] })
    const printed: Uint8Array[] = []
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => printed.push(chunk))
    const [code] = (await once(child, 'close')) as [number | null]
    expect([scenario, code, Buffer.concat(printed).toString()]).toEqual([
      scenario,
      0,
      expect.stringMatching(/Passed: ([1-9]\d*)\/\1, 0 failed/),
    ])
  })
})

/** Starts `sess serve`, and what gives its secret with each request: the suite has none. Returns the address of the tools. */
async function served(): Promise<string> {
  const { dir } = await smallStore()
  const child = spawn(process.execPath, [script('../../bin/sess.js'), '--store', dir, 'serve', '--json'], {
    env: { PATH: process.env.PATH, HOME: newFolder() },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  afterTest(() => void child.kill('SIGKILL'))
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  const { url, token } = JSON.parse(line) as { readonly url: string; readonly token: string }
  const proxy = createServer((request, response) => {
    pass(request, response, { url, token }).catch(() => response.destroy())
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  afterTest(() => {
    proxy.closeAllConnections()
    proxy.close()
  })
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mcp`
}

/** Passes a request on as it is, with the secret: its host and origin too, unless they are those of this proxy. */
async function pass(
  request: IncomingMessage,
  response: ServerResponse,
  { url, token }: { readonly url: string; readonly token: string },
): Promise<void> {
  const chunks: Uint8Array[] = []
  for await (const chunk of request) chunks.push(chunk as Uint8Array)
  const { host = '', origin, connection: _, 'transfer-encoding': _encoding, ...headers } = request.headers
  const own = `127.0.0.1:${request.socket.localPort}`
  const isOwn = host === own && (origin === undefined || new URL(origin).host === own)
  const answer = await fetch(`${url}${request.url}`, {
    method: request.method ?? 'GET',
    headers: {
      ...(headers as Record<string, string>),
      authorization: `Bearer ${token}`,
      // A request of a page elsewhere says so.
      origin: isOwn ? url : (origin ?? `http://${host}`),
    },
    ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
  })
  response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' })
  response.end(Buffer.from(await answer.arrayBuffer()))
}

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, it } from 'vitest'
import type { JsonObject } from '../../src/model/json.ts'
import { afterTest } from '../support/cleanup.ts'
import { callOf } from '../support/mcpclient.ts'
import { Shell } from '../support/shell.ts'

const bin = fileURLToPath(new URL('../../bin/sess.js', import.meta.url))

const envOf = (shell: Shell): Record<string, string> => ({
  PATH: process.env.PATH ?? '',
  HOME: shell.dir,
  XDG_DATA_HOME: shell.path('data'),
})

it.each(['legacy', 'auto'] as const)('serves a client that negotiates as %s', async (mode) => {
  const shell = new Shell()
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [bin, 'mcp'],
      cwd: shell.dir,
      env: envOf(shell),
    }),
  )
  afterTest(() => client.close())
  expect((await client.listTools()).tools).toHaveLength(8)
  const none = await callOf(client, 'sessions')
  expect([none.failed, none.text]).toEqual([true, expect.stringContaining('sess import')])
  const made = spawn(process.execPath, [bin, 'import', 'sessions'], { cwd: shell.dir, env: envOf(shell) })
  await once(made, 'close')
  const { items } = await callOf(client, 'sessions')
  expect(items.length).toBeGreaterThan(1)
  const shown = await callOf(client, 'show', { revision: items[0]?.session as string })
  expect(shown.items[0]?.session).toBe(items[0]?.session)
})

/** Starts the server, and returns what sends it lines and reads its answers. */
function started(shell: Shell, ...words: string[]) {
  const child = spawn(process.execPath, [bin, 'mcp', ...words], { cwd: shell.dir, env: envOf(shell) })
  afterTest(() => child.kill('SIGKILL'))
  let errors = ''
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()))
  const answers = createInterface(child.stdout)[Symbol.asyncIterator]()
  return {
    child,
    errors: () => errors,
    send: (line: string) => child.stdin.write(`${line}\n`),
    next: async () => JSON.parse((await answers.next()).value as string) as JsonObject,
  }
}

const HELLO = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'old', version: '1' } },
})

it('goes on after lines that are no messages, and ends when its input ends', async () => {
  const { child, send, next, errors } = started(new Shell())
  send(HELLO)
  expect(await next()).toMatchObject({ id: 1, result: { protocolVersion: '2024-11-05' } })
  send('no JSON')
  send('{"jsonrpc":"2.0","method":"notifications/initialized"}')
  send('{"jsonrpc":"2.0","id":2,"method":"nothing/there"}')
  expect(await next()).toMatchObject({ id: 2, error: { code: -32601 } })
  send('{"jsonrpc":"2.0","id":3,"method":"ping"}')
  expect(await next()).toMatchObject({ id: 3, result: {} })
  child.stdin.end()
  expect(await once(child, 'close')).toEqual([0, null])
  expect(errors().split('\n').length).toBeLessThan(5)
})

it('ends on a signal', async () => {
  const { child, send, next } = started(new Shell())
  send(HELLO)
  await next()
  child.kill('SIGTERM')
  expect(await once(child, 'close')).toEqual([0, null])
})

// Starts a server of tools, asks it, and prints the milliseconds until so many answers are there.
// Usage: node askmcp.mjs ANSWERS SCRIPT [WORD...]
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

const hello = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'bench', version: '1' } },
}
const call = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'sessions', arguments: {} } }

const [, , answers, ...words] = process.argv
const start = performance.now()
const child = spawn(process.execPath, words, { stdio: ['pipe', 'pipe', 'inherit'] })
const ask = (message) => child.stdin.write(`${JSON.stringify(message)}\n`)
ask(hello)
let count = 0
for await (const line of createInterface(child.stdout)) {
  const { error, result } = JSON.parse(line)
  if (error || result.isError) throw new Error(line)
  if (++count === Number(answers)) break
  ask({ jsonrpc: '2.0', method: 'notifications/initialized' })
  ask(call)
}
console.log(performance.now() - start)
child.kill()

// Pages of a server that others ask too.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

const ASK_EVERY = 1000

/** Starts a server. Returns it, what asks for an answer by its path, and what asks for a response. */
async function serve(bin, store, ...words) {
  const server = spawn(process.execPath, [bin, '--store', store, 'serve', '--json', ...words])
  const [line] = await once(server.stdout, 'data')
  const { url, token } = JSON.parse(line)
  const headers = { authorization: `Bearer ${token}`, origin: url, 'content-type': 'application/json' }
  const send = (path, more = {}) => fetch(`${url}/api/${path}`, { headers, ...more })
  const ask = async (path, body) => {
    const response = await send(path, body && { method: 'POST', body: JSON.stringify(body) })
    const answer = await response.json()
    if (!response.ok) throw new Error(answer.detail)
    return answer
  }
  return { server, ask, send }
}

/** Returns the most milliseconds that a page took while another process imported a file, and how many pages were asked for. */
export async function beside({ library, bin, store: folder, file }) {
  const { openStore } = await import(library)
  const store = await openStore(folder, { create: true })
  const session = await store.createSession()
  for (let i = 0; i < 100; i++) await session.append({ body: { role: 'user', content: `message ${i}` } })
  const { id } = session
  await store.close()
  const { server, ask } = await serve(bin, folder)
  try {
    const path = `sessions/${id}/entries?limit=20`
    for (let i = 0; i < 20; i++) await ask(path)
    const importing = spawn(process.execPath, [bin, '--store', folder, 'import', file], { stdio: 'ignore' })
    const taken = []
    while (importing.exitCode === null) {
      const begun = performance.now()
      await ask(path)
      taken.push(performance.now() - begun)
      await pause(20)
    }
    if (importing.exitCode !== 0) throw new Error(`the import ended with ${importing.exitCode}`)
    return { slowest: Math.max(...taken), pages: taken.length }
  } finally {
    server.kill()
  }
}

/** The paths of long work on a session. */
const longWork = (session) => [
  'store/check',
  'usage?by=day',
  `search?query=${encodeURIComponent('re:zyzzyva[0-9]+')}`,
  `sessions/${session}/graph?limit=1000`,
  `sessions/${session}/entries?reverse=true&limit=1000`,
]

/** Returns the most milliseconds that a server worked on after its client had gone, and for which path. */
export async function left({ bin, store, session, log }) {
  const { server, send } = await serve(bin, store, '--log', log)
  let slowest = { ms: 0, path: 'none' }
  try {
    for (const path of longWork(session)) {
      const leaving = new AbortController()
      const asked = send(path, { signal: leaving.signal })
        .then((response) => response.arrayBuffer())
        .then(
          () => true,
          () => false,
        )
      await pause(30)
      const gone = Date.now()
      leaving.abort()
      if (await asked) continue
      const ms = (await endOf(log, path)) - gone
      if (ms > slowest.ms) slowest = { ms, path }
    }
    return slowest
  } finally {
    server.kill()
  }
}

/** Returns when the last request for a path ended, by the log of the server, once it has. */
async function endOf(log, asked) {
  for (;;) {
    const lines = readFileSync(log, 'utf8').split('\n').slice(0, -1)
    const { path, time } = JSON.parse(lines.at(-1) ?? '{"path":""}')
    if (path === `/api/${asked.split('?')[0]}`) return Date.parse(time)
    await pause(5)
  }
}

/** Returns the most milliseconds from a signal to the end of a server that has streams, and long work of clients that wait. */
export async function ended({ bin, store, session, times }) {
  let slowest = 0
  for (let i = 0; i < times; i++) {
    const { server, ask, send } = await serve(bin, store, '--write')
    const streams = await Promise.all(Array.from({ length: 10 }, () => send('events')))
    const closed = streams.map((stream) => stream.text())
    for (const path of longWork(session))
      void send(path)
        .then((response) => response.text())
        .catch(() => undefined)
    const { operation } = await ask(`sessions/${session}/rename`, { title: `title ${i}` })
    const begun = performance.now()
    server.kill()
    const [code] = await once(server, 'exit')
    slowest = Math.max(slowest, performance.now() - begun)
    if (code !== 0) throw new Error(`the server ended with ${code}`)
    await Promise.all(closed)
    await expectKept(bin, store, operation)
  }
  return { slowest }
}

/** Throws unless a store has an operation. */
async function expectKept(bin, store, operation) {
  const { server, ask } = await serve(bin, store)
  try {
    await ask(`ops/${operation}`)
  } finally {
    server.kill()
  }
}

/**
 * Returns the 99th percentile of the milliseconds of a page of 100 entries in the middle of a session, while readers ask for
 * such a page every second each.
 */
export async function page({ bin, store, session, entries, times, readers }) {
  const { server, ask } = await serve(bin, store)
  try {
    const middle = await ask(`sessions/${session}/entries?limit=1&revision=${session}~${entries / 2}`)
    const path = `sessions/${session}/entries?limit=100&after=${middle.items[0].cursor}`
    const over = new AbortController()
    const others = Array.from({ length: readers }, async (_, n) => {
      await pause((n * ASK_EVERY) / readers)
      while (!over.signal.aborted) {
        await ask(path)
        await pause(ASK_EVERY)
      }
    })
    await pause(ASK_EVERY)
    const taken = []
    for (let i = 0; i < times; i++) {
      const begun = performance.now()
      await ask(path)
      taken.push(performance.now() - begun)
    }
    over.abort()
    await Promise.all(others)
    return { p99: taken.toSorted((a, b) => a - b)[Math.floor(times * 0.99)] }
  } finally {
    server.kill()
  }
}

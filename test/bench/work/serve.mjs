// Pages of a server that others ask too.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'

const ASK_EVERY = 1000

/**
 * Returns the 99th percentile of the milliseconds of a page of 100 entries in the middle of a session, while readers ask for
 * such a page every second each.
 */
export async function page({ bin, store, session, entries, times, readers }) {
  const server = spawn(process.execPath, [bin, '--store', store, 'serve', '--json'])
  try {
    const [line] = await once(server.stdout, 'data')
    const { url, token } = JSON.parse(line)
    const ask = async (path) => {
      const response = await fetch(`${url}/api/sessions/${session}/${path}`, {
        headers: { authorization: `Bearer ${token}` },
      })
      const answer = await response.json()
      if (!response.ok) throw new Error(answer.detail)
      return answer
    }
    const middle = await ask(`entries?limit=1&revision=${session}~${entries / 2}`)
    const path = `entries?limit=100&after=${middle.items[0].cursor}`
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

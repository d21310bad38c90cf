// Prints the functions of src that one append runs in an open store, in the order of files: npm run structure:append
import { mkdtempSync, rmSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const dist = new URL('../../dist/', import.meta.url)

/** Appends before the one that is traced, and the milliseconds until what a store begins after opening is over. */
const WARM = 20
const SETTLED = 500

/** Opens a store and appends until it is warm. Returns a function that appends again, and one that closes the store. */
async function openAppending(folder) {
  const { openStore } = await import(new URL('index.js', dist))
  const store = await openStore(join(folder, 'store'), { create: true })
  const session = await store.createSession()
  const append = (content) => session.append({ body: { role: 'user', content } })
  for (let i = 0; i < WARM; i++) await append(`${i}`)
  await pause(SETTLED)
  await append('last before')
  return { append, close: () => store.close() }
}

/** Runs some work once. Returns the named functions of dist that it ran, by file. */
async function functionsOf(work) {
  const inspector = new Session()
  inspector.connect()
  await inspector.post('Profiler.enable')
  await inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  await inspector.post('Profiler.takePreciseCoverage')
  await work()
  const { result } = await inspector.post('Profiler.takePreciseCoverage')
  inspector.disconnect()
  const files = new Map()
  for (const { url, functions } of result) {
    if (!url.startsWith(dist.href)) continue
    const ran = functions.filter(({ functionName, ranges: [{ count }] }) => functionName !== '' && count > 0)
    if (ran.length > 0) files.set(fileURLToPath(url).slice(fileURLToPath(dist).length), ran)
  }
  return new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1)))
}

const folder = mkdtempSync(join(tmpdir(), 'sess-trace-'))
try {
  const { append, close } = await openAppending(folder)
  const files = await functionsOf(() => append('traced'))
  await close()
  let count = 0
  for (const [file, functions] of files) {
    count += functions.length
    console.log(`${file}: ${functions.map(({ functionName }) => functionName).join(' ')}`)
  }
  console.log(`one append: ${count} functions in ${files.size} files`)
} finally {
  rmSync(folder, { recursive: true })
}

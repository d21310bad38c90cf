// Prints the functions of src that one piece of work runs in an open store, in the order of files:
// npm run structure:append, npm run structure:import
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const dist = new URL('../../dist/', import.meta.url)

/** The work before the one that is traced, and the milliseconds until what a store begins after opening is over. */
const WARM = 20
const SETTLED = 500

/** Each piece of work: returns a function that does it once in an open store; a folder is its own. */
const WORKS = {
  async append(store) {
    const session = await store.createSession()
    let count = 0
    return () => session.append({ body: { role: 'user', content: `${count++}` } })
  },
  'first import'(store, folder) {
    let count = 0
    return () => {
      const path = join(folder, `first-${count++}.jsonl`)
      writeFileSync(path, claudeLine(path, 0) + claudeLine(path, 1))
      return store.import(path)
    }
  },
  async 'import of a line more'(store, folder) {
    const path = join(folder, 'grown.jsonl')
    let count = 0
    writeFileSync(path, claudeLine(path, count++))
    await store.import(path)
    return () => {
      appendFileSync(path, claudeLine(path, count++))
      return store.import(path)
    }
  },
  async 'import of nothing new'(store, folder) {
    const path = join(folder, 'same.jsonl')
    writeFileSync(path, claudeLine(path, 0))
    await pause(SETTLED)
    await store.import(path)
    return () => store.import(path)
  },
}

/** The works that each word asks for. */
const ASKED = {
  append: ['append'],
  import: ['first import', 'import of a line more', 'import of nothing new'],
}

/** Returns a line of Claude Code: the user and the model by turns. */
function claudeLine(sessionId, n) {
  const type = n % 2 === 0 ? 'user' : 'assistant'
  const content = n % 2 === 0 ? `question ${n}` : [{ type: 'text', text: `answer ${n}` }]
  return `${JSON.stringify({
    ...{
      parentUuid: n === 0 ? null : `u${n - 1}`,
      isSidechain: false,
      cwd: '/w',
      version: '2.1.37',
      sessionId,
    },
    ...{ type, message: { role: type, content }, uuid: `u${n}` },
    timestamp: new Date(1_770_000_000_000 + n * 1000).toISOString(),
  })}\n`
}

/** Opens a store and does some work until it is warm. Returns a function that does it again, and one that closes the store. */
async function openWorking(work, folder) {
  const { openStore } = await import(new URL('index.js', dist))
  const store = await openStore(join(folder, 'store'), { create: true })
  const again = await WORKS[work](store, folder)
  for (let i = 0; i < WARM; i++) await again()
  await pause(SETTLED)
  await again()
  return { again, close: () => store.close() }
}

/** Runs some work once. Returns the named functions of dist that it ran, by file, and how often it called them. */
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

const works = ASKED[process.argv[2]]
if (!works) throw new Error(`name one of ${Object.keys(ASKED).join(', ')}`)
for (const work of works) {
  const folder = mkdtempSync(join(tmpdir(), 'sess-trace-'))
  try {
    const { again, close } = await openWorking(work, folder)
    const files = await functionsOf(again)
    await close()
    let functions = 0
    let calls = 0
    for (const [file, ran] of files) {
      functions += ran.length
      for (const { ranges } of ran) calls += ranges[0].count
      console.log(`${file}: ${ran.map(({ functionName }) => functionName).join(' ')}`)
    }
    console.log(`one ${work}: ${functions} functions in ${files.size} files, ${calls} calls`)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

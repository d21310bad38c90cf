// The work of the library that is measured. Each function has a process of its own and gives milliseconds.
import { createHash } from 'node:crypto'
import { messages } from '../conversation.mjs'
import { median, sizeOf } from '../measure.mjs'

async function timed(work) {
  const start = performance.now()
  const value = await work()
  return { ms: performance.now() - start, value }
}

/** Returns the size of a store at rest: LevelDB writes its log into tables and removes obsolete files as it opens. */
async function sizeAtRest(openStore, session, folder) {
  for (let i = 0; i < 3; i++) {
    const store = await openStore(folder)
    await store.resolve(session)
    await store.close()
  }
  return sizeOf(folder)
}

/** Opens a store and gives a session's context as pi gives it. */
export async function context({ library, store: folder, session }) {
  const { openStore } = await import(library)
  const { ms, value } = await timed(async () => {
    const store = await openStore(folder)
    return (await store.session(session)).context({ format: 'pi' })
  })
  const peak = process.resourceUsage().maxRSS * 1024
  return { ms, before: peak, sha: createHash('sha256').update(JSON.stringify(value.messages)).digest('hex') }
}

/** Forks are made in multiples of a checkpoint's commits, so that as many wait in the log before as after. */
const CHECKPOINT = 256

/** Forks at entries all over a session's path; also returns how many bytes each adds to the store at rest. */
export async function fork({ library, store: folder, session, entries, times }) {
  const { openStore } = await import(library)
  const forks = Math.ceil(times / CHECKPOINT) * CHECKPOINT
  const forkAll = async () => {
    const store = await openStore(folder)
    const taken = []
    for (let i = 0; i < forks; i++) {
      const back = Math.floor(((i + 0.5) / forks) * (entries - 1))
      taken.push((await timed(() => store.fork(`${session}~${back}`))).ms)
    }
    await store.close()
    return taken
  }
  await forkAll()
  const before = await sizeAtRest(openStore, session, folder)
  const taken = await forkAll()
  const after = await sizeAtRest(openStore, session, folder)
  return { ms: median(taken), bytes: (after - before) / forks }
}

/** Appends one entry at a time to a session. */
export async function append({ library, store: folder, session, times }) {
  const { openStore } = await import(library)
  const store = await openStore(folder)
  const to = await store.session(session)
  const bodies = [...messages(times + 1, 3)]
  await to.append({ body: { role: 'user', content: 'warm' } })
  const taken = []
  for (const body of bodies)
    taken.push(
      (await timed(() => to.append({ type: 'pi/message', body: { type: 'message', message: body } }))).ms,
    )
  await store.close()
  return { ms: median(taken) }
}

/** Returns the first entries of a log, and a context, of a store that is opened for each. */
export async function look({ library, store: folder, session, times }) {
  const { openStore } = await import(library)
  const logs = []
  const contexts = []
  for (let i = 0; i < times; i++) {
    const logged = await timed(async () => {
      const store = await openStore(folder)
      for await (const _ of (await store.session(session)).log({ limit: 20 })) continue
      return store
    })
    await logged.value.close()
    const seen = await timed(async () => {
      const store = await openStore(folder)
      await (await store.session(session)).context()
      return store
    })
    await seen.value.close()
    logs.push(logged.ms)
    contexts.push(seen.ms)
  }
  return { log: median(logs), context: median(contexts) }
}

/** Appends entries in one call to a fresh store, and gives the milliseconds until they are durable. */
export async function bulk({ library, store: folder, entries }) {
  const { openStore } = await import(library)
  const all = Array.from(messages(entries), (message) => ({
    type: 'pi/message',
    body: { type: 'message', message },
  }))
  const store = await openStore(folder, { create: true })
  const session = await store.createSession()
  const { ms } = await timed(() => session.appendAll(all))
  await store.close()
  return { ms, session: session.id }
}

/** Makes a fork in the middle of a session, with appends of its own. */
export async function side({ library, store: folder, session, back }) {
  const { openStore } = await import(library)
  const store = await openStore(folder)
  const aside = await store.fork(`${session}~${back}`)
  for (let i = 0; i < 10; i++) await aside.append({ body: { role: 'user', content: `word ${i}` } })
  await store.close()
  return { session: aside.id }
}

/**
 * Reads entries by oid in a store that is open, each once. Returns the milliseconds per entry. The peer's start is left out,
 * and so is that of the engine: the process has read as many from a copy of the store before, which it closed.
 */
export async function entriesByOid({ library, store: folder, copy, oids }) {
  const { Repo } = await import(new URL('repo/repo.js', library))
  const { digestOf } = await import(new URL('model/encoding/entry.js', library))
  const bodiesOf = async (reader) => {
    const handles = [...(await reader.findMany(oids)).values()]
    if (handles.length !== new Set(oids).size) throw new Error('an entry is missing')
    for (let at = 0; at < handles.length; at += 64) {
      const some = handles.slice(at, at + 64)
      await reader.prefetch(some)
      for (const handle of some) {
        const { digest } = await reader.node(handle)
        if (digestOf(await reader.body(handle)) !== digest) throw new Error('a body is another')
      }
    }
  }
  const read = async (from) => {
    const repo = await Repo.open(from)
    await repo.read((reader) => reader.find(oids[0]))
    const { ms } = await timed(() => repo.read(bodiesOf))
    await repo.close()
    return ms / oids.length
  }
  await read(copy)
  return { ms: await read(folder) }
}

/** Finds merge bases and ancestors all over two paths, in one open store. */
export async function ancestors({ library, store: folder, session, other, back, times }) {
  const { openStore } = await import(library)
  const store = await openStore(folder)
  const bases = []
  const found = []
  for (let i = 0; i <= times; i++) {
    const near = Math.floor((i / times) * back * 0.9)
    bases.push((await timed(() => store.mergeBase(`${session}~${near}`, other))).ms)
    found.push((await timed(() => store.resolve(`${session}~${back - near}`))).ms)
  }
  await store.close()
  return { base: median(bases.slice(1)), ancestor: median(found.slice(1)) }
}

// What interfaces do beside a process that writes: follow it, list, read slowly, and cancel.
import { setTimeout as pause } from 'node:timers/promises'
import { begin, together } from './processes.mjs'

const openIn = async (library, folder) => (await import(library)).openStore(folder)

const message = (content) => ({ body: { role: 'user', content } })

/** The work of the other process: appends so often, and gives each oid and when it was acknowledged. */
export async function acknowledged({ library, store: folder, session: id, times, every }) {
  const store = await openIn(library, folder)
  const session = await store.session(id)
  await begin()
  const given = []
  for (let i = 0; i < times; i++) {
    const oid = await session.append(message(`message ${i}`))
    given.push([oid, Date.now()])
    await pause(every)
  }
  await store.close()
  return { given }
}

/** Returns after how many milliseconds an append of another process was reported, at most, and how many were not. */
export async function followed({ library, store: folder, times }) {
  const store = await (await import(library)).openStore(folder, { create: true })
  const { id } = await store.createSession()
  const seen = new Map()
  const end = new AbortController()
  const following = (async () => {
    for await (const { refs } of store.changes({ signal: end.signal }))
      for (const { value } of refs) if (typeof value === 'string') seen.set(value, Date.now())
  })()
  const input = { library, store: folder, session: id, times, every: 50 }
  const [{ given }] = (await together('calls', 'acknowledged', [input])).results
  await pause(200)
  end.abort()
  await following.catch(() => undefined)
  await store.close()
  const late = given.map(([oid, time]) => (seen.get(oid) ?? Number.POSITIVE_INFINITY) - time)
  return {
    slowest: Math.max(...late.filter(Number.isFinite)),
    missed: late.filter((ms) => !Number.isFinite(ms)).length,
  }
}

/** Returns how many operations the appends of another process are while this one lists operations all the time. */
export async function listed({ library, store: folder, times }) {
  const store = await (await import(library)).openStore(folder, { create: true })
  const { id } = await store.createSession()
  const count = async () => {
    let operations = 0
    for await (const _ of store.operations()) operations++
    return operations
  }
  const before = await count()
  const every = 20
  const input = { library, store: folder, session: id, times, every }
  await together('calls', 'acknowledged', [input], async () => {
    let operation = 0
    for (let ms = 0; ms < times * every; ms += 100) {
      await count()
      ;({ operation } = await store.movedSince(operation))
      await pause(100)
    }
  })
  const operations = (await count()) - before
  await store.close()
  return { operations }
}

/** The work of the other process: reads a log, a row each 20 ms. */
export async function readSlowly({ library, store: folder, session: id }) {
  const store = await openIn(library, folder)
  await begin()
  let rows = 0
  for await (const _ of store.log(id)) {
    if (++rows === 200) break
    await pause(20)
  }
  await store.close()
  return { rows }
}

/** Returns the milliseconds of a rename, first with nobody beside it, then beside a process that reads a log slowly. */
export async function renamed({ library, store: folder, session: id, times }) {
  const timed = async () => {
    const taken = []
    for (let i = 0; i < times; i++) {
      const store = await openIn(library, folder)
      const session = await store.session(id)
      const start = performance.now()
      await session.rename(`title ${i}`)
      taken.push(performance.now() - start)
      await store.close()
    }
    return Math.max(...taken)
  }
  const alone = await timed()
  const { own } = await together(
    'calls',
    'readSlowly',
    [{ library, store: folder, session: id }],
    async () => {
      await pause(300)
      return timed()
    },
  )
  return { sess: own, peer: alone }
}

/** Returns the most milliseconds that a call took to end after its signal was aborted, and the name of that call. */
export async function cancelled({ library, store: folder, session: id, entries }) {
  const { loadSecretList, openStore } = await import(library)
  const store = await openStore(folder)
  const find = await loadSecretList()
  const all = async (iterable) => {
    for await (const _ of iterable);
  }
  const calls = {
    log: (call) => all(call.log(id)),
    search: (call) => call.search(`re:zyzzyva[0-9]+ session:${id}`),
    'search for a word': (call) => call.search('the'),
    usage: (call) => call.usage('day'),
    stats: (call) => call.stats(),
    context: (call) => call.context(id),
    diff: (call) => call.diff(`${id}~${entries / 2}`, id),
    export: (call) => all(call.export(id)),
    fsck: (call) => call.fsck(),
    scan: (call) => all(call.scan({ find, revisions: [id] })),
    list: (call) => call.list(),
  }
  let slowest = { ms: 0, call: 'none' }
  for (const [name, run] of Object.entries(calls)) {
    const end = new AbortController()
    let aborted = 0
    const timer = setTimeout(() => {
      aborted = performance.now()
      end.abort()
    }, 30)
    await run(store.call({ signal: end.signal })).catch((error) => {
      if (error.code !== 'stopped') throw error
    })
    clearTimeout(timer)
    const ms = aborted === 0 ? 0 : performance.now() - aborted
    if (ms > slowest.ms) slowest = { ms, call: name }
  }
  await store.close()
  return slowest
}

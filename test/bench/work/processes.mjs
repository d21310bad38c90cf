// Processes that append beside each other, to one store or to one SQLite database, and a command beside a busy one.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { messages } from '../conversation.mjs'
import { median } from '../measure.mjs'
import { entriesOf, newTable, openPuts, timedEvery } from './appends.mjs'

const run = fileURLToPath(new URL('run.mjs', import.meta.url))

/** The message of a process that waits for the others. */
const READY = 'ready\n'

const bodiesOf = (count, seed) =>
  Array.from(messages(count, seed), (message) => ({ type: 'message', message }))

/** Waits until all others are ready too. */
export async function begin() {
  process.stderr.write(READY)
  await once(process.stdin, 'data')
  process.stdin.destroy()
}

/** Appends one after the other, and gives when that began and ended, how long each took, and what it was given. */
async function timedEach(bodies, append) {
  await begin()
  const began = Date.now()
  const taken = []
  const given = []
  for (const body of bodies) {
    const start = performance.now()
    given.push(await append(body))
    taken.push(performance.now() - start)
  }
  return { began, ended: Date.now(), taken, given }
}

/** The work of one process on a store: appends to a branch of a session. */
export async function toStore({ library, store: folder, session, branch, times, seed }) {
  const { openStore } = await import(library)
  const store = await openStore(folder, { lockTimeout: 60_000 })
  const to = await store.session(session)
  const append = (body) => to.append({ type: 'pi/message', body }, { branch })
  const done = await timedEach(bodiesOf(times, seed), append)
  await store.close()
  return done
}

/** Appends one entry each `every` milliseconds, the first `after` so many. */
export async function toStorePaced({ library, store: folder, session, times, seed, every, after }) {
  const { openStore } = await import(library)
  const store = await openStore(folder, { lockTimeout: 60_000 })
  const to = await store.session(session)
  await begin()
  const append = (body) => to.append({ type: 'pi/message', body })
  const taken = await timedEvery(bodiesOf(times, seed), { began: performance.now() + after, every }, append)
  await store.close()
  return { taken }
}

/**
 * Appends from processes that take turns, each once in `every` milliseconds, and puts into a LevelDB at the pace of all
 * of them together, between two appends.
 */
export async function besidePaced({ library, store: folder, database, processes, times, every }) {
  const { openStore } = await import(library)
  const store = await openStore(folder, { create: true })
  const session = await store.createSession()
  await store.close()
  const { level, put } = await openPuts(library, database)
  const turn = every / processes
  const puts = () => {
    const pace = { began: performance.now() + turn / 2, every: turn }
    return timedEvery(entriesOf(times * processes), pace, (entry, i) => put(i, entry))
  }
  const inputs = Array.from({ length: processes }, (_, seed) => ({
    library,
    store: folder,
    session: session.id,
    times,
    seed,
    every,
    after: seed * turn,
  }))
  const { results, own } = await together('processes', 'toStorePaced', inputs, puts)
  await level.close()
  return { sess: median(results.flatMap(({ taken }) => taken)), peer: median(own) }
}

/** The work of one process on a database: inserts, a transaction each. */
export async function toSqlite({ sqlite, database: file, times, seed }) {
  const { default: Database } = await import(sqlite)
  const { database, append } = newTable(Database, file, `${seed}`)
  const done = await timedEach(bodiesOf(times, seed), (body) => append({ type: 'pi/message', body }))
  database.close()
  return done
}

/**
 * Runs a function of a module in processes at once, one for each input, and a function beside them. Returns what each
 * process and the function returned.
 */
export async function together(module, name, inputs, work = () => Promise.resolve()) {
  const children = inputs.map((input) =>
    spawn(process.execPath, [run, module, name, JSON.stringify(input)], { stdio: 'pipe' }),
  )
  const texts = children.map(() => '')
  children.forEach((child, i) => {
    child.stdout.on('data', (chunk) => {
      texts[i] += chunk
    })
    child.stderr.on('data', (chunk) => {
      if (`${chunk}` !== READY) process.stderr.write(chunk)
    })
  })
  const ended = children.map((child) => once(child, 'close'))
  await Promise.all(children.map((child) => once(child.stderr, 'data')))
  for (const child of children) child.stdin.write('go\n')
  const own = await work()
  await Promise.all(ended)
  return { results: texts.map((text) => JSON.parse(text)), own }
}

/** Runs processes at once. Returns milliseconds per append of all of them, and the 99th percentile. */
async function throughput(name, inputs) {
  const { results: all } = await together('processes', name, inputs)
  const taken = all.flatMap((one) => one.taken).sort((a, b) => a - b)
  const whole = Math.max(...all.map((one) => one.ended)) - Math.min(...all.map((one) => one.began))
  return {
    each: whole / taken.length,
    slow: taken[Math.floor(taken.length * 0.99)],
    given: all.map((one) => one.given),
  }
}

/** Throws unless each entry stands on the branch where it was acknowledged, in the order of its process, and nothing else. */
async function expectKept(session, branches, given) {
  for (const branch of new Set(branches)) {
    await session.switch(branch)
    const places = new Map()
    for await (const { oid } of session.log()) places.set(oid, -places.size)
    let count = 1 // the root
    for (const [i, oids] of given.entries()) {
      if (branches[i] !== branch) continue
      const at = oids.map((oid) => places.get(oid))
      if (at.some((place, k) => place === undefined || (k > 0 && place <= at[k - 1])))
        throw new Error(`an entry is not where process ${i} was told`)
      count += at.length
    }
    if (places.size !== count) throw new Error(`${places.size} entries are on ${branch}, not ${count}`)
  }
}

/** Throws unless each move in the operation log begins where the one before ended, and the last are what the refs are. */
async function expectLogged(library, folder) {
  const { Repo } = await import(new URL('repo/repo.js', library))
  const repo = await Repo.open(folder)
  await repo.read(async (reader) => {
    const refs = new Map()
    const expectSame = (name, value) => {
      if (JSON.stringify(value) !== refs.get(name)) throw new Error(`${name} moved beside the operation log`)
    }
    for (let n = 1; n <= (await reader.operationLog()).latest; n++)
      for (const { name, old, new: value } of (await reader.operation(n)).moves) {
        expectSame(name, old)
        refs.set(name, JSON.stringify(value))
      }
    for await (const [name, value] of reader.refs('')) expectSame(name, value)
  })
  await repo.close()
}

/** Appends one after the other until it is stopped. */
export async function busy({ library, store: folder, session }) {
  const { openStore } = await import(library)
  const to = await (await openStore(folder)).session(session)
  for (const message of messages(1_000_000, 11))
    await to.append({ type: 'pi/message', body: { type: 'message', message } })
}

/** Appends from so many processes at once, half of them to one branch, and inserts as many rows into SQLite. */
export async function beside({ library, sqlite, store: folder, database: file, processes, times }) {
  const { openStore } = await import(library)
  const store = await openStore(folder, { create: true })
  const session = await store.createSession()
  await session.append({ body: { role: 'user', content: 'root' } })
  const branches = Array.from({ length: processes }, (_, i) => (2 * i < processes ? 'main' : `side-${i}`))
  for (const branch of new Set(branches)) if (branch !== 'main') await session.branch(branch)
  await store.close()
  const ours = await throughput(
    'toStore',
    branches.map((branch, seed) => ({ library, store: folder, session: session.id, branch, times, seed })),
  )
  const again = await openStore(folder)
  await expectKept(await again.session(session.id), branches, ours.given)
  await again.close()
  await expectLogged(library, folder)
  const { default: Database } = await import(sqlite)
  newTable(Database, file).database.close()
  const theirs = await throughput(
    'toSqlite',
    branches.map((_, seed) => ({ sqlite, database: file, times, seed })),
  )
  return { sess: ours.each, peer: theirs.each, slow: ours.slow }
}

// Durable appends of one kind of message to sess, LevelDB and SQLite, in turns within one process.
import { createHash } from 'node:crypto'
import { createRequire } from 'node:module'
import { setTimeout as sleep } from 'node:timers/promises'
import { messages } from '../conversation.mjs'

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1]

export const entriesOf = (count) =>
  Array.from(messages(count, 5), (message) => ({ type: 'pi/message', body: { type: 'message', message } }))

/** Opens a LevelDB with the binding that the library uses. Returns it and a function that puts an entry, synced. */
export async function openPuts(library, folder) {
  const require = createRequire(createRequire(library).resolve('level'))
  // The binding is a dependency of `level`, not of the project.
  const binding = 'classic-level'
  const { ClassicLevel } = require(binding)
  const level = new ClassicLevel(folder, { keyEncoding: 'view', valueEncoding: 'view' })
  await level.open()
  const put = (i, entry) =>
    level.put(Buffer.from(`${i}`.padStart(12, '0')), Buffer.from(JSON.stringify(entry)), { sync: true })
  return { level, put }
}

/**
 * Appends one at a time and puts the same bytes into a LevelDB, each synced: the first of a process, for which the engine
 * has not compiled what it runs, and as many again later.
 */
export async function oneByOne({ library, store: folder, database, times }) {
  const { openStore } = await import(library)
  const store = await openStore(folder, { create: true })
  const session = await store.createSession()
  const { level, put } = await openPuts(library, database)
  const ours = []
  const theirs = []
  for (const [i, entry] of entriesOf(3 * times).entries()) {
    const start = performance.now()
    await session.append(entry)
    const between = performance.now()
    await put(i, entry)
    ours.push(between - start)
    theirs.push(performance.now() - between)
  }
  await level.close()
  await store.close()
  const part = (from) => ({
    sess: median(ours.slice(from, from + times)),
    peer: median(theirs.slice(from, from + times)),
  })
  return { first: part(0), later: part(2 * times) }
}

/**
 * Appends one entry and puts one each so many milliseconds, the put half a period after the append, so that the disk
 * is as idle before both.
 */
export async function paced({ library, store: folder, database, times, every }) {
  const { openStore } = await import(library)
  const store = await openStore(folder, { create: true })
  const session = await store.createSession()
  const { level, put } = await openPuts(library, database)
  const entries = entriesOf(times)
  const began = performance.now()
  const appends = timedEvery(entries, { began, every }, (entry) => session.append(entry))
  const puts = timedEvery(entries, { began: began + every / 2, every }, (entry, i) => put(i, entry))
  const [ours, theirs] = await Promise.all([appends, puts])
  await level.close()
  await store.close()
  return { sess: median(ours), peer: median(theirs) }
}

/** Begins one call each `every` milliseconds, the first at `began`. Returns the milliseconds that each takes. */
export async function timedEvery(entries, { began, every }, call) {
  const taken = []
  for (const [i, entry] of entries.entries()) {
    await sleep(began + i * every - performance.now())
    const start = performance.now()
    await call(entry, i)
    taken.push(performance.now() - start)
  }
  return taken
}

/** Returns an open SQLite database in WAL mode that syncs each transaction, and what inserts an entry of a conversation. */
export function newTable(Database, file, name = '') {
  const database = new Database(file, { timeout: 60_000 })
  database.pragma('journal_mode = WAL')
  database.pragma('synchronous = FULL')
  database.exec(
    'CREATE TABLE IF NOT EXISTS entry (row INTEGER PRIMARY KEY, oid BLOB UNIQUE, parent INTEGER, session INTEGER, body TEXT)',
  )
  const insert = database.prepare('INSERT INTO entry (oid, parent, session, body) VALUES (?, ?, 1, ?)')
  let parent = null
  return {
    database,
    append: ({ type, body }) => {
      const text = JSON.stringify(body)
      const oid = createHash('sha256').update(`${name}${parent}\0${type}\0`).update(text).digest()
      parent = insert.run(oid, parent, text).lastInsertRowid
    },
  }
}

/** Appends with 64 on their way at any time, and as many to SQLite in a transaction each; milliseconds per entry. */
export async function inFlight({ library, sqlite, store: folder, database: file, times }) {
  const { openStore } = await import(library)
  const { default: Database } = await import(sqlite)
  const entries = entriesOf(times)
  const store = await openStore(folder, { create: true })
  const session = await store.createSession()
  const { database, append } = newTable(Database, file)
  const rounds = 5
  const ours = []
  const theirs = []
  for (let round = 0; round < rounds; round++) {
    const part = entries.slice((round * times) / rounds, ((round + 1) * times) / rounds)
    let at = 0
    const lane = async () => {
      while (at < part.length) await session.append(part[at++])
    }
    const start = performance.now()
    await Promise.all(Array.from({ length: 64 }, lane))
    const between = performance.now()
    part.forEach(append)
    ours.push((between - start) / part.length)
    theirs.push((performance.now() - between) / part.length)
  }
  database.close()
  await store.close()
  return { sess: median(ours), peer: median(theirs) }
}

/** Inserts entries into SQLite in one transaction. */
export async function sqliteBulk({ sqlite, database: file, entries: count }) {
  const { default: Database } = await import(sqlite)
  const entries = entriesOf(count)
  const { database, append } = newTable(Database, file)
  const start = performance.now()
  database.transaction(() => entries.forEach(append))()
  const ms = performance.now() - start
  database.close()
  return { ms }
}

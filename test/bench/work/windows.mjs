// Windows of a long session in an open store, by the processor: pages and entries at the tip and in the middle.
import { median } from '../measure.mjs'

const BRANCHES = 64

async function cpuOf(work) {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

/** Makes so many branches of a session, each of which parts from it and has an entry of its own. */
async function branchOff(session, { count, entries, prefix }) {
  const names = new Set((await session.branches()).map(({ name }) => name))
  for (let i = 0; i < count; i++) {
    const name = `${prefix}-${i}`
    if (names.has(name)) continue
    await session.branch(name, `${session.id}~${Math.floor((entries * (i + 0.5)) / count)}`)
    await session.append({ body: { role: 'user', content: name } }, { branch: name })
  }
}

/** The number of entries that are shown at each place: one takes less than a millisecond. */
const SHOWN = 50

/** Returns by place the milliseconds that showing an entry there takes. Shows one at each place in turn. */
async function showInTurns(store, shown) {
  const taken = Object.fromEntries(Object.keys(shown).map((name) => [name, []]))
  for (let i = -1; i < SHOWN; i++)
    for (const [name, oids] of Object.entries(shown)) {
      const cpu = await cpuOf(() => store.show(oids[Math.max(0, i)]))
      if (i >= 0) taken[name].push(cpu)
    }
  return Object.fromEntries(Object.entries(taken).map(([name, all]) => [name, median(all)]))
}

/** Returns the milliseconds of each kind of window, and makes the branches of the session first. */
export async function windows({ library, store: folder, session: id, entries, times }) {
  const { openStore } = await import(library)
  const store = await openStore(folder)
  const session = await store.session(id)
  const middle = Math.floor(entries / 2)
  await branchOff(session, { count: BRANCHES, entries, prefix: 'window' })
  const page = (back) => store.pages.log(`${id}~${back}`, { limit: 50 })
  const oidAt = async (back) => (await page(back)).items[0].oid
  const kinds = {
    tip: (i) => page(i),
    middle: (i) => page(middle + Math.floor(entries / 10) * (i % 3) + i),
    branches: () => session.branchList(),
    all: () => session.logPage({ all: true, limit: 50 }),
    search: () => store.search(`zyzzyva session:${id}`),
  }
  const shown = {}
  for (const [name, back] of [
    ['showTip', 0],
    ['showMiddle', middle],
  ]) {
    shown[name] = []
    for (let i = 0; i < SHOWN; i++) shown[name].push(await oidAt(back + 3 * i))
  }
  const figures = await showInTurns(store, shown)
  for (const [name, work] of Object.entries(kinds)) {
    const taken = []
    await work(0)
    for (let i = 0; i < times; i++) taken.push(await cpuOf(() => work(i)))
    figures[name] = median(taken)
  }
  await store.close()
  return figures
}

/** How many entries of a session there are for each branch of its tree. */
const ENTRIES_PER_FORK = 1000

/** Spreads windows over all rows, in no order. */
const GOLDEN = 0.618

/**
 * Returns the milliseconds of windows of the tree of a session with many branches, which it makes first: of the first one in
 * a store that was used, of others, and of all counts being exact after that.
 */
export async function tree({ library, store: folder, session: id, entries, times }) {
  const { openStore } = await import(library)
  const store = await openStore(folder)
  const session = await store.session(id)
  await branchOff(session, { count: Math.floor(entries / ENTRIES_PER_FORK), entries, prefix: 'tree' })
  const taken = { first: [], exact: [], other: [] }
  const measureOnce = async (i) => {
    let view
    taken.first.push(
      await cpuOf(async () => {
        view = await session.tree()
        await view.window({ limit: 50 })
      }),
    )
    taken.exact.push(await cpuOf(() => view.settled()))
    const { total } = await view.window({ limit: 50 })
    const from = Math.floor(total * ((i * GOLDEN) % 1))
    taken.other.push(await cpuOf(() => view.window({ from, limit: 50 })))
    view.close()
  }
  for (let i = 0; i < times; i++) await measureOnce(i)
  await store.close()
  return Object.fromEntries(Object.entries(taken).map(([name, all]) => [name, median(all)]))
}

/** Returns the milliseconds of the first window of a tree in a process that has opened the store. */
export async function coldTree({ library, store: folder, session: id }) {
  const { openStore } = await import(library)
  const store = await openStore(folder)
  const session = await store.session(id)
  let view
  const first = await cpuOf(async () => {
    view = await session.tree()
    await view.window({ limit: 50 })
  })
  view.close()
  await store.close()
  return { first }
}

/** The number of rows that are read together. */
const MANY = 1000

/** Returns the microseconds that each entry of a session takes that is read whole, and each prompt of its tree. */
export async function rows({ library, store: folder, session: id }) {
  const { openStore } = await import(library)
  const store = await openStore(folder)
  let entries = 0
  const all = await cpuOf(async () => {
    for await (const _ of store.log(id)) entries++
  })
  const view = await (await store.session(id)).tree({ filter: 'user-only' })
  await view.settled()
  const { total } = await view.window({ limit: 1 })
  const prompts = await cpuOf(async () => {
    for (let from = 0; from < total; from += MANY) await view.window({ from, limit: MANY })
  })
  view.close()
  await store.close()
  return { entry: (1000 * all) / entries, prompt: (1000 * prompts) / total }
}

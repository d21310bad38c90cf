// Windows of a long session in an open store, by the processor: pages and entries at the tip and in the middle.
import { median } from '../measure.mjs'

const BRANCHES = 64

async function cpuOf(work) {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

/** Returns the milliseconds of each kind of window, and makes the branches of the session first. */
export async function windows({ library, store: folder, session: id, entries, times }) {
  const { openStore } = await import(library)
  const store = await openStore(folder)
  const session = await store.session(id)
  const middle = Math.floor(entries / 2)
  const names = new Set((await session.branches()).map(({ name }) => name))
  for (let i = 0; i < BRANCHES; i++) {
    const name = `window-${i}`
    if (names.has(name)) continue
    await session.branch(name, `${id}~${Math.floor((entries * (i + 0.5)) / BRANCHES)}`)
    await session.append({ body: { role: 'user', content: name } }, { branch: name })
  }
  const page = (back) => store.pages.log(`${id}~${back}`, { limit: 50 })
  const oidAt = async (back) => (await page(back)).items[0].oid
  const kinds = {
    tip: (i) => page(i),
    middle: (i) => page(middle + 997 * (i % 3) + i),
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
    for (let i = 0; i < times; i++) shown[name].push(await oidAt(back + 3 * i))
    kinds[name] = (i) => store.show(shown[name][i])
  }
  const figures = {}
  for (const [name, work] of Object.entries(kinds)) {
    const taken = []
    await work(0)
    for (let i = 0; i < times; i++) taken.push(await cpuOf(() => work(i)))
    figures[name] = median(taken)
  }
  await store.close()
  return figures
}

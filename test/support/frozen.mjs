// Makes the store of a format that tests open for ever: run once for each format, and never again for one that is kept.
// What it must say is written beside it by hand, from what test/storage/frozen.test.ts gathers.
// A second one of a format, `format-1-2`, is of a later way to lay values out that the same format allows; in `format-2`
// what finds things stands in pages, and in `format-3` the ledger in a file of its own.
// node test/support/frozen.mjs BUILD SOURCES DIR
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const [, , build, sources, dir] = process.argv
const op = async (name) => import(`${build}/ops/${name}.js`)
const { Repo } = await import(`${build}/repo/repo.js`)
const { append, createSession } = await op('append')
const { createBranch } = await op('branch')
const { compact } = await op('compact')
const { expunge } = await op('expunge')
const { fork } = await op('fork')
const { gc } = await op('gc')
const { importPaths } = await op('import')
const { setLabel } = await op('label')
const { merge } = await op('merge')
const { removeSessions } = await op('remove')
const { redo } = await op('redo')
const { renameSession } = await op('rename')
const { setPairs } = await op('set')
const { switchTo } = await op('switch')
const { undo } = await op('undo')

let seconds = 0
let count = 0
const env = {
  now: () => Date.UTC(2026, 0, 1) + 1000 * seconds++,
  random: (length) => Uint8Array.from({ length }, () => (count++ * 37) % 256),
  who: () => 'someone@somewhere',
  cwd: '/work',
}
const says = (name, number, words = 3) =>
  Array.from({ length: number }, (_, i) => ({
    body: { role: i % 2 === 0 ? 'user' : 'assistant', content: `${name} ${i} ${'frozen '.repeat(words)}` },
  }))
const work = async (doing) => {
  const repo = await Repo.open(dir, { create: true, env })
  await doing(repo)
  await repo.close()
}

let [first, second] = []
await work(async (repo) => {
  await importPaths(repo, [sources])
  first = await createSession(repo, { title: 'first' })
  await append(repo, first, says('first', 300))
  await createBranch(repo, first, 'side', `${first}~20`)
  await switchTo(repo, `${first}/side`)
  await append(repo, first, says('aside', 4, 300))
  await switchTo(repo, `${first}/main`)
  await compact(repo, first, { keepTokens: 100, summary: 'what was said' })
  await undo(repo, { any: true })
  await redo(repo)
  await removeSessions(repo, [await createSession(repo, { title: 'removed' })])
  await gc(repo, { grace: 0, operations: 0 })
})
await work(async (repo) => {
  second = (await fork(repo, `${first}~3`, { title: 'second' })).session
  await append(repo, second, says('second', 5))
  await setLabel(repo, 'here', second)
  await renameSession(repo, second, 'another name')
  await setPairs(repo, second, { status: 'kept' })
  await merge(repo, `${first}/side`, { session: first, into: 'main' })
  const [secret] = await append(repo, second, says('secret', 1))
  await append(repo, second, says('behind it', 2))
  await expunge(repo, { entries: [secret], force: true })
})
await work(async (repo) => {
  for (let n = 0; n < 5; n++) await append(repo, second, says(`ledger ${n}`, 1))
})
for (const left of readdirSync(dir, { recursive: true }))
  if (/^holder\.json$|(?:LOG|LOG\.old|LOCK)$/.test(left)) rmSync(join(dir, left))

// Appends, compacts, switches, labels and removes branches of a session for ever. Prints the number of the newest
// operation once each is done.
// node steer.mjs BUILD STORE SESSION ROUND
import { writeSync } from 'node:fs'

const [, , build, dir, session, round] = process.argv
const { Repo } = await import(`${build}/repo/repo.js`)
const { append } = await import(`${build}/ops/append/append.js`)
const { createBranch, deleteBranch } = await import(`${build}/ops/branch.js`)
const { compact } = await import(`${build}/ops/compact.js`)
const { setLabel } = await import(`${build}/ops/label.js`)
const { switchTo } = await import(`${build}/ops/switch.js`)
const repo = await Repo.open(dir, { lockTimeout: 60_000 })
const told = async (doing) => {
  await doing
  writeSync(1, `${await repo.read(async (reader) => (await reader.operationLog()).latest)}\n`)
}
writeSync(1, 'ready\n')
for (let n = 0; ; n++) {
  const entries = Array.from({ length: 4 }, (_, i) => ({
    body: { role: i % 2 === 0 ? 'user' : 'assistant', content: `round ${round}, message ${n}, ${i}` },
  }))
  await told(append(repo, session, entries))
  await told(createBranch(repo, session, `b-${round}-${n}`))
  await told(switchTo(repo, `${session}/b-${round}-${n}`))
  await told(compact(repo, session, { keepTokens: 8, summary: `all up to ${n}` }))
  await told(setLabel(repo, 'here', session, { force: true }))
  await told(switchTo(repo, `${session}/main`))
  await told(deleteBranch(repo, session, `b-${round}-${n}`))
}

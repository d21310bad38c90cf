// Appends to a session, branches it, undoes and redoes for ever. Prints the number of each undo once it is done.
// node turn.mjs BUILD STORE SESSION ROUND
import { writeSync } from 'node:fs'

const [, , build, dir, session, round] = process.argv
const { Repo } = await import(`${build}/repo/repo.js`)
const { append } = await import(`${build}/ops/append/append.js`)
const { createBranch } = await import(`${build}/ops/branch.js`)
const { redo, undo } = await import(`${build}/ops/undo.js`)
const repo = await Repo.open(dir, { lockTimeout: 60_000 })
const told = async (turning) => writeSync(1, `${(await turning).by}\n`)
writeSync(1, 'ready\n')
for (let n = 0; ; n++) {
  const entries = Array.from({ length: n % 5 === 4 ? 40 : 2 }, (_, i) => ({
    body: { role: 'user', content: `round ${round}, message ${n}, ${i}` },
  }))
  await append(repo, session, entries)
  await createBranch(repo, session, `b-${round}-${n}`)
  for (let times = 0; times < 2; times++) await told(undo(repo, { any: true }))
  for (let times = 0; times < n % 3; times++) await told(redo(repo))
}

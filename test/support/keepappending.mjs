// Appends to a session one entry after another until it is killed. Prints each oid once it is acknowledged.
// node keepappending.mjs BUILD STORE SESSION
import { writeSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

const [, , build, dir, session] = process.argv
const { Repo } = await import(`${build}/repo/repo.js`)
const { append } = await import(`${build}/ops/append/append.js`)
const repo = await Repo.open(dir, { lockTimeout: 60_000 })
for (let count = 0; ; count++) {
  const [oid] = await append(repo, session, [{ body: { role: 'user', content: `message ${count}` } }])
  writeSync(1, `${oid}\n`)
  await pause(5)
}

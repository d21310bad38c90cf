// Appends messages to a branch of a session, one after the other, and prints the oid of each once it is acknowledged,
// and what went wrong. Where it names the tip that it expects, it prints what was found instead and goes on there.
// With STOPS it stops itself, as by SIGSTOP, right behind so many.
// node many.mjs BUILD STORE SESSION BRANCH COUNT NAME [expected] [STOPS]
import { writeSync } from 'node:fs'

const [, , build, dir, session, branch, count, name, expects, stops] = process.argv
const { openStore } = await import(`${build}/library/store.js`)
const store = await openStore(dir, { lockTimeout: 20_000 })
const own = await store.session(session)
const tip = async () => (await own.branches()).find((found) => found.name === branch).oid
let expected = expects && (await tip())
for (let i = 0; i < Number(count); i++) {
  try {
    const body = { role: 'user', content: `${name} ${i}` }
    const oid = await own.append({ body }, { branch, ...(expects && { expected }) })
    if (expects) expected = oid
    writeSync(1, `${oid} ${i}\n`)
    if (i + 1 === Number(stops)) process.kill(process.pid, 'SIGSTOP')
  } catch (error) {
    const [, wanted, found] = /expected ([0-9a-f]{64}), found ([0-9a-f]{64})/.exec(error.message) ?? []
    writeSync(1, `${error.code} ${i} ${wanted} ${found}\n`)
    if (!expects || wanted !== expected) continue
    expected = found
    i--
  }
}
await store.close()

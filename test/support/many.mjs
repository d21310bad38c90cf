// Appends messages to a branch of a session, one after the other, and prints the oid of each once it is acknowledged,
// and what went wrong.
// node many.mjs BUILD STORE SESSION BRANCH COUNT NAME
import { writeSync } from 'node:fs'

const [, , build, dir, session, branch, count, name] = process.argv
const { openStore } = await import(`${build}/ops/store.js`)
const store = await openStore(dir, { lockTimeout: 20_000 })
const own = await store.session(session)
for (let i = 0; i < Number(count); i++) {
  try {
    const oid = await own.append({ body: { role: 'user', content: `${name} ${i}` } }, { branch })
    writeSync(1, `${oid} ${i}\n`)
  } catch (error) {
    writeSync(1, `${error.code} ${i}\n`)
  }
}
await store.close()

// Appends a message and prints its oid, does nothing else for so many milliseconds, not even answer, and appends another.
// node hang.mjs BUILD STORE SESSION MILLISECONDS
import { writeSync } from 'node:fs'

const [, , build, dir, session, milliseconds] = process.argv
const { openStore } = await import(`${build}/ops/store.js`)
const store = await openStore(dir, { lockTimeout: 20_000 })
const own = await store.session(session)
const say = async (content) => {
  const oid = await own.append({ body: { role: 'user', content } })
  writeSync(1, `${oid}\n`)
}
await say('before')
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(milliseconds))
await say('after')
await store.close()

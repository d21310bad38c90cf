// Appends a message and prints its oid, does nothing else until a file is there, not even answer, and appends another.
// node hang.mjs BUILD STORE SESSION FILE
import { existsSync, writeSync } from 'node:fs'

const [, , build, dir, session, file] = process.argv
const { openStore } = await import(`${build}/library/store.js`)
const store = await openStore(dir, { lockTimeout: 20_000 })
const own = await store.session(session)
const say = async (content) => {
  const oid = await own.append({ body: { role: 'user', content } })
  writeSync(1, `${oid}\n`)
}
await say('before')
const never = new Int32Array(new SharedArrayBuffer(4))
while (!existsSync(file)) Atomics.wait(never, 0, 0, 10)
await say('after')
await store.close()

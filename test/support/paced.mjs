// Appends so many messages to a session, with a pause after each, and prints the oid of each once it is acknowledged.
// node paced.mjs BUILD STORE SESSION COUNT MILLISECONDS
import { writeSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

const [, , build, dir, session, count, milliseconds] = process.argv
const { openStore } = await import(`${build}/library/store.js`)
const store = await openStore(dir, { lockTimeout: 60_000 })
const own = await store.session(session)
for (let i = 0; i < Number(count); i++) {
  writeSync(1, `${await own.append({ body: { role: 'user', content: `message ${i} of ${process.pid}` } })}\n`)
  await pause(Number(milliseconds))
}
await store.close()

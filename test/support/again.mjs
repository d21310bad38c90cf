// Each time that a line stands on standard input it says again what nothing names any more: imports a file, appends the
// messages that a text of JSON lists to a new session, and one that nobody said before to a session. Prints the oids
// of these once they are acknowledged, one line for each time. Keeps the store open.
// node again.mjs BUILD STORE FILE SESSION MESSAGES
import { createInterface } from 'node:readline'

const [, , build, dir, file, session, messages] = process.argv
const { openStore } = await import(`${build}/library/store.js`)
const store = await openStore(dir, { lockTimeout: 60_000 })
const bodies = JSON.parse(messages).map((content) => ({ body: { role: 'user', content } }))
const old = await store.session(session)
process.stdout.write('ready\n')
let times = 0
for await (const _ of createInterface({ input: process.stdin })) {
  const { files, refused } = await store.import([file])
  if (refused.length > 0) throw refused[0].error
  const anew = await store.createSession()
  const oids = []
  for (const entry of bodies) oids.push(await anew.append(entry))
  const content = `never said before, ${times++}`
  oids.push(await old.append({ body: { role: 'user', content } }))
  process.stdout.write(`${JSON.stringify({ oids, session: files[0].session })}\n`)
}
await store.close()

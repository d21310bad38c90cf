// Appends and collects garbage for ever, keeping as little as can be. Prints each oid once it is acknowledged, and 'gc'
// after each collection. node gc.mjs BUILD STORE SESSION ROUND
import { writeSync } from 'node:fs'

const [, , build, dir, session, round] = process.argv
const { Repo } = await import(`${build}/repo/repo.js`)
const { append } = await import(`${build}/ops/append/append.js`)
const { storeDrafts } = await import(`${build}/ops/hashobject.js`)
const { gc } = await import(`${build}/ops/gc.js`)
const repo = await Repo.open(dir, { lockTimeout: 60_000 })
let count = 0
const says = () => {
  const n = count++
  return {
    role: 'user',
    content: `round ${round}, message ${n} ${n % 5 === 0 ? `at length, ${n} `.repeat(200) : ''}`,
  }
}
writeSync(1, 'ready\n')
for (;;) {
  const oids = await append(repo, session, [{ body: says() }, { body: says() }])
  writeSync(1, `${oids.join('\n')}\n`)
  await storeDrafts(repo, [{ type: 'sess/message', body: says(), parents: [], links: {} }])
  try {
    await gc(repo, { grace: Number.POSITIVE_INFINITY, operations: Number.POSITIVE_INFINITY })
    writeSync(1, 'gc\n')
  } catch (error) {
    // Another process collects too.
    if (error.code !== 'busy') throw error
  }
}

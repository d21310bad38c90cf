// Appends to a session for ever: one by one, several at once, many in bulk. Prints each oid once it is acknowledged.
// node append.mjs BUILD STORE SESSION ROUND
import { writeSync } from 'node:fs'

const [, , build, dir, session, round] = process.argv
const { Repo } = await import(`${build}/repo/repo.js`)
const { append } = await import(`${build}/ops/append/append.js`)
const repo = await Repo.open(dir, { lockTimeout: 60_000 })
let count = 0
const next = () => {
  const n = count++
  const content = `round ${round}, message ${n} ${n % 7 === 0 ? `at length, ${n} `.repeat(200) : ''}`
  return { body: { role: n % 2 === 0 ? 'user' : 'assistant', content } }
}
/** Appends again what another process took the store over before: it was not acknowledged. */
const kept = async (entries) => {
  for (;;)
    try {
      return await append(repo, session, entries)
    } catch (error) {
      if (error.code !== 'fenced') throw error
    }
}
const say = async (size) => {
  const entries = Array.from({ length: size }, next)
  const oids = await kept(entries)
  writeSync(1, `${oids.join('\n')}\n`)
}
writeSync(1, 'ready\n')
for (let turn = 0; ; turn++) {
  for (let i = 0; i < 5; i++) await say(1)
  await Promise.all(Array.from({ length: 16 }, (_, i) => say(1 + (i % 3))))
  await say(turn % 3 === 0 ? 600 : 20)
}

// Renames a session and prints how many milliseconds that took.
// node rename.mjs BUILD STORE SESSION TITLE
import { performance } from 'node:perf_hooks'

const [, , build, dir, session, title] = process.argv
const { openStore } = await import(`${build}/library/store.js`)
const store = await openStore(dir, { lockTimeout: 20_000 })
const own = await store.session(session)
const begun = performance.now()
await own.rename(title)
process.stdout.write(`${performance.now() - begun}\n`)
await store.close()

// Opens files until it may open no more, lets go of so many, then appends to a session: prints what came of it.
// node handles.mjs BUILD STORE SESSION SPARE
import { closeSync, openSync } from 'node:fs'

const [, , build, dir, session, spare] = process.argv
const { Repo } = await import(`${build}/repo/repo.js`)
const { append } = await import(`${build}/ops/append/append.js`)
await append // all modules are loaded by now
const open = []
try {
  for (;;) open.push(openSync(process.argv[1], 'r'))
} catch (error) {
  if (error.code !== 'EMFILE') throw error
}
for (const file of open.splice(0, Number(spare))) closeSync(file)
let said = 'done'
let repo
try {
  repo = await Repo.open(dir)
  await append(repo, session, [{ body: { role: 'user', content: 'one more' } }])
} catch (error) {
  said = error.code ?? String(error)
}
for (const file of open) closeSync(file)
await repo?.close()
process.stdout.write(said)

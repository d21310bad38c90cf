// Imports files one after the other, then all of them at once. Prints what is acknowledged as `SESSION BYTES`.
// node import.mjs BUILD STORE FILE...
import { writeSync } from 'node:fs'

const [, , build, dir, ...files] = process.argv
const { Repo } = await import(`${build}/repo/repo.js`)
const { importPaths } = await import(`${build}/ops/import/import.js`)
const repo = await Repo.open(dir, { lockTimeout: 60_000 })
const onFile = ({ session, bytes, error }) => {
  if (error) throw error
  writeSync(1, `${session} ${bytes}\n`)
}
writeSync(1, 'ready\n')
const half = files.length >> 1
for (const file of files.slice(0, half)) await importPaths(repo, [file], { onFile })
await importPaths(repo, files.slice(half), { onFile })
writeSync(1, 'done\n')

// Adds one to the number in a file, so many times, each time alone among the processes that do so.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const [built, path, times] = process.argv.slice(2)
const { whileLocked } = await import(pathToFileURL(join(built, 'files/filelock.js')).href)
for (let i = 0; i < Number(times); i++)
  await whileLocked(path, () => writeFileSync(path, `${Number(readFileSync(path, 'utf8')) + 1}`))

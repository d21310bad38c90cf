#!/usr/bin/env node
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const [major, minor] = process.versions.node.split('.').map(Number)
const main = new URL('../dist/cli/main.js', import.meta.url)

if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`sess needs Node 20.19 or newer, this is ${process.versions.node}: install a newer Node`)
  process.exitCode = 1
} else if (!existsSync(main)) {
  const folder = fileURLToPath(new URL('..', import.meta.url))
  console.error(
    `sess is not built: type 'npm run build' in ${folder}, or 'npm ci' where the compiler is missing`,
  )
  process.exitCode = 1
} else {
  const { main: run } = await import(main.href)
  await run(process.argv.slice(2))
}

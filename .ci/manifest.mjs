// Reduces package.json to what a user of the package needs before it is packed, and restores it after: the scripts, the
// development packages and the overrides concern this repository only. npm never packs a file that ends in `.orig`.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const manifest = fileURLToPath(new URL('../package.json', import.meta.url))
const original = `${manifest}.orig`
const DEVELOPMENT = new Set(['scripts', 'devDependencies', 'allowScripts', 'overrides'])

if (process.argv[2] === 'reduce') {
  const text = readFileSync(manifest, 'utf8')
  const fields = Object.entries(JSON.parse(text))
  const reduced = Object.fromEntries(fields.filter(([name]) => !DEVELOPMENT.has(name)))
  if (existsSync(original))
    throw new Error("package.json is reduced already: type 'node .ci/manifest.mjs restore'")
  writeFileSync(original, text)
  writeFileSync(manifest, `${JSON.stringify(reduced, null, 2)}\n`)
} else renameSync(original, manifest)

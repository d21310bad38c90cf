// Completes the library that the compiler wrote to dist: moves the conformance suite to dist/conformance, where it imports
// the modules of the library instead of the copies that the compiler emitted with it (two copies of a class would fail
// `instanceof`), and removes the modules and declarations that no public entry reaches.
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const dist = join(root, 'dist')
const suite = join(dist, 'conformance')

const filesBelow = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))

renameSync(join(dist, 'suite/test/conformance'), suite)
rmSync(join(dist, 'suite'), { recursive: true })
for (const path of filesBelow(suite))
  writeFileSync(
    path,
    readFileSync(path, 'utf8').replaceAll("'../../src/", "'../").replaceAll("'../../../src/", "'../../"),
  )

/** Imports, re-exports and types of modules, and the files of threads: `new URL('./worker.js', import.meta.url)`. */
const REFERENCE = /(?:\bfrom|\bimport|\bURL\(|\bimport\()\s*(['"])(\.{1,2}\/[^'"]+)\1/g

/** Returns the entries and what they reach: modules, or declarations, whose references end in `.ts`. */
function reached(entries, ending) {
  const found = new Set()
  for (const open = [...entries]; open.length > 0; ) {
    const path = open.pop()
    if (found.has(path)) continue
    found.add(path)
    for (const [, , reference] of readFileSync(path, 'utf8').matchAll(REFERENCE)) {
      const target = join(dirname(path), reference).replace(/\.[jt]s$/, ending)
      if (existsSync(target)) open.push(target)
      else if (target.startsWith(dist)) throw new Error(`${path}: '${reference}' is missing`)
    }
  }
  return found
}

const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const entries = Object.values(exports).filter((entry) => typeof entry === 'object')
const used = new Set([
  ...reached(
    entries.map((entry) => join(root, entry.default)),
    '.js',
  ),
  ...reached(
    entries.map((entry) => join(root, entry.types)),
    '.d.ts',
  ),
])
for (const path of filesBelow(dist)) if (!used.has(path)) rmSync(path)
for (const { name, parentPath } of readdirSync(dist, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .reverse())
  if (readdirSync(join(parentPath, name)).length === 0) rmSync(join(parentPath, name), { recursive: true })

// Moves the compiled conformance suite to dist/conformance and makes it import the modules of the library in dist instead
// of the copies that the compiler emitted with it: two copies of a class would fail `instanceof`.
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const dist = fileURLToPath(new URL('../dist/', import.meta.url))
const suite = join(dist, 'conformance')

renameSync(join(dist, 'suite/test/conformance'), suite)
rmSync(join(dist, 'suite'), { recursive: true })
for (const entry of readdirSync(suite, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile()) continue
  const path = join(entry.parentPath, entry.name)
  writeFileSync(
    path,
    readFileSync(path, 'utf8').replaceAll("'../../src/", "'../").replaceAll("'../../../src/", "'../../"),
  )
}

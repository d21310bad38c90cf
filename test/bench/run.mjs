// Measures sess against its peers in one run and prints the ratios.
// Usage: npm run bench [-- --quick] [--write] [--only WORDS] [--corpus FOLDER]
// --quick takes small sizes and no peer that compiles, and judges only the rows that have one size; --write writes
// docs/benchmarks.md; --only takes the rows whose names hold these words; --corpus names a folder of transcripts,
// ../shared/corpus unless given.
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Bench } from './bench.mjs'
import { Skipped } from './peers.mjs'
import { appendRows } from './rows/append.mjs'
import { browseRows } from './rows/browse.mjs'
import { callRows } from './rows/calls.mjs'
import { commandRows } from './rows/commands.mjs'
import { contextRows } from './rows/context.mjs'
import { corpusRows } from './rows/corpus.mjs'
import { fileRows } from './rows/files.mjs'
import { forkRows } from './rows/fork.mjs'
import { grownRows } from './rows/grown.mjs'
import { growthRows } from './rows/growth.mjs'
import { mcpRows } from './rows/mcp.mjs'
import { readRows } from './rows/read.mjs'
import { serveRows } from './rows/serve.mjs'
import { upkeepRows } from './rows/upkeep.mjs'
import { variedRows } from './rows/varied.mjs'
import { windowRows } from './rows/windows.mjs'
import { cells, page, table } from './table.mjs'

const GROUPS = [
  contextRows,
  forkRows,
  appendRows,
  corpusRows,
  variedRows,
  readRows,
  commandRows,
  upkeepRows,
  mcpRows,
  fileRows,
  grownRows,
  growthRows,
  windowRows,
  browseRows,
  callRows,
  serveRows,
]

const { values: asked } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    corpus: { type: 'string' },
  },
})
if (asked.write && (asked.quick || asked.only)) throw new Error('--write takes the whole run')

const root = join(import.meta.dirname, '../..')
if (!existsSync(join(root, 'dist/bin/sess.cjs'))) throw new Error("sess is not built: type 'npm run build'")
const bench = new Bench({ quick: asked.quick, corpus: asked.corpus ?? join(root, '../shared/corpus') })
const begun = performance.now()

/** Measures a row; a peer that is missing is a word in the table, all else that fails too, and fails the run. */
async function measure(row) {
  try {
    return await row.run(bench)
  } catch (error) {
    if (error instanceof Skipped) return { skipped: error.message }
    process.exitCode = 1
    console.error(error)
    return { failed: true }
  }
}

const rows = []
for (const row of GROUPS.flatMap((group) => group(bench)).filter(({ name }) => name.includes(asked.only))) {
  const measured = cells(row, await measure(row), asked)
  const seconds = Math.round((performance.now() - begun) / 1000)
  process.stderr.write(`${seconds} s: ${measured.filter((cell) => cell !== '').join(' | ')}\n`)
  rows.push(measured)
}
console.log(table(rows))
const minutes = Math.ceil((performance.now() - begun) / 60_000)
if (asked.write && !process.exitCode)
  writeFileSync(join(root, 'docs/benchmarks.md'), page(rows, { root, minutes }))

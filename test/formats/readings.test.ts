import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { openStore } from '../../src/index.ts'

const here = fileURLToPath(new URL('.', import.meta.url))
const fixtures = join(here, '../fixtures')
const frozen = join(here, '../vectors/readings.json')

/** Returns each fixture of each format: what every reading was made for. */
const files = readdirSync(fixtures, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name))
  .sort()

/** Returns the oids of a file's entries, all branches, as sess reads it now. */
async function oidsOf(file: string): Promise<{ readonly format: string; readonly oids: readonly string[] }> {
  const dir = mkdtempSync(join(tmpdir(), 'sess-vectors-'))
  const store = await openStore(join(dir, 'store'), { create: true })
  try {
    const { files: done } = await store.import(file)
    const oids: string[] = []
    const session = done[0]?.session ?? ''
    for await (const { oid } of store.log(session, { all: true })) oids.push(oid)
    return { format: done[0]?.format ?? '', oids: oids.sort() }
  } finally {
    await store.close()
    rmSync(dir, { recursive: true, force: true })
  }
}

/**
 * The oids that a reading assigns never change while its number stays. Only SESS_FREEZE=1 writes the vectors, for a
 * new fixture or a reading with a new number.
 */
it('returns for each fixture the oids that its reading had when it was made', async () => {
  const now: Record<string, unknown> = {}
  for (const file of files) now[`${basename(dirname(file))}/${basename(file)}`] = await oidsOf(file)
  if (process.env.SESS_FREEZE) writeFileSync(frozen, `${JSON.stringify(now, null, 1)}\n`)
  expect(now).toEqual(JSON.parse(readFileSync(frozen, 'utf8')))
  expect(Object.keys(now).length).toBeGreaterThan(10)
})

import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { claude } from '../../../src/formats/claude-code/index.ts'
import type { Oid } from '../../../src/model/encoding/oid.ts'
import { importPaths } from '../../../src/ops/import/import.ts'
import { Ingester } from '../../../src/ops/import/ingester.ts'
import { type KnownRecords, readKnownRecords } from '../../../src/ops/import/knownrecords.ts'
import { Indexer } from '../../../src/ops/indexing.ts'
import type { Repo } from '../../../src/repo/repo.ts'
import { getSession } from '../../../src/repo/session.ts'
import { newFolder } from '../../support/folder.ts'
import { openRepo } from '../../support/store.ts'
import { answered, asked, claudeLines } from '../../support/transcripts.ts'

const LINES = claudeLines(
  's1',
  asked('u1', null),
  answered('a1', 'u1'),
  asked('u2', 'a1'),
  answered('a2', 'u2'),
)

/** Imports the first lines of a file that ends in the middle of one. */
async function begun(): Promise<{ repo: Repo; path: string }> {
  const repo = await openRepo()
  const path = join(newFolder(), 's1.jsonl')
  writeFileSync(path, `${LINES.slice(0, 2).join('')}{"type":"user"`)
  await importPaths(repo, [path])
  return { repo, path }
}

/** Reads all lines into the log that has the first of them, as far as what is said to be known lets it. */
const readOn = (repo: Repo, alter: (known: KnownRecords) => KnownRecords = (known) => known) =>
  repo.write({ bulk: true }, async (change) => {
    const { source } = await getSession(change.reader, 's1')
    const known = alter(await readKnownRecords(change.reader, source!, 0))
    const indexer = new Indexer(change.reader, change.writer)
    const sample = { name: 's1.jsonl' }
    const ingester = new Ingester(change, indexer, { format: claude, sample, target: known, known })
    await ingester.push(Buffer.from(LINES.join('')))
    await ingester.end()
    const { diverged, records, hash, sourceEntries } = ingester
    const oids: Oid[] = []
    for (const entry of sourceEntries.entries) oids.push(await change.reader.oid(entry))
    const { prompts } = await sourceEntries.summary(change.reader)
    return { diverged, records, hash, oids, prompts }
  })

const oidsIn = (repo: Repo): Promise<Oid[]> =>
  repo.read(async (reader) => {
    const oids: Oid[] = []
    for await (const entry of reader.entries()) oids.push(await reader.oid(entry))
    return oids
  })

it('goes on behind the records that a log has, as if it had read all of the file', async () => {
  const { repo, path } = await begun()
  const { hash, ...read } = await readOn(repo)
  const whole = await openRepo()
  writeFileSync(path, LINES.join(''))
  await importPaths(whole, [path])
  const { source } = await whole.read((reader) => getSession(reader, 's1'))
  expect(source?.hash).toBe(hash)
  const oids = await oidsIn(whole)
  expect(oids).toHaveLength(4)
  expect(read).toEqual({ diverged: false, records: 4, oids, prompts: 2 })
})

it('takes the entries of these records from the log', async () => {
  const { repo } = await begun()
  const { oids } = await readOn(repo, (known) => ({
    ...known,
    entries: known.entries.with(0, known.entries[1]),
  }))
  expect(oids).toEqual((await readOn(repo)).oids.slice(1))
})

it.each<[what: string, alter: (known: KnownRecords) => KnownRecords]>([
  ['their bytes are not as many', (known) => ({ ...known, bytes: known.bytes - 1 })],
  ['the tip was another one', (known) => ({ ...known, tip: known.entries[0] })],
  ['there are more of them', (known) => ({ ...known, count: 9 })],
  ['one carries no entry', (known) => ({ ...known, entries: known.entries.with(1, undefined) })],
])('diverges where %s', async (_, alter) => {
  const { repo } = await begun()
  expect((await readOn(repo, alter)).diverged).toBe(true)
})

it('goes on with a file whose end became a whole line', async () => {
  const { repo, path } = await begun()
  writeFileSync(path, LINES.slice(0, 3).join(''))
  appendFileSync(path, LINES[3]!.trimEnd())
  const { files } = await importPaths(repo, [path])
  expect(files).toMatchObject([{ entries: 4, records: 4, newEntries: 2 }])
})

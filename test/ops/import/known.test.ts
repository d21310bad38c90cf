import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { claude } from '../../../src/formats/claude/index.ts'
import { Intake } from '../../../src/ops/import/intake.ts'
import { type Known, knownBy } from '../../../src/ops/import/known.ts'
import { importPaths } from '../../../src/ops/import.ts'
import { Indexer } from '../../../src/ops/index.ts'
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
const readOn = (repo: Repo, alter: (known: Known) => Known = (known) => known) =>
  repo.write({ bulk: true }, async (change) => {
    const { source } = await getSession(change.backend, 's1')
    const known = alter(await knownBy(change.backend, source!, 0))
    const indexer = await Indexer.begin(change.backend, change.transaction)
    const sample = { name: 's1.jsonl' }
    const intake = new Intake(change, indexer, { format: claude, sample, target: known, known })
    await intake.push(Buffer.from(LINES.join('')))
    await intake.end()
    const { parted, records, hash, said } = intake
    return { parted, records, hash, rows: [...said.rows], prompts: said.summary.prompts }
  })

it('goes on behind the records that a log has, as if it had read all of the file', async () => {
  const { repo, path } = await begun()
  const { hash, ...read } = await readOn(repo)
  expect(read).toEqual({ parted: false, records: 4, rows: [0, 1, 256, 257], prompts: 2 })
  const whole = await openRepo()
  writeFileSync(path, LINES.join(''))
  await importPaths(whole, [path])
  const { source } = await whole.read((backend) => getSession(backend, 's1'))
  expect(source?.hash).toBe(hash)
})

it('takes the entries of these records from the log', async () => {
  const { repo } = await begun()
  const { rows } = await readOn(repo, (known) => {
    known.rows.set(0, 1)
    return known
  })
  expect(rows).toEqual([1, 256, 257])
})

it.each<[what: string, alter: (known: Known) => Known]>([
  ['their bytes are not as many', (known) => ({ ...known, bytes: known.bytes - 1 })],
  ['the tip was another one', (known) => ({ ...known, tip: 0 })],
  ['there are more of them', (known) => ({ ...known, count: 9 })],
  [
    'one carries no entry',
    (known) => {
      known.rows.set(1, -1)
      return known
    },
  ],
])('parts where %s', async (_, alter) => {
  const { repo } = await begun()
  expect((await readOn(repo, alter)).parted).toBe(true)
})

it('goes on with a file whose end became a whole line', async () => {
  const { repo, path } = await begun()
  writeFileSync(path, LINES.slice(0, 3).join(''))
  appendFileSync(path, LINES[3]!.trimEnd())
  const { files } = await importPaths(repo, [path])
  expect(files).toMatchObject([{ entries: 4, records: 4, newEntries: 2 }])
})

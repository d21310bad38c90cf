import { mkdirSync, readFileSync, renameSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { RefName } from '../../src/model/refname.ts'
import { journalCheck } from '../../src/repo/journalcheck.ts'
import type { Repo } from '../../src/repo/repo.ts'
import { readJournal } from '../../src/storage/journal.ts'
import { appendJournal } from '../../src/storage/journalwriter.ts'
import { expectFailure } from '../support/errors.ts'
import { openRepo } from '../support/store.ts'

const [a, b] = ['a', 'b'] as unknown as readonly [RefName, RefName]

// On a slow machine the database would be let go meanwhile, and whoever opens it looks at the journal.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

/** Resolves once lines that wait are written. */
const written = (): Promise<unknown> => vi.advanceTimersByTimeAsync(20)

const set = (repo: Repo, name: RefName, value: number, coalesce = ''): Promise<void> =>
  repo.write({ coalesce }, async ({ reader, move }) => move(name, await reader.ref(name), value))

const problems = (repo: Repo): Promise<string[]> => repo.read((reader) => journalCheck(repo.dir)(reader))

/** Closes a store, does something to its journal, and opens it again. */
async function again(repo: Repo, change: (journal: string) => string, tolerant = false): Promise<Repo> {
  await repo.close()
  const path = join(repo.dir, 'refs.journal')
  writeFileSync(path, change(readFileSync(path, 'utf8')))
  return openRepo(repo.dir, { tolerant })
}

/** Returns a store whose journal cannot be written after its first line, with a line that waits, and what lets it be written. */
async function unwritable(): Promise<{ readonly repo: Repo; readonly mend: () => void }> {
  const repo = await openRepo()
  const journal = join(repo.dir, 'refs.journal')
  await set(repo, a, 1)
  await written()
  renameSync(journal, `${journal}.away`)
  mkdirSync(journal)
  await set(repo, a, 2)
  const mend = (): void => {
    rmdirSync(journal)
    renameSync(`${journal}.away`, journal)
  }
  return { repo, mend }
}

const withoutLast = (lines: number) => (journal: string) => journal.split('\n').slice(0, -lines).join('\n')

describe('the journal beside a database', () => {
  it('is brought up to date where a process was killed before it wrote its lines', async () => {
    for (const lost of [1, 2, 3, 4, 5, 6]) {
      let repo = await openRepo()
      await set(repo, b, 1)
      for (const value of [1, 2, 3]) await set(repo, a, value, 'append a')
      for (const value of [4, 5]) await set(repo, a, value)
      repo = await again(repo, withoutLast(lost))
      await set(repo, b, 2)
      await written()
      expect(await problems(repo)).toEqual([])
      const refs = readJournal(repo.dir).lines.flatMap((line) => line.refs)
      expect(refs.findLast(([name]) => name === 'a')).toEqual(['a', 5])
      expect(refs.findLast(([name]) => name === 'b')).toEqual(['b', 2])
      expect(readJournal(repo.dir).lines.at(-1)).toMatchObject({ operation: 5, commit: 7 })
    }
  })

  it('is rewritten where its last line is incomplete', async () => {
    let repo = await openRepo()
    for (const value of [1, 2, 3]) await set(repo, a, value, 'append a')
    repo = await again(repo, (journal) => journal.slice(0, -3))
    await set(repo, b, 1)
    await written()
    expect(await problems(repo)).toEqual([])
    expect(readJournal(repo.dir)).toMatchObject({
      lines: [
        { operation: 1, commit: 3, refs: [['a', 3]] },
        { operation: 2, commit: 4, refs: [['b', 1]] },
      ],
      damaged: 0,
      torn: false,
    })
  })

  it('is rewritten after a late line of a process that was stopped', async () => {
    let repo = await openRepo()
    for (const value of [1, 2, 3]) await set(repo, a, value)
    await written()
    const late = { operation: 2, commit: 2, refs: [[a, 2]] } as const
    appendJournal(repo.dir, late)
    expect(await problems(repo)).toEqual([])
    repo = await again(repo, (journal) => journal)
    await set(repo, b, 1)
    await written()
    expect(await problems(repo)).toEqual([])
    expect(readJournal(repo.dir).lines).toEqual([
      { operation: 3, commit: 3, commits: 3, refs: [['a', 3]] },
      { operation: 4, commit: 4, refs: [['b', 1]] },
    ])
  })

  it('shows that a database lost appends that were joined into one operation', async () => {
    const repo = await openRepo()
    for (const value of [1, 2, 3]) await set(repo, a, value, 'append a')
    await written()
    appendJournal(repo.dir, { operation: 1, commit: 5, refs: [[a, 5]] })
    await repo.close()
    const lossy = await openRepo(repo.dir)
    const { message } = await expectFailure('corrupt', () => set(lossy, a, 4))
    expect(message).toBe('the store is damaged: the database lost its last 2 writes')
    const torn = await again(lossy, (journal) => `${journal}\n12345678 {"operation"`)
    await expectFailure('corrupt', () => problems(torn))
    const tolerant = await again(torn, (journal) => journal, true)
    expect(await problems(tolerant)).toEqual(['the database lost its last 2 writes'])
  })

  it('reports refs that differ from it', async () => {
    let repo = await openRepo()
    await set(repo, a, 1)
    await set(repo, b, 1)
    await written()
    expect(await problems(repo)).toEqual([])
    repo = await again(repo, (journal) => journal)
    appendJournal(repo.dir, { operation: 2, commit: 2, refs: [[a, null]] })
    expect(await problems(repo)).toEqual(['the ref a is not what the journal says'])
  })

  it('makes the next write fail where it could not be written', async () => {
    const { repo, mend } = await unwritable()
    await written()
    const { hint } = await expectFailure('cannot-write', () => set(repo, a, 3))
    expect(hint).toBe('nothing was changed; make room, then repeat the command')
    expect(await repo.read((reader) => reader.ref(a))).toBe(2)
    mend()
    await set(repo, a, 3)
    await repo.close()
    const { lines, damaged } = readJournal(repo.dir)
    expect([lines.map(({ refs }) => refs), damaged]).toEqual([[[[a, 1]], [[a, 2]], [[a, 3]]], 0])
  })

  it('is brought up to date by the next opening where it could not be written until the store was closed', async () => {
    const { repo, mend } = await unwritable()
    await repo.close()
    mend()
    const next = await openRepo(repo.dir)
    expect(await next.read((reader) => reader.ref(a))).toBe(2)
    expect(await problems(next)).toEqual([])
    expect(readJournal(repo.dir).lines.at(-1)?.refs).toEqual([[a, 2]])
  })
})

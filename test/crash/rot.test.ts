import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fsck } from '../../src/ops/fsck/fsck.ts'
import { Repo } from '../../src/repo/repo.ts'
import { type Answers, answersOf, wrongOf } from '../support/answers.ts'
import { some, tally, upTo } from '../support/faults.ts'
import { copyOf, type SmallStore, smallStore } from '../support/smallstore.ts'

/** The errors that are allowed for a damaged store. */
const TYPED = new Set(['!corrupt', '!not-a-store', '!newer-store'])

/** All files of a store, by their paths in it. */
const filesOf = (dir: string): string[] =>
  readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(dir, name)).isFile() && !/LOCK$|\.sock$/.test(name))
    .sort()

/** Returns a store, what it answers, and its files as they are then. */
async function begin(): Promise<SmallStore & { readonly right: Answers }> {
  const store = await smallStore()
  const right = await answersOf(copyOf(store.dir), store.sessions)
  expect(Object.values(right).filter((answer) => answer.startsWith('!'))).toEqual([])
  return { ...store, right }
}

/** Flips bits in copies of a store, in some of the bytes of files, and gives which answers are wrong then. */
async function flipped(
  { dir, sessions, right }: Awaited<ReturnType<typeof begin>>,
  files: readonly string[],
  usual: number,
  share: number,
): Promise<{ readonly runs: number; readonly wrong: string[] }> {
  const all = files.flatMap((file) => upTo(statSync(join(dir, file)).size).map((at) => ({ file, at })))
  const wrong: string[] = []
  let runs = 0
  for (const { file, at } of some(all, usual, share)) {
    const copy = copyOf(dir)
    const bytes = readFileSync(join(copy, file))
    bytes[at]! ^= 1 << (at % 8)
    writeFileSync(join(copy, file), bytes)
    const got = await answersOf(copy, sessions)
    for (const name of wrongOf(got, right, TYPED))
      wrong.push(`${file} flipped at ${at}: ${name} ${got[name]?.slice(0, 80)}`)
    rmSync(copy, { recursive: true })
    runs++
  }
  return { runs, wrong }
}

const isInDatabase = (name: string): boolean => name.startsWith('db.')

describe('class 4: bytes that rot', () => {
  it('anywhere in the database give the right answer or an error that says so', {
    timeout: 900_000,
  }, async () => {
    const store = await begin()
    const { runs, wrong } = await flipped(store, filesOf(store.dir).filter(isInDatabase), 150, 0.1)
    expect(wrong).toEqual([])
    tally(4, 'bytes flipped in the files of the database', runs)
  })
})

describe('class 5: files beside the database that rot', () => {
  it('give the right answer or an error that says so', { timeout: 900_000 }, async () => {
    const store = await begin()
    const files = filesOf(store.dir).filter((name) => !isInDatabase(name))
    const { runs, wrong } = await flipped(store, files, 30, 0.03)
    expect(wrong).toEqual([])
    tally(5, 'bytes flipped in identity, generation, journal and holder', runs)
  })

  it('cost nothing but themselves where they are gone, and the store says what it lacks', async () => {
    const store = await begin()
    const outcomes: Record<string, unknown> = {}
    for (const file of ['generation', 'holder.json', 'refs.journal', 'sess.json', 'tables']) {
      const copy = copyOf(store.dir)
      rmSync(join(copy, file))
      const got = await answersOf(copy, store.sessions)
      outcomes[file] = JSON.stringify(got) === JSON.stringify(store.right) ? 'right' : got.ls
    }
    expect(outcomes).toEqual({
      generation: '!corrupt',
      'holder.json': 'right',
      'refs.journal': 'right',
      'sess.json': '!corrupt',
      tables: 'right',
    })
    tally(5, 'files beside the database removed', 5)
  })
})

describe('class 6: what is missing', () => {
  it('each file of the database in turn, CURRENT among them, makes no store empty', async () => {
    const store = await begin()
    const outcomes: Record<string, unknown> = {}
    for (const file of filesOf(store.dir).filter(isInDatabase)) {
      const copy = copyOf(store.dir)
      rmSync(join(copy, file))
      const got = await answersOf(copy, store.sessions)
      expect(wrongOf(got, store.right, TYPED)).toEqual([])
      outcomes[file.replace(/\d{6}/, 'N')] = got.ls === store.right.ls ? 'right' : got.ls
      if (got.ls !== store.right.ls) {
        const repo = await Repo.open(copy, { tolerant: true })
        const { ok } = await fsck(repo).catch(() => ({ ok: false }))
        expect(ok).toBe(false)
        await repo.close()
      }
    }
    expect(outcomes).toEqual({
      'db.1/CURRENT': '!corrupt',
      'db.1/LOG': 'right',
      'db.1/LOG.old': 'right',
      'db.1/MANIFEST-N': '!corrupt',
      'db.1/N.ldb': '!corrupt',
      'db.1/N.log': '!corrupt',
    })
    tally(6, 'files of the database removed', Object.keys(outcomes).length)
  })
})

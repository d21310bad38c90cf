import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { answersOf, wrongOf } from '../support/answers.ts'
import {
  type AnsweringStore,
  answeringStore,
  DAMAGE_ANSWERS,
  isInDatabase,
  storeFiles,
} from '../support/damagedstore.ts'
import { some, tally, upTo } from '../support/faults.ts'
import { copyOf } from '../support/smallstore.ts'

/** Flips bits in copies of a store, in some of the bytes of files, and gives which answers are wrong then. */
async function flipped(
  { dir, sessions, right }: AnsweringStore,
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
    for (const name of wrongOf(got, right, DAMAGE_ANSWERS))
      wrong.push(`${file} flipped at ${at}: ${name} ${got[name]?.slice(0, 80)}`)
    rmSync(copy, { recursive: true })
    runs++
  }
  return { runs, wrong }
}

describe('class 4: bytes that rot', () => {
  it('anywhere in the database give the right answer or an error that says so', {
    timeout: 900_000,
  }, async () => {
    const store = await answeringStore()
    const { runs, wrong } = await flipped(store, storeFiles(store.dir).filter(isInDatabase), 150, 0.1)
    expect(wrong).toEqual([])
    tally(4, 'bytes flipped in the files of the database', runs)
  })
})

describe('class 5: files beside the database that rot', () => {
  it('give the right answer or an error that says so', { timeout: 900_000 }, async () => {
    const store = await answeringStore()
    const files = storeFiles(store.dir).filter((name) => !isInDatabase(name))
    const { runs, wrong } = await flipped(store, files, 30, 0.03)
    expect(wrong).toEqual([])
    tally(5, 'bytes flipped in identity, generation, journal and holder', runs)
  })
})

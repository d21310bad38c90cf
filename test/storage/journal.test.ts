import { randomBytes } from 'node:crypto'
import { appendFileSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { RefName } from '../../src/model/refname.ts'
import {
  type JournalLine,
  journalIsLarge,
  journalText,
  lastCommit,
  readJournal,
  readJournalPart,
  recentlyMoved,
  rewriteJournal,
} from '../../src/storage/journal.ts'
import { appendJournal } from '../../src/storage/journalwriter.ts'
import { newFolder } from '../support/folder.ts'

const lineOf = (operation: number, value: string | null = `${operation}`.repeat(10)): JournalLine => ({
  operation,
  commit: operation,
  refs: [[`sessions/ü\u2028/branches/b${operation}` as RefName, value]],
})

/** Returns so many lines of 4 KB: a longer one is packed, which takes its time. */
const short = (count: number): string => journalText([lineOf(4, 'x'.repeat(4000))]).repeat(count)

/** Text that packs badly. */
const noise = (length: number): string => randomBytes(length / 2).toString('hex')

/** Makes a journal of some lines, and gives where each ends. */
function journalOf(lines: readonly JournalLine[]): { dir: string; path: string; ends: number[] } {
  const dir = newFolder()
  const path = join(dir, 'refs.journal')
  const ends = lines.map((line) => {
    appendJournal(dir, line)
    return statSync(path).size
  })
  return { dir, path, ends }
}

const THREE = [lineOf(1), lineOf(2, null), lineOf(3)]

describe('the journal', () => {
  it('gives its lines back in order, and the last operation', () => {
    const { dir, path } = journalOf(THREE)
    expect(readJournal(dir)).toMatchObject({ lines: THREE, damaged: 0, torn: false })
    expect(lastCommit(dir)).toBe(3)
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  it('gives a line in its place that was written late', () => {
    const { dir } = journalOf([lineOf(1), lineOf(3), lineOf(2, null)])
    expect(readJournal(dir)).toMatchObject({ lines: THREE, damaged: 0, torn: false })
  })

  it('has lines of a checksum and a list', () => {
    const { path } = journalOf([
      { operation: 1, commit: 2, refs: [] },
      {
        operation: 3,
        commit: 4,
        refs: [
          ['a' as RefName, { b: 'c' }],
          ['d' as RefName, null],
        ],
      },
    ])
    expect(readFileSync(path, 'utf8')).toBe('\n088b50bf [1,2]\nae6ea4ab [3,4,["a",{"b":"c"}],["d",null]]')
  })

  it('packs the refs of long lines', () => {
    const refs = Array.from(
      { length: 200 },
      (_, i) => [`sessions/s/branches/b${i}` as RefName, 'same'] as const,
    )
    const line: JournalLine = { operation: 7, commit: 9, refs }
    const { dir, path } = journalOf([line])
    expect(readFileSync(path, 'utf8')).toMatch(/^\n[0-9a-f]{8} \[7,9,"[A-Za-z0-9+/=]+"\]$/)
    expect(statSync(path).size).toBeLessThan(2000)
    expect(readJournal(dir)).toMatchObject({ lines: [line], damaged: 0, torn: false })
    expect(lastCommit(dir)).toBe(9)
  })

  it('has lines that are written at once as one, which repeats less', () => {
    const lines = Array.from({ length: 20 }, (_, i): JournalLine => {
      const session = `sessions/${i}`
      const refs = [
        [`${session}/branches/main`, `${i}`],
        [`${session}/meta`, { cwd: '/work/project', created: i }],
        [`${session}/labels/gone`, null],
      ] as const
      return { operation: 3 * i, commit: 5 * i, refs: refs.slice(i % 3) as unknown as JournalLine['refs'] }
    })
    const apart = lines.map((line) => journalText([line]))
    const together = journalText(lines)
    expect(together).toMatch(/^\n[0-9a-f]{8} \[57,95,"[A-Za-z0-9+/=]+",\[\[0,0,2\],\[3,5,3\],.*\]\]$/)
    expect(together.length).toBeLessThan(apart.join('').length / 2)
    const dir = newFolder()
    writeFileSync(join(dir, 'refs.journal'), together)
    expect(readJournal(dir)).toMatchObject({ lines, damaged: 0, torn: false })
    expect(lastCommit(dir)).toBe(95)
    appendJournal(dir, lineOf(96))
    expect(recentlyMoved(dir).slice(0, 4)).toEqual([
      'sessions/ü\u2028/branches/b96',
      'sessions/19/meta',
      'sessions/19/labels/gone',
      'sessions/18/branches/main',
    ])
  })

  it('is empty where there is none', () => {
    const dir = newFolder()
    expect(readJournal(dir)).toMatchObject({ lines: [], damaged: 0, torn: false })
    expect(lastCommit(dir)).toBe(0)
    writeFileSync(join(dir, 'refs.journal'), '')
    expect(lastCommit(dir)).toBe(0)
  })

  it('loses one line at most where its end is torn anywhere, and what follows stands', () => {
    const { path, ends } = journalOf(THREE)
    const whole = readFileSync(path)
    for (let length = 0; length <= whole.length; length++) {
      const dir = newFolder()
      writeFileSync(join(dir, 'refs.journal'), whole.subarray(0, length))
      const left = THREE.filter((_, i) => ends[i]! <= length)
      expect(readJournal(dir).lines).toEqual(left)
      expect([0, left.at(-1)?.commit ?? 0]).toContain(lastCommit(dir))
      appendJournal(dir, lineOf(4))
      expect(readJournal(dir).lines).toEqual([...left, lineOf(4)])
      expect(lastCommit(dir)).toBe(4)
    }
  })

  it('is never misread where a byte is wrong', () => {
    const { path, ends } = journalOf(THREE)
    const whole = readFileSync(path)
    for (let i = 0; i < whole.length; i++) {
      const dir = newFolder()
      const hurt = Buffer.from(whole)
      hurt[i]! ^= 4
      writeFileSync(join(dir, 'refs.journal'), hurt)
      const { lines } = readJournal(dir)
      for (const line of lines) expect(THREE).toContainEqual(line)
      // A newline that is hurt joins two lines.
      expect(lines.length).toBeGreaterThanOrEqual(i === 0 ? 2 : 1)
      expect([0, 3]).toContain(lastCommit(dir))
      if (i < ends[1]! - 1) expect(lastCommit(dir)).toBe(3)
    }
  })

  it('counts damaged lines, but for a torn tail', () => {
    const { dir, path } = journalOf(THREE)
    appendFileSync(path, '\n\0\0\0\0garbage\n\n12345678 [9,9]')
    expect(readJournal(dir)).toMatchObject({ lines: THREE, damaged: 0, torn: true })
    appendJournal(dir, lineOf(4))
    expect(readJournal(dir)).toMatchObject({ lines: [...THREE, lineOf(4)], damaged: 2, torn: false })
  })

  it('finds the last operation of lines of any length', () => {
    for (const length of [3900, 4000, 4050, 4096, 4200, 40_000, 2_000_000]) {
      const { dir, path } = journalOf([lineOf(1), lineOf(2, 'x'.repeat(length))])
      expect(lastCommit(dir)).toBe(2)
      appendJournal(dir, lineOf(3))
      expect(lastCommit(dir)).toBe(3)
      truncateSync(path, statSync(path).size - 1)
      expect(lastCommit(dir)).toBe(0)
    }
    for (let length = 4000; length < 4100; length++)
      expect(lastCommit(journalOf([lineOf(7, 'y'.repeat(length))]).dir)).toBe(7)
  })

  it('tells what was moved lately, from the lines that end near its end', () => {
    const { dir } = journalOf([lineOf(1, noise(200_000)), lineOf(2), lineOf(3)])
    expect(recentlyMoved(dir)).toEqual(['sessions/ü\u2028/branches/b3', 'sessions/ü\u2028/branches/b2'])
    expect(recentlyMoved(newFolder())).toEqual([])
  })

  it('is written anew whole', () => {
    const { dir, path } = journalOf(THREE)
    expect(journalIsLarge(dir)).toBe(false)
    appendFileSync(path, short(2200))
    expect(journalIsLarge(dir)).toBe(true)
    rewriteJournal(dir, lineOf(5))
    expect(journalIsLarge(dir)).toBe(false)
    appendJournal(dir, lineOf(6))
    expect(readJournal(dir)).toMatchObject({ lines: [lineOf(5), lineOf(6)], damaged: 0, torn: false })
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  it('ends in a short line after a long one, so that opening a store reads little', () => {
    const long = lineOf(5, noise(20_000))
    const { dir, path } = journalOf([lineOf(1), long])
    expect(readFileSync(path, 'utf8').split('\n').at(-1)).toMatch(/^[0-9a-f]{8} \[5,5\]$/)
    expect(lastCommit(dir)).toBe(5)
    expect(readJournal(dir)).toMatchObject({
      lines: [lineOf(1), long, { ...long, refs: [] }],
      damaged: 0,
      torn: false,
    })
  })

  it('is not written anew again before it has doubled, and ends in a short line', () => {
    const dir = newFolder()
    rewriteJournal(dir, lineOf(5, noise(7 << 20)))
    expect(journalIsLarge(dir)).toBe(false)
    expect(lastCommit(dir)).toBe(5)
    expect(readJournal(dir).lines.map(({ refs }) => refs.length)).toMatchObject([1, 0])
    const path = join(dir, 'refs.journal')
    appendFileSync(path, short(1000))
    expect(statSync(path).size).toBeGreaterThan(8 << 20)
    expect(journalIsLarge(dir)).toBe(false)
    appendFileSync(path, short(500))
    expect(journalIsLarge(dir)).toBe(true)
  })
})

describe('a part of the journal', () => {
  it('begins where the last one ended, and with the lines of another file', () => {
    const { dir, path } = journalOf([lineOf(1), lineOf(2)])
    const first = readJournalPart(dir)
    expect(first.lines).toEqual([lineOf(1), lineOf(2)])
    appendJournal(dir, { ...lineOf(5), commits: 3 })
    const second = readJournalPart(dir, first)
    expect(second.lines).toEqual([{ ...lineOf(5), commits: 3 }])
    expect(readJournalPart(dir, second).lines).toEqual([])
    rewriteJournal(dir, { ...lineOf(6), commits: 6 })
    expect(readJournalPart(dir, second).lines).toEqual([{ ...lineOf(6), commits: 6 }])
    writeFileSync(path, '')
    expect(readJournalPart(dir, second).lines).toEqual([])
  })

  it('reads a line again that was not complete', () => {
    const { dir, path } = journalOf([lineOf(1), lineOf(2)])
    const text = readFileSync(path, 'utf8')
    truncateSync(path, text.length - 10)
    const first = readJournalPart(dir)
    expect(first.lines).toEqual([lineOf(1)])
    writeFileSync(path, text, { flag: 'r+' })
    expect(readJournalPart(dir, first).lines).toEqual([lineOf(2)])
  })

  it('keeps how many commits each line stands for, also of lines that are written as one', () => {
    const dir = newFolder()
    const lines = [{ ...lineOf(4), commits: 2 }, lineOf(5), { ...lineOf(9), commits: 4 }]
    writeFileSync(join(dir, 'refs.journal'), journalText(lines))
    expect(readJournalPart(dir).lines).toEqual(lines)
  })
})

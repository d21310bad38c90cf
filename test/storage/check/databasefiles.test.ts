import {
  copyFileSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  checkDatabaseFiles,
  damagedFiles,
  recordTables,
  tablesOf,
} from '../../../src/storage/check/databasefiles.ts'
import { newLevel } from '../../../src/storage/leveldb/database.ts'
import { findDamage } from '../../../src/storage/leveldb/logfile.ts'
import { tableProblem } from '../../../src/storage/leveldb/tablefile.ts'
import { expectFailure } from '../../support/errors.ts'
import { newFolder } from '../../support/folder.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Makes a database with a table of 400 pairs, and a log of 20 more. */
async function made(): Promise<string> {
  const folder = newFolder()
  const level = newLevel(folder, true)
  await level.open()
  for (let i = 0; i < 400; i++) await level.put(bytes(`${i}`), bytes(`${Math.sqrt(i)}`.repeat(9)))
  await level.close()
  await level.open()
  for (let i = 0; i < 20; i++) await level.put(bytes(`later ${i}`), bytes(`${i}`.repeat(50)))
  await level.close()
  return folder
}

const fileOf = (folder: string, end: string): string =>
  join(folder, readdirSync(folder).find((name) => name.endsWith(end)) ?? '')

describe('a table', () => {
  it('is sound as LevelDB wrote it, and not where any byte of its blocks is another', async () => {
    const table = readFileSync(fileOf(await made(), '.ldb'))
    expect(tableProblem(table)).toBeUndefined()
    const missed: number[] = []
    // The places in the footer are padded: nothing reads these bytes.
    for (let at = 0; at < table.length - 40; at += 7) {
      const flipped = Buffer.from(table)
      flipped[at]! ^= 1 << (at % 8)
      if (tableProblem(flipped) === undefined) missed.push(at)
    }
    expect(missed).toEqual([])
    for (let length = 0; length < table.length; length += 101)
      expect(tableProblem(table.subarray(0, length))).toBeDefined()
  })
})

it('counts no table that the database does not name: it is being written, or was by who was killed', async () => {
  const folder = await made()
  const half = readFileSync(fileOf(folder, '.ldb')).subarray(0, 1000)
  writeFileSync(join(folder, '000077.ldb'), half)
  expect([...damagedFiles(folder)]).toEqual([])
  writeFileSync(fileOf(folder, '.ldb'), half)
  expect([...damagedFiles(folder)].map(({ problem }) => problem)).toEqual(['it does not end as a table does'])
})

describe('a log', () => {
  it('is sound wherever it ends, with zeros or noise behind it', async () => {
    const log = readFileSync(fileOf(await made(), '.log'))
    expect(log.length).toBeGreaterThan(1000)
    const noise = Buffer.from(Array.from({ length: 300 }, (_, i) => (i * i * 31) % 251))
    for (let length = 0; length <= log.length; length++) {
      const cut = log.subarray(0, length)
      expect(findDamage(cut)).toBeUndefined()
      expect(findDamage(Buffer.concat([cut, Buffer.alloc(500)]))).toBeUndefined()
      expect(findDamage(Buffer.concat([cut, noise]))).toBeUndefined()
    }
  })

  it('is damaged where any byte is another and sound records follow', async () => {
    const log = readFileSync(fileOf(await made(), '.log'))
    const [last] = [...log.toString('latin1').matchAll(/later 19/g)].map(({ index }) => index)
    const missed: number[] = []
    for (let at = 0; at < last! - 30; at++) {
      const flipped = Buffer.from(log)
      flipped[at]! ^= 1 << (at % 8)
      if (findDamage(flipped) === undefined) missed.push(at)
    }
    expect(missed).toEqual([])
  })
})

describe('a database that is opened', () => {
  it('is not refused for a table that another process had begun to write as it was left', async () => {
    const [dir, folder] = [newFolder(), await made()]
    const had = tablesOf(folder)
    writeFileSync(join(folder, '000999.ldb'), 'half of')
    recordTables(dir, folder, [...had, '000998.ldb'], new Set())
    writeFileSync(join(folder, '000999.ldb'), 'half of a table')
    expect(() => checkDatabaseFiles(dir, folder)).not.toThrow()
    expect(readFileSync(join(dir, 'tables'), 'utf8')).toMatch(/^\d+\.ldb \d+ [\d.]+ \d+\n$/)
  })

  it('is closed where its tables cannot be recorded', async () => {
    const [dir, folder] = [newFolder(), await made()]
    mkdirSync(join(dir, 'tables'))
    expect(() => recordTables(dir, folder, tablesOf(folder), new Set())).not.toThrow()
  })

  it('is looked into where its files are not as they were left', async () => {
    const [dir, folder] = [newFolder(), await made()]
    for (let i = 0; i < 2; i++) recordTables(dir, folder, tablesOf(folder), checkDatabaseFiles(dir, folder))
    expect(readFileSync(join(dir, 'tables'), 'utf8')).toMatch(/^\d+\.ldb \d+ [\d.]+ \d+\n$/)
    checkDatabaseFiles(dir, folder)
    const table = fileOf(folder, '.ldb')
    const sound = readFileSync(table)
    writeFileSync(table, sound)
    checkDatabaseFiles(dir, folder)
    const flipped = Buffer.from(sound)
    flipped[99]! ^= 4
    writeFileSync(table, flipped)
    const { message, remedy } = await expectFailure('corrupt', () => checkDatabaseFiles(dir, folder))
    expect(message).toMatch(
      /the file '.*ldb' of its database \(the block of \d+ bytes at 0 fails its checksum\)$/,
    )
    expect(remedy).toEqual({ kind: 'repair-database' })
    // Files checked on opening are not checked on closing: the damage is found the next time too.
    writeFileSync(table, sound)
    recordTables(dir, folder, tablesOf(folder), checkDatabaseFiles(dir, folder))
    const untouched = checkDatabaseFiles(dir, folder)
    expect([...untouched]).toEqual(tablesOf(folder))
    writeFileSync(table, flipped)
    recordTables(dir, folder, tablesOf(folder), untouched)
    await expectFailure('corrupt', () => checkDatabaseFiles(dir, folder))
    expect([...damagedFiles(folder)].map(({ problem }) => problem)).toEqual([
      expect.stringMatching(/^the block of \d+ bytes at 0 fails its checksum$/),
    ])
  })

  /** Puts a copy with the same content and time in the place of a table. */
  function copyOver(table: string): void {
    const { atime, mtime } = statSync(table)
    copyFileSync(table, `${table}.copy`)
    utimesSync(`${table}.copy`, atime, mtime)
    renameSync(`${table}.copy`, table)
  }

  it('has the structure of copied tables checked once, and the tables recorded then', async () => {
    const [dir, folder] = [newFolder(), await made()]
    const table = fileOf(folder, '.ldb')
    // The record has the time that a copy can have.
    utimesSync(table, 1_700_000_000, 1_700_000_000)
    recordTables(dir, folder, tablesOf(folder), checkDatabaseFiles(dir, folder))
    expect([...checkDatabaseFiles(dir, folder)]).toEqual(tablesOf(folder))
    copyOver(table)
    const untouched = checkDatabaseFiles(dir, folder)
    expect([...untouched]).toEqual([])
    recordTables(dir, folder, tablesOf(folder), untouched)
    expect([...checkDatabaseFiles(dir, folder)]).toEqual(tablesOf(folder))
    linkSync(table, join(dir, 'table'))
    expect([...checkDatabaseFiles(dir, folder)]).toEqual(tablesOf(folder))
    const content = readFileSync(table)
    writeFileSync(table, content.fill(255, content.length - 48, content.length - 8))
    utimesSync(table, 1_700_000_000, 1_700_000_000)
    copyOver(table)
    await expectFailure('corrupt', () => checkDatabaseFiles(dir, folder))
  })

  it('takes a line of a record without an inode number for none', async () => {
    const [dir, folder] = [newFolder(), await made()]
    const { size, mtimeMs } = statSync(fileOf(folder, '.ldb'))
    writeFileSync(join(dir, 'tables'), `${tablesOf(folder)[0]} ${size} ${mtimeMs}\n`)
    expect([...checkDatabaseFiles(dir, folder)]).toEqual([])
  })

  it('is refused where its log is damaged in its middle', async () => {
    const [dir, folder] = [newFolder(), await made()]
    const log = fileOf(folder, '.log')
    copyFileSync(log, join(dir, 'sound'))
    const flipped = readFileSync(log)
    flipped[99]! ^= 4
    writeFileSync(log, flipped)
    const { message } = await expectFailure('corrupt', () => checkDatabaseFiles(dir, folder))
    expect(message).toContain('(the record at 79 fails its checksum, and more follows it)')
    copyFileSync(join(dir, 'sound'), log)
    checkDatabaseFiles(dir, folder)
    rmSync(folder, { recursive: true })
    checkDatabaseFiles(dir, folder)
  })
})

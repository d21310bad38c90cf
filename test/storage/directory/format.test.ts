import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { append } from '../../../src/ops/append/append.ts'
import { repairStore } from '../../../src/ops/fsck/repairstore.ts'
import { gc } from '../../../src/ops/gc.ts'
import { Repo } from '../../../src/repo/repo.ts'
import { STORE_FORMAT } from '../../../src/storage/directory/identity.ts'
import { openDatabase } from '../../../src/storage/leveldb/database.ts'
import { expectFailure } from '../../support/errors.ts'
import { tally } from '../../support/faults.ts'
import { smallStore } from '../../support/smallstore.ts'
import { quietEnv } from '../../support/store.ts'

const says = { body: { role: 'user', content: 'more' } }
const holder = { pid: process.pid, command: 'test', since: '' }

const entriesIn = async (repo: Repo): Promise<number> => (await repo.read((reader) => reader.sizes())).entries

it('class 17: a store of a newer format is refused, and not changed', async () => {
  const { dir } = await smallStore()
  const path = join(dir, 'sess.json')
  const identity = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>
  const newer = JSON.stringify({ ...identity, format: STORE_FORMAT + 1 })
  writeFileSync(path, newer)
  const { message } = await expectFailure('newer-store', () => Repo.open(dir, { create: true }))
  expect(message).toBe(`the store '${dir}' was written by a newer sess (format ${STORE_FORMAT + 1})`)
  expect(readFileSync(path, 'utf8')).toBe(newer)
  tally(17, 'a newer format refused', 1)
})

it('class 17: a store of an older format is refused, also by a repair, and not changed', async () => {
  const { dir } = await smallStore()
  const path = join(dir, 'sess.json')
  const identity = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>
  const older = JSON.stringify({ ...identity, format: STORE_FORMAT - 1 })
  writeFileSync(path, older)
  const before = readdirSync(dir)
  const { message } = await expectFailure('older-store', () => Repo.open(dir, { create: true }))
  expect(message).toBe(`the store '${dir}' was written by an older sess (format ${STORE_FORMAT - 1})`)
  await expectFailure('older-store', () =>
    repairStore(dir, { env: quietEnv(), command: 'sess fsck --repair' }),
  )
  expect([readFileSync(path, 'utf8'), readdirSync(dir)]).toEqual([older, before])
  tally(17, 'an older format refused', 1)
})

it.each(['a writer', 'a reader beside a writer'])(
  'class 17: a store that a newer sess collected under %s that has it open is refused too',
  async (who) => {
    const { dir, sessions } = await smallStore()
    const env = quietEnv()
    const before = await Repo.open(dir, { env })
    expect(await entriesIn(before)).toBeGreaterThan(0)
    const newer = await Repo.open(dir, { env })
    await gc(newer, { grace: Infinity, operations: 0 })
    // It has the database until it is asked for it.
    await newer.close()
    const holding = who === 'a writer' ? undefined : await openDatabase(dir, { lockTimeout: 5000, holder })
    const path = join(dir, 'sess.json')
    const format = STORE_FORMAT + 1
    writeFileSync(path, JSON.stringify({ ...newer.identity, format }))
    const refused = await Promise.all([
      expectFailure('newer-store', () => entriesIn(before)),
      ...(holding ? [] : [expectFailure('newer-store', () => append(before, sessions[0] as string, [says]))]),
    ])
    for (const { message } of refused)
      expect(message).toBe(`the store '${dir}' was written by a newer sess (format ${format})`)
    await holding?.close()
    writeFileSync(path, JSON.stringify(newer.identity))
    expect(await entriesIn(before)).toBeGreaterThan(0)
    await before.close()
    tally(17, 'a newer format refused under an open store', refused.length)
  },
)

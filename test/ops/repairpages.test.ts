import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { append, createSession } from '../../src/ops/append.ts'
import { type Repair, repairStore } from '../../src/ops/fsck/repairstore.ts'
import { gc } from '../../src/ops/gc.ts'
import { Repo } from '../../src/repo/repo.ts'
import { pageKey, SPACE } from '../../src/storage/keys.ts'
import { newLevel } from '../../src/storage/leveldb/database.ts'
import { type Answers, answersOf } from '../support/answers.ts'
import { expectFailure } from '../support/errors.ts'
import { newFolder } from '../support/folder.ts'
import { copyOf, smallStore } from '../support/smallstore.ts'
import { openRepo, quietEnv } from '../support/store.ts'

const repair = (dir: string): Promise<Repair> =>
  repairStore(dir, { env: quietEnv(), command: 'sess fsck --repair' })

/** What is asked of a store whatever was done to it: its operations are more after a repair. */
const said = ({ ls, log, export: exported }: Answers): unknown => ({ ls, log, exported })

/** Changes a byte of each page of the indexes of a collected store, and of what says how many there are. */
async function spoilPages(dir: string, spaces: readonly number[]): Promise<number> {
  const level = newLevel(join(dir, 'db.2'), false)
  await level.open()
  let pages = 0
  for (const space of spaces)
    for await (const [key, value] of level.iterator({
      gte: Uint8Array.of(space),
      lt: Uint8Array.of(space + 1),
    })) {
      value[value.length - 1]! ^= 1
      await level.put(key, value)
      pages++
    }
  await level.close()
  return pages
}

describe('repairing the pages of an index', () => {
  it('finds all again where pages of an index are damaged', async () => {
    const { dir, sessions } = await smallStore()
    const store = await openRepo(dir)
    await gc(store, { grace: Infinity, operations: 0 })
    await store.close()
    const right = said(await answersOf(copyOf(dir), sessions))
    const pages = await spoilPages(dir, [SPACE.oids, SPACE.blobs])
    const { before, done } = await repair(dir)
    expect(before.findings.filter(({ subject }) => subject === 'the index')).toHaveLength(pages)
    expect(done?.after.findings).toEqual([])
    expect(said(await answersOf(dir, sessions))).toEqual(right)
  })

  it.each([
    ['of oids a page', pageKey(SPACE.oids, 0)],
    ['of oids what says how many pages there are', Uint8Array.of(SPACE.oids)],
    ['of blobs a page', pageKey(SPACE.blobs, 0)],
    ['of blobs what says how many pages there are', Uint8Array.of(SPACE.blobs)],
  ])('finds all again where of the index %s is missing', async (_, key) => {
    const { dir, sessions } = await smallStore()
    const store = await openRepo(dir)
    await gc(store, { grace: Infinity, operations: 0 })
    await store.close()
    const right = said(await answersOf(copyOf(dir), sessions))
    const level = newLevel(join(dir, 'db.2'), false)
    await level.open()
    await level.del(key)
    await level.close()
    const { before, done } = await repair(dir)
    const told = before.findings.filter(({ message }) => message.includes('of an index is missing'))
    expect(told).toMatchObject([{ code: 'index', subject: 'the index' }])
    expect(done?.after.findings).toEqual([])
    expect(said(await answersOf(dir, sessions))).toEqual(right)
  })

  it.each([
    ['oids', SPACE.oids, 'in short'],
    ['blobs', SPACE.blobs, 'at length '.repeat(1000)],
  ])('takes nothing for new where the index of %s is damaged', async (_, space, content) => {
    const dir = join(newFolder(), 'store')
    const env = quietEnv()
    const store = await Repo.open(dir, { create: true, env })
    const says = { body: { role: 'user', content } }
    await append(store, await createSession(store), [says])
    await gc(store, { grace: Infinity, operations: 0 })
    await store.close()
    expect(await spoilPages(dir, [space])).toBe(2)
    const again = await Repo.open(dir, { env })
    const other = await createSession(again)
    const role = space === SPACE.oids ? 'user' : 'assistant'
    const { message } = await expectFailure('corrupt', () =>
      append(again, other, [{ body: { role, content } }]),
    )
    expect(message).toContain('the header of an index fails its checksum')
    expect((await again.read((backend) => backend.sizes())).entries).toBe(1)
    await again.close()
    const { done } = await repair(dir)
    expect(done?.after.findings).toEqual([])
  })
})

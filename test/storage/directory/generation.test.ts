import fs, {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { basename, join } from 'node:path'
import { expect, it, vi } from 'vitest'
import type { RefName } from '../../../src/model/refname.ts'
import { copyDatabase } from '../../../src/storage/directory/databasecopy.ts'
import {
  newGenerationFolder,
  publishGeneration,
  readGeneration,
} from '../../../src/storage/directory/generation.ts'
import { removeLeftovers } from '../../../src/storage/directory/leftovers.ts'
import { processName } from '../../../src/storage/directory/processname.ts'
import { generationFolder, takeOver } from '../../../src/storage/directory/takeover.ts'
import { isHeld, newLevel } from '../../../src/storage/leveldb/database.ts'
import { expectFailure } from '../../support/errors.ts'
import { copyOf } from '../../support/smallstore.ts'
import { openRepo } from '../../support/store.ts'

const name = 'a' as RefName

it('has a store held anew with all that was acknowledged, and fences who held it before', async () => {
  const before = await openRepo()
  const { dir } = before
  await before.write({}, ({ move }) => move(name, undefined, 1))
  await before
    .write({}, async ({ move }) => {
      takeOver(dir, 1)
      takeOver(dir, 1)
      expect(readGeneration(dir)).toBe(2)
      const after = await openRepo(dir)
      await after.write({}, (change) => change.move(name, 1, 2))
      await after.close()
      move(name, 1, 3)
    })
    .then(
      () => expect.unreachable(),
      (error: unknown) => expect(error).toMatchObject({ code: 'fenced' }),
    )
  expect(await before.read((backend) => backend.ref(name))).toBe(2)
  // An open store removes what is left too, some time after it opened its database: two that look at once take each
  // other for one that has it.
  await before.close()
  await removeLeftovers(dir, isHeld)
  expect(readdirSync(dir).filter((file) => file.startsWith('db.'))).toEqual(['db.2'])
})

it.runIf(process.platform === 'linux')(
  'has a database durable before it has the name of the next generation',
  async () => {
    const repo = await openRepo()
    const { dir } = repo
    await repo.write({}, ({ move }) => move(name, undefined, 1))
    await repo.close()
    takeOver(dir, 1)
    const done: string[] = []
    const { fsyncSync, renameSync } = fs
    fs.fsyncSync = (file) => {
      done.push(basename(readlinkSync(`/proc/self/fd/${file}`)))
      fsyncSync(file)
    }
    fs.renameSync = (from, to) => {
      done.push(`to ${basename(to as string)}`)
      renameSync(from, to)
    }
    syncBuiltinESMExports()
    try {
      const names = readdirSync(generationFolder(dir, 2))
      expect(names.some((file) => file.endsWith('.log'))).toBe(true)
      expect(done.slice(0, -3).sort()).toEqual(names.sort())
      const fresh = expect.stringMatching(`^db\\.2\\.${processName()}\\..*\\.new$`) as string
      expect(done.slice(-3)).toEqual([fresh, 'to db.2', basename(dir)])
    } finally {
      Object.assign(fs, { fsyncSync, renameSync })
      syncBuiltinESMExports()
    }
  },
)

it('reads what was written since by whoever took the store over', async () => {
  const before = await openRepo()
  const { dir } = before
  await before.write({}, ({ move }) => move(name, undefined, 1))
  await before.read(async () => {
    takeOver(dir, 1)
    const after = await openRepo(dir)
    await after.write({}, (change) => change.move(name, 1, 2))
    await after.close()
  })
  expect(await before.read((backend) => backend.ref(name))).toBe(2)
})

it('removes what dead processes left, and nothing else', async () => {
  const repo = await openRepo()
  const { dir } = repo
  await repo.write({}, ({ move }) => move(name, undefined, 1))
  // No process has so large a number.
  const dead = processName().replace(/^\d+/, `${2 ** 22 + 1}`)
  const alive = processName()
  for (const left of [`snapshot.${dead}.0`, `db.2.${dead}.new`, `scratch.${dead}.x`, `snapshot.${alive}.7`])
    mkdirSync(join(dir, left))
  for (const left of [`refs.journal.${dead}.new`, `generation.${dead}.new`])
    writeFileSync(join(dir, left), '')
  writeFileSync(join(dir, `refs.journal.${alive}.new`), '')
  await repo.close()
  await removeLeftovers(dir, isHeld)
  expect(leftIn(dir)).toEqual([`refs.journal.${alive}.new`, `snapshot.${alive}.7`])
})

it('leaves the database from which that of a new generation is still to be made', async () => {
  const repo = await openRepo()
  const { dir } = repo
  await repo.write({}, ({ move }) => move(name, undefined, 1))
  await repo.close()
  takeOver(dir, 1)
  await removeLeftovers(dir, isHeld)
  const again = await openRepo(dir)
  expect(await again.read((backend) => backend.ref(name))).toBe(1)
  await again.close()
  await removeLeftovers(dir, isHeld)
  expect(readdirSync(dir).filter((file) => file.startsWith('db.'))).toEqual(['db.2'])
})

it('removes a former database once a claim in it, of a process of which nothing is known, is old', async () => {
  const repo = await openRepo()
  const { dir } = repo
  await repo.write({}, ({ move }) => move(name, undefined, 1))
  await repo.close()
  takeOver(dir, 1)
  const again = await openRepo(dir)
  await again.read(() => undefined)
  const former = join(dir, 'db.1')
  const claim = join(former, 'OWNER.1-00000000.00000001.00000001')
  writeFileSync(claim, '')
  await removeLeftovers(dir, isHeld)
  expect(existsSync(claim)).toBe(true)
  const old = new Date(Date.now() - 2 * 86_400_000)
  for (const left of readdirSync(former)) utimesSync(join(former, left), old, old)
  utimesSync(former, old, old)
  await removeLeftovers(dir, isHeld)
  expect(readdirSync(dir).filter((file) => file.startsWith('db.'))).toEqual(['db.2'])
  await again.close()
})

it('removes what a process of another container left once it is old and held by nobody', async () => {
  const repo = await openRepo()
  const { dir } = repo
  await repo.write({}, ({ move }) => move(name, undefined, 1))
  await repo.close()
  // The number may be that of anybody here.
  const other = `${process.pid}-00000000`
  const names = [`snapshot.${other}.0`, `snapshot.${other}.1`, `snapshot.${other}.2`, 'snapshot.77.3']
  for (const left of names) copyDatabase(join(dir, 'db.1'), join(dir, left))
  mkdirSync(join(dir, `scratch.${other}.x`))
  copyDatabase(join(dir, 'db.1'), join(dir, `scratch.${other}.x`, 'written'))
  const held = [`snapshot.${other}.0`, `scratch.${other}.x/written`].map((left) =>
    newLevel(join(dir, left), false),
  )
  for (const level of held) await level.open()
  const old = new Date(Date.now() - 2 * 86_400_000)
  for (const left of readdirSync(dir, { recursive: true, encoding: 'utf8' }))
    if (left.includes(other) && !left.startsWith(`snapshot.${other}.1`)) utimesSync(join(dir, left), old, old)
  await removeLeftovers(dir, isHeld)
  const young = [`snapshot.${other}.1`, 'snapshot.77.3']
  expect(leftIn(dir)).toEqual([`scratch.${other}.x`, `snapshot.${other}.0`, ...young].sort())
  for (const level of held) await level.close()
  for (const left of readdirSync(dir, { recursive: true, encoding: 'utf8' }))
    if (left.includes(other)) utimesSync(join(dir, left), old, old)
  await removeLeftovers(dir, isHeld)
  expect(leftIn(dir)).toEqual(['snapshot.77.3'])
})

const leftIn = (dir: string): string[] =>
  readdirSync(dir)
    .filter((file) => !/^(?:generation|sess\.json|db\.1|holder\.json|refs\.journal|tables)$/.test(file))
    .sort()

it('says where no database is left', async () => {
  const { dir } = await openRepo()
  expect(existsSync(generationFolder(dir, 1))).toBe(true)
  mkdirSync(join(dir, 'x'))
  await expectFailure('corrupt', () => generationFolder(join(dir, 'x'), 3))
})

it('publishes nothing that lacks what was written since, whoever goes on', async () => {
  const repo = await openRepo()
  const { dir } = repo
  await repo
    .write({}, ({ move }) => {
      const fresh = newGenerationFolder(dir, 1)
      expect(publishGeneration(dir, 1, fresh, () => false)).toBe(false)
      expect([readGeneration(dir), existsSync(join(dir, 'db.2'))]).toEqual([2, false])
      move(name, undefined, 1)
    })
    // The next database is made of the one that it was written to.
    .then(() => repo.read((backend) => backend.ref(name)))
    .then((value) => expect(value).toBe(1))
  await repo.write({}, ({ move }) => move(name, 1, 2))
  expect(await repo.read((backend) => backend.ref(name))).toBe(2)
})

it.each([
  ['takes over', (dir: string): unknown => takeOver(dir, 1)],
  ['publishes', (dir: string): unknown => publishGeneration(dir, 1, newGenerationFolder(dir, 1))],
])('does nothing where others took the store over twice while it %s', async (_, work) => {
  const repo = await openRepo()
  const { dir } = repo
  await repo.write({}, ({ move }) => move(name, undefined, 1))
  await repo.close()
  const plain = fs.fsyncSync
  // The process is stopped while the number that it wrote is synced.
  const stopped = vi.spyOn(fs, 'fsyncSync').mockImplementationOnce((file) => {
    plain(file)
    writeFileSync(join(dir, 'generation'), '3\n')
  })
  syncBuiltinESMExports()
  try {
    expect(work(dir) ?? false).toBe(false)
  } finally {
    stopped.mockRestore()
    syncBuiltinESMExports()
  }
  expect(readGeneration(dir)).toBe(3)
  const again = await openRepo(dir)
  expect(await again.read((backend) => backend.ref(name))).toBe(1)
  expect(readdirSync(dir).filter((file) => file.includes('.new'))).toEqual([])
})

it('takes no database of before for what comes next, where an older copy of the store was put in its place', async () => {
  const first = await openRepo()
  const { dir } = first
  await first.write({}, ({ move }) => move(name, undefined, 1))
  await first.close()
  const copy = copyOf(dir)
  for (const number of [1, 2]) {
    takeOver(dir, number)
    const repo = await openRepo(dir)
    await repo.write({}, ({ move }) => move(name, number, number + 1))
    await repo.close()
  }
  expect(readdirSync(dir).filter((file) => file.startsWith('db.'))).toContain('db.3')
  rmSync(join(dir, 'db.1'), { recursive: true, force: true })
  for (const file of ['db.1', 'generation', 'refs.journal'])
    cpSync(join(copy, file), join(dir, file), { recursive: true })
  const again = await openRepo(dir)
  await again.write({}, ({ move }) => move(name, 1, 100))
  await again.close()
  for (const number of [1, 2]) {
    takeOver(dir, number)
    const repo = await openRepo(dir)
    expect(await repo.read((backend) => backend.ref(name))).toBe(100)
    await repo.close()
  }
  expect(
    readdirSync(join(dir, 'broken')).flatMap((aside) => readdirSync(join(dir, 'broken', aside))),
  ).toContain('db.3')
})

import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { RefName } from '../../src/model/refname.ts'
import { isHeld } from '../../src/storage/database.ts'
import { readGeneration } from '../../src/storage/folder.ts'
import { generationFolder, removeLeftovers, takeOver } from '../../src/storage/generation.ts'
import { expectFailure } from '../support/errors.ts'
import { openRepo } from '../support/store.ts'

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
  await removeLeftovers(dir, isHeld)
  expect(readdirSync(dir).filter((file) => file.startsWith('db.'))).toEqual(['db.2'])
})

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
  const { dir } = await openRepo()
  // No process has so large a number.
  const dead = 2 ** 22 + 1
  for (const left of [`snapshot.${dead}.0`, `db.2.${dead}.new`, `snapshot.${process.pid}.7`])
    mkdirSync(join(dir, left))
  for (const left of [`holder.${dead}.abcd.sock`, 'refs.journal.1.new']) writeFileSync(join(dir, left), '')
  await removeLeftovers(dir, isHeld)
  expect(
    readdirSync(dir).filter((file) => !/^(?:generation|sess\.json|db\.1|holder\.json)$/.test(file)),
  ).toEqual(['refs.journal.1.new', `snapshot.${process.pid}.7`])
})

it('says where no database is left', async () => {
  const { dir } = await openRepo()
  expect(existsSync(generationFolder(dir, 1))).toBe(true)
  mkdirSync(join(dir, 'x'))
  await expectFailure('corrupt', () => generationFolder(join(dir, 'x'), 3))
})

import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { newLevel } from '../../../src/storage/leveldb/database.ts'
import { isLocked } from '../../../src/storage/leveldb/locks.ts'
import { newFolder } from '../../support/folder.ts'

it.runIf(existsSync('/proc/locks'))('sees who has a database as long as it is open', async () => {
  const [folder, other] = [newFolder(), newFolder()]
  expect(isLocked(folder)).toBe(false)
  const levels = [newLevel(folder, true), newLevel(other, true)] as const
  for (const level of levels) await level.open()
  expect([isLocked(folder), isLocked(other)]).toEqual([true, true])
  await levels[0].close()
  expect([isLocked(folder), isLocked(other)]).toEqual([false, true])
  await levels[1].close()
})

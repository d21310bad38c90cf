import { expect, it } from 'vitest'
import {
  checkCommitLog,
  logGroup,
  readCommitLog,
  trimCommitLog,
} from '../../../src/storage/levelbackend/commitlog.ts'
import { COMMIT_LOG, commitKey } from '../../../src/storage/levelbackend/keys.ts'
import { expectFailure } from '../../support/errors.ts'
import { type Memory, memory } from '../../support/memory.ts'

/** A commit log of which the first three groups are checkpointed. */
async function trimmed(): Promise<Memory> {
  const level = await memory()
  const puts = Array.from({ length: 6 }, (_, n) => logGroup(n, [Uint8Array.of(n), Uint8Array.of(9)]))
  await level.batch(puts)
  await level.batch(trimCommitLog(0, 3))
  return level
}

const opened = (level: Memory): Promise<void> => checkCommitLog(level)

it('holds the groups that are not checkpointed', async () => {
  const level = await trimmed()
  await opened(level)
  const groups = [...readCommitLog(level, 3)]
  expect(groups.map(([number, bytes]) => [number, ...bytes])).toEqual([3, 4, 5].map((n) => [n, n, 9]))
  expect(await level.get(commitKey(2))).toBeUndefined()
})

it.each([
  ['the first', commitKey(3)],
  ['one in the middle', commitKey(4)],
  ['the number of the first', COMMIT_LOG],
])('is refused where %s is lost and later groups are there', async (_, key) => {
  const level = await trimmed()
  await level.del(key)
  const { message } = await expectFailure('corrupt', () => opened(level))
  expect(message).toContain('and more follows it')
})

import { expect, it } from 'vitest'
import type { RefName } from '../../../src/model/refname.ts'
import { getOperation, momentOf } from '../../../src/repo/past/moment.ts'
import type { Repo } from '../../../src/repo/repo.ts'
import { expectFailure } from '../../support/errors.ts'
import { newFolder } from '../../support/folder.ts'
import { BEGIN, openRepo, quietEnv } from '../../support/store.ts'

/** A store with three operations, a day apart. */
async function threeDays(): Promise<Repo> {
  const dir = newFolder()
  for (const day of [0, 1, 2]) {
    const now = (): number => BEGIN + 86_400_000 * day
    const repo = await openRepo(dir, { env: { ...quietEnv(), now } })
    await repo.write({}, ({ move }) => move('a' as RefName, day === 0 ? undefined : day - 1, day))
    await repo.close()
  }
  return openRepo(dir)
}

it('names an operation by its number, its id or the time', async () => {
  const repo = await threeDays()
  await repo.read(async (reader) => {
    const moment = (text: string): Promise<number> => momentOf(reader, text, BEGIN + 86_400_000 * 2)
    const { id } = await getOperation(reader, '2')
    expect(await moment(id.slice(0, 9).toUpperCase())).toBe(2)
    expect((await getOperation(reader, id)).number).toBe(2)
    expect(await moment('0')).toBe(0)
    expect(await moment('2026-01-01')).toBe(1)
    expect(await moment('2026-01-02T23:59')).toBe(2)
    expect(await moment('2025-12-31')).toBe(0)
    expect(await moment('1d')).toBe(2)
    expect(await momentOf(reader, '2026-01-02', BEGIN, () => 60)).toBe(1)
    await expectFailure('no-operation', () => getOperation(reader, '0'))
    await expectFailure('no-operation', () => getOperation(reader, 'yesterday'))
    const { message } = await expectFailure('no-operation', () => moment('17'))
    expect(message).toBe("there is no operation '17' (the newest is 3)")
  })
})

it('says which operations an id may be of', async () => {
  const ids = ['abcd1' + '0'.repeat(27), 'abcd2' + '0'.repeat(27)]
  const repo = await threeDays()
  const { message } = await repo.read((reader) =>
    expectFailure('ambiguous-operation', () =>
      getOperation(
        Object.assign(Object.create(null) as typeof reader, {
          operationLog: () => ({ latest: 2, dropped: { operation: 0, id: '' }, commits: 2 }),
          operation: async (number: number) => ({
            ...(await reader.operation(number)),
            id: ids[number - 1],
          }),
        }),
        'abcd',
      ),
    ),
  )
  expect(message).toBe(
    "'abcd' is ambiguous: several operations have ids that begin with it (2 is abcd2000, 1 is abcd1000)",
  )
})

import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { OperationRange } from '../../../src/model/operation.ts'
import type { RefName } from '../../../src/model/refname.ts'
import { getOperation, resolveOperationNumber } from '../../../src/repo/oplog/operationat.ts'
import type { Repo } from '../../../src/repo/repo.ts'
import { runs } from '../../support/amount.ts'
import { expectFailure } from '../../support/errors.ts'
import { newFolder } from '../../support/folder.ts'
import { BEGIN, openRepo, quietEnv } from '../../support/store.ts'

const NAMES = ['a', 'a/b', 'b', 'b/a', 'b/b', 'c'] as RefName[]

const refsOf = (repo: Repo, prefix = ''): Promise<[string, unknown][]> =>
  repo.read(async (reader) => {
    const refs: [string, unknown][] = []
    for await (const pair of reader.refs(prefix)) refs.push(pair)
    return refs
  })

const set = (repo: Repo, name: RefName, value: number | undefined): Promise<void> =>
  repo.write({}, async ({ reader, move }) => move(name, await reader.ref(name), value))

it('returns refs and operations as of each operation, in the order of names', async () => {
  const moves = fc.array(fc.tuple(fc.constantFrom(...NAMES), fc.option(fc.nat(3), { nil: undefined })), {
    minLength: 1,
    maxLength: 12,
  })
  await fc.assert(
    fc.asyncProperty(moves, async (all) => {
      const repo = await openRepo()
      const states = [await refsOf(repo)]
      for (const [name, value] of all) {
        await set(repo, name, value)
        states.push(await refsOf(repo))
      }
      for (const [number, state] of states.entries()) {
        const past = await openRepo(repo.dir, { atOperation: `${number}` })
        expect(await refsOf(past)).toEqual(state)
        expect(await refsOf(past, 'b')).toEqual(state.filter(([name]) => name.startsWith('b')))
        await past.read(async (reader) => {
          for (const name of NAMES)
            expect(await reader.ref(name)).toBe(state.find(([other]) => other === name)?.[1])
          expect((await reader.operationLog()).latest).toBe(number)
          expect(await reader.operation(number + 1)).toBeUndefined()
        })
        await past.close()
      }
      await repo.close()
    }),
    { numRuns: runs(15) },
  )
})

it('sees later writes of others, and cannot write', async () => {
  const repo = await openRepo()
  await set(repo, 'a' as RefName, 1)
  const past = await openRepo(repo.dir, { atOperation: '1' })
  expect(await refsOf(past)).toEqual([['a', 1]])
  await set(repo, 'a' as RefName, 2)
  expect(await refsOf(past)).toEqual([['a', 1]])
  await expectFailure('read-only', () => set(past, 'a' as RefName, 3))
  await expectFailure('no-store', () => openRepo(`${repo.dir}-none`, { atOperation: '1' }))
})

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
    const moment = (text: string): Promise<number> =>
      resolveOperationNumber(reader, text, BEGIN + 86_400_000 * 2)
    const { id } = await getOperation(reader, '2')
    expect(await moment(id.slice(0, 9).toUpperCase())).toBe(2)
    expect((await getOperation(reader, id)).number).toBe(2)
    expect(await moment('0')).toBe(0)
    expect(await moment('2026-01-01')).toBe(1)
    expect(await moment('2026-01-02T23:59')).toBe(2)
    expect(await moment('2025-12-31')).toBe(0)
    expect(await moment('1d')).toBe(2)
    expect(await resolveOperationNumber(reader, '2026-01-02', BEGIN, () => 60)).toBe(1)
    await expectFailure('no-operation', () => getOperation(reader, '0'))
    await expectFailure('no-operation', () => getOperation(reader, 'yesterday'))
    const { message } = await expectFailure('no-operation', () => moment('17'))
    expect(message).toBe("there is no operation '17' (the newest is 3)")
  })
})

it('lists the operations that an ambiguous id may name', async () => {
  const ids = ['abcd1' + '0'.repeat(27), 'abcd2' + '0'.repeat(27)]
  const repo = await threeDays()
  const { message } = await repo.read((reader) =>
    expectFailure('ambiguous-operation', () =>
      getOperation(
        Object.assign(Object.create(null) as typeof reader, {
          operationLog: () => ({ latest: 2, dropped: { operation: 0, id: '' }, commits: 2 }),
          operations: async function* (range: OperationRange) {
            for await (const one of reader.operations(range)) yield { ...one, id: ids[one.number - 1] }
          },
        }),
        'abcd',
      ),
    ),
  )
  expect(message).toBe(
    "'abcd' is ambiguous: several operations have ids that begin with it (2 is abcd2000, 1 is abcd1000)",
  )
})

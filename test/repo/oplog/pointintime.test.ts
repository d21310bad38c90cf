import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { RefName } from '../../../src/model/refname.ts'
import type { Repo } from '../../../src/repo/repo.ts'
import { runs } from '../../support/amount.ts'
import { expectFailure } from '../../support/errors.ts'
import { openRepo } from '../../support/store.ts'

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

import { expect, it } from 'vitest'
import type { Reversal } from '../../../src/model/operation.ts'
import type { RefName } from '../../../src/model/refname.ts'
import { isByPerson, isUndoOrRedo, undoStateOf, undoStates } from '../../../src/repo/oplog/undo.ts'
import type { Repo } from '../../../src/repo/repo.ts'
import { openRepo } from '../../support/store.ts'

/** Writes an operation that turns another one, or none. */
const write = (repo: Repo, kind?: Reversal['kind'], operation = 0): Promise<void> =>
  repo.write({}, async ({ reader, move, reversal: turn }) => {
    const now = await reader.ref('a' as RefName)
    move('a' as RefName, now, Number(now ?? 0) + 1)
    if (kind) turn({ kind, operation })
  })

const told = (repo: Repo): Promise<[number, number | undefined][]> =>
  repo.read(async (reader) => {
    const all: [number, number | undefined][] = []
    for await (const { operation, undoneBy } of undoStates(reader)) all.push([operation.number, undoneBy])
    return all.reverse()
  })

it('determines by the last undo or redo whether an operation is undone', async () => {
  const repo = await openRepo()
  await write(repo)
  await write(repo)
  await write(repo, 'undo', 2)
  expect(await told(repo)).toEqual([
    [1, undefined],
    [2, 3],
    [3, undefined],
  ])
  await write(repo, 'redo', 2)
  await write(repo, 'undo', 1)
  await write(repo, 'undo', 2)
  expect(await told(repo)).toEqual([
    [1, 5],
    [2, 6],
    [3, 4],
    [4, 6],
    [5, undefined],
    [6, undefined],
  ])
})

it('treats a restore as an ordinary operation', async () => {
  const repo = await openRepo(undefined, { command: 'sess op restore 0', actor: 'person' })
  await write(repo, 'restore', 0)
  await write(repo, 'undo', 1)
  const [restored, undone] = await repo.read(async (reader) =>
    Promise.all([1, 2].map(async (number) => undoStateOf(reader, (await reader.operation(number))!))),
  )
  expect([restored?.undoneBy, undone?.undoneBy]).toEqual([2, undefined])
  expect([isUndoOrRedo(restored!.operation), isUndoOrRedo(undone!.operation)]).toEqual([false, true])
  expect(isByPerson(restored!.operation)).toBe(true)
})

import { expect } from 'vitest'
import type { Json } from '../../src/model/json.ts'
import { fsck } from '../../src/ops/fsck/fsck.ts'
import { Repo } from '../../src/repo/repo.ts'

/** Expects of a store that it is whole: the newest operation is not before one, and all of them together tell the refs. */
export async function expectWhole(dir: string, acknowledged: number): Promise<void> {
  const repo = await Repo.open(dir, { create: acknowledged === 0 })
  try {
    const { last, told, held } = await refsOf(repo)
    expect(last).toBeGreaterThanOrEqual(acknowledged)
    expect(held).toEqual(told)
    expect((await fsck(repo)).findings).toEqual([])
  } finally {
    await repo.close()
  }
}

/** The newest operation, and refs. */
interface Told {
  readonly last: number
  readonly told: ReadonlyMap<string, Json | undefined>
  readonly held: ReadonlyMap<string, Json | undefined>
}

/** Returns the newest operation, the refs as all operations together tell them, and as they are. */
export const refsOf = (repo: Repo): Promise<Told> =>
  repo.read(async (reader) => {
    const [told, held] = [new Map<string, Json>(), new Map<string, Json>()]
    const last = (await reader.operationLog()).latest
    for (let number = 1; number <= last; number++)
      for (const { name, new: value } of (await reader.operation(number))?.moves ?? [])
        if (value === undefined) told.delete(name)
        else told.set(name, value)
    for await (const [name, value] of reader.refs('')) held.set(name, value)
    return { last, told, held }
  })

/** Returns the newest operation, the refs as the newest so many tell them, and as they are: of one moment. */
export const lately = (repo: Repo, operations: number): Promise<Told> =>
  repo.read(async (reader) => {
    const [told, held] = [new Map<string, Json | undefined>(), new Map<string, Json | undefined>()]
    const last = (await reader.operationLog()).latest
    for (let number = last; number > Math.max(0, last - operations); number--)
      for (const { name, new: value } of (await reader.operation(number))?.moves ?? []) {
        if (told.has(name)) continue
        told.set(name, value)
        held.set(name, await reader.ref(name))
      }
    return { last, told, held }
  })

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import type { Oid } from '../../../src/model/encoding/oid.ts'
import { append, createSession } from '../../../src/ops/append/append.ts'
import type { Snapshot } from '../../../src/storage/directory/snapshot.ts'
import { newFolder } from '../../support/folder.ts'
import { openRepo } from '../../support/store.ts'

afterEach(() => {
  vi.resetModules()
})

/** Returns the module as a thread of its own would load it. */
async function anew(): Promise<typeof Snapshot> {
  vi.resetModules()
  return (await import('../../../src/storage/directory/snapshot.ts')).Snapshot
}

it('is a folder of its own for each thread of a process, and for each copy that one makes', async () => {
  const dir = join(newFolder(), 'store')
  const repo = await openRepo(dir)
  const [oid] = await append(repo, await createSession(repo), [{ body: { role: 'user', content: 'hello' } }])
  const one = await anew()
  const other = await anew()
  const copies = await Promise.all([one.take(dir), other.take(dir), other.take(dir)])
  expect(readdirSync(dir).filter((name) => name.startsWith('snapshot.'))).toHaveLength(3)
  for (const copy of copies) {
    expect(copy.backend.find(oid as Oid)).toBe(0)
    await copy.close()
  }
  expect(readdirSync(dir).filter((name) => name.startsWith('snapshot.'))).toEqual([])
})

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { beginStore, STORE_FORMAT } from '../../src/storage/directory/identity.ts'
import { openDatabase } from '../../src/storage/leveldb/database.ts'
import { conformance, type Trial } from './index.ts'

const holder = { pid: process.pid, command: 'conformance', since: '2026-01-01T00:00:00.000Z' }

async function open(): Promise<Trial> {
  const dir = await mkdtemp(join(tmpdir(), 'sess-level-'))
  let backend = await openDatabase(dir, { create: true, lockTimeout: 0, holder })
  beginStore(dir, { format: STORE_FORMAT, id: '0'.repeat(32), created: '2026-01-01T00:00:00.000Z' })
  return {
    backend,
    async reopen() {
      await backend.close()
      backend = await openDatabase(dir, { lockTimeout: 0, holder })
      return backend
    },
    async close() {
      await backend.close()
      await rm(dir, { recursive: true })
    },
  }
}

describe('the laws of backends, on LevelDB', () => {
  const laws = conformance(open)
  it.each(laws.map(({ name, run }) => [name, run] as const))('%s', async (_, run) => {
    expect(await run()).toBe(true)
  })
})

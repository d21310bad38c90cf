import { MemoryLevel } from 'memory-level'
import { describe, expect, it } from 'vitest'
import { LevelBackend } from '../../src/storage/levelbackend/levelbackend.ts'
import { conformance, type Trial } from './index.ts'

async function open(): Promise<Trial> {
  const level = new MemoryLevel<Uint8Array, Uint8Array>({
    keyEncoding: 'view',
    valueEncoding: 'view',
    storeEncoding: 'view',
  })
  await level.open()
  const backend = new LevelBackend(level, { durable: false })
  return {
    backend,
    reopen: () => Promise.reject(new Error('a database in memory forgets')),
    close: () => backend.close(),
  }
}

const DURABLE = /when it is opened again$/

describe('the laws of backends, in memory', () => {
  const laws = conformance(open)
  it.each(laws.map(({ name, run }) => [name, run] as const))('%s', async (name, run) => {
    expect(await run()).toBe(!DURABLE.test(name))
  })
})

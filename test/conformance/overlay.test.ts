import { describe, expect, it } from 'vitest'
import { LevelBackend } from '../../src/storage/levelbackend/levelbackend.ts'
import { OverlayDatabase } from '../../src/storage/leveldb/overlay.ts'
import { memory } from '../support/memory.ts'
import { conformance, type Trial } from './index.ts'

async function open(): Promise<Trial> {
  const backend = new LevelBackend(new OverlayDatabase(await memory(), await memory()), { durable: false })
  return {
    backend,
    reopen: () => Promise.reject(new Error('what lies above is forgotten')),
    close: () => backend.close(),
  }
}

const DURABLE = /when it is opened again$/

describe('the laws of backends, over a database that stays as it is', () => {
  const laws = conformance(open)
  it.each(laws.map(({ name, run }) => [name, run] as const))('%s', async (name, run) => {
    expect(await run()).toBe(!DURABLE.test(name))
  })
})

import { describe, expect, it } from 'vitest'
import { type Backend, conformance, type Trial } from './index.ts'
import { simpleBackend } from './simplebackend.ts'

function open(): Promise<Trial> {
  const backend: Backend = simpleBackend()
  return Promise.resolve({
    backend,
    reopen: () => Promise.reject(new Error('a backend of maps is not durable')),
    close: () => backend.close(),
  })
}

const DURABLE = /when it is opened again$/

describe('the laws of backends, on maps and arrays', () => {
  const laws = conformance(open)
  it.each(laws.map(({ name, run }) => [name, run] as const))('%s', async (name, run) => {
    expect(await run()).toBe(!DURABLE.test(name))
  })
})

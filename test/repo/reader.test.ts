import { expect, it } from 'vitest'
import { pointInTimeFinder } from '../../src/repo/oplog/operationat.ts'
import { CallReaders, type Reader, ReaderCache } from '../../src/repo/reader.ts'
import type { Backend } from '../../src/storage/backend.ts'
import { openRepo, quietEnv } from '../support/store.ts'

/** Returns a reader of which the refs cannot be read the first time. */
const failingOnce = (reader: Reader): Backend => {
  let reads = 0
  return new Proxy(reader as Backend, {
    get: (target, key) => {
      if (key === 'refs' || key === 'operations')
        return (...args: readonly unknown[]): unknown => {
          if (reads++ === 0) throw new Error('EIO: i/o error, read')
          return Reflect.apply(Reflect.get(target, key) as () => unknown, target, args)
        }
      const value: unknown = Reflect.get(target, key)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
}

it.each([
  ['grafts', undefined],
  ['operations since', '1'],
])('reads the %s again where they could not be read', async (_, operation) => {
  const repo = await openRepo()
  for (const value of [1, 2])
    await repo.write({}, async ({ reader, move }) =>
      move('a' as never, await reader.ref('a' as never), value),
    )
  await repo.read(
    async (reader) => {
      const readers = new CallReaders(new ReaderCache(), pointInTimeFinder(operation, quietEnv()))
      const failing = failingOnce(reader)
      const look = async (): Promise<unknown> =>
        (await readers.of(failing, { plain: operation !== undefined })).ref('a' as never)
      await expect(look()).rejects.toThrow('EIO')
      expect(await look()).toBe(operation === undefined ? 2 : 1)
    },
    { plain: true },
  )
})

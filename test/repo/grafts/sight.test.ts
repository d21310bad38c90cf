import { expect, it } from 'vitest'
import type { Backend } from '../../../src/repo/backend.ts'
import { Sight } from '../../../src/repo/grafts/sight.ts'
import { lookingBack } from '../../../src/repo/past/past.ts'
import { openRepo, quietEnv } from '../../support/store.ts'

/** Gives a backend of which the refs cannot be read the first time. */
const failingOnce = (backend: Backend): Backend => {
  let reads = 0
  return new Proxy(backend, {
    get: (target, key) => {
      if (key === 'refs' || key === 'operation')
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
    await repo.write({}, async ({ backend, move }) =>
      move('a' as never, await backend.ref('a' as never), value),
    )
  await repo.read(
    async (backend) => {
      const sight = new Sight(lookingBack(operation, quietEnv()))
      const failing = failingOnce(backend)
      const look = async (): Promise<unknown> =>
        (await sight.of(failing, { plain: operation !== undefined })).ref('a' as never)
      await expect(look()).rejects.toThrow('EIO')
      expect(await look()).toBe(operation === undefined ? 2 : 1)
    },
    { plain: true },
  )
})

import fc from 'fast-check'
import { expect, it } from 'vitest'
import type {
  KeyChange,
  KeyCursor,
  KeyValue,
  KeyValueDatabase,
} from '../../../src/storage/levelbackend/keyvalue.ts'
import { OverlayDatabase } from '../../../src/storage/leveldb/overlay.ts'
import { memory } from '../../support/memory.ts'

async function all<T>(walk: KeyCursor<T>, size: number): Promise<T[]> {
  const found: T[] = []
  for (let some = await walk.nextv(size); some.length > 0; some = await walk.nextv(size)) found.push(...some)
  await walk.close()
  return found
}

const plain = (pairs: readonly KeyValue[]): [number, number][] =>
  pairs.map(([key, value]) => [key[0]!, value[0] ?? -1])

const changes = fc.array(fc.record({ key: fc.nat(20), value: fc.option(fc.nat(255)), above: fc.boolean() }), {
  maxLength: 60,
})

it('is the two databases as one, and leaves the lower one as it was', async () => {
  await fc.assert(
    fc.asyncProperty(
      changes,
      fc.nat(20),
      fc.nat(20),
      fc.boolean(),
      fc.integer({ min: 1, max: 7 }),
      async (steps, from, to, reverse, size) => {
        const below: KeyValueDatabase = await memory()
        const overlay = new OverlayDatabase(below, await memory())
        const model = new Map<number, number>()
        const lower = new Map<number, number>()
        for (const { key, value, above } of [...steps].sort((a, b) => Number(a.above) - Number(b.above))) {
          const change: KeyChange =
            value === null
              ? { type: 'del', key: Uint8Array.of(key) }
              : { type: 'put', key: Uint8Array.of(key), value: Uint8Array.of(value) }
          await (above ? overlay : below).batch([change], { sync: true })
          for (const map of above ? [model] : [model, lower])
            if (value === null) map.delete(key)
            else map.set(key, value)
        }
        const inside = (map: ReadonlyMap<number, number>): [number, number][] => {
          const sorted = [...map].filter(([key]) => key >= from && key < to).sort(([a], [b]) => a - b)
          return reverse ? sorted.reverse() : sorted
        }
        const range = { gte: Uint8Array.of(from), lt: Uint8Array.of(to), reverse }
        expect(plain(await all(overlay.iterator(range), size))).toEqual(inside(model))
        expect((await all(overlay.keys(range), size)).map((key) => key[0])).toEqual(
          inside(model).map(([key]) => key),
        )
        for (let key = 0; key <= 20; key++)
          expect(overlay.getSync(Uint8Array.of(key))?.[0]).toBe(model.get(key))
        expect(plain(await all(below.iterator(range), size))).toEqual(inside(lower))
        await overlay.close()
      },
    ),
  )
})

it('holds empty values', async () => {
  const overlay = new OverlayDatabase(await memory(), await memory())
  await overlay.batch([{ type: 'put', key: Uint8Array.of(1), value: new Uint8Array(0) }])
  expect(overlay.getSync(Uint8Array.of(1))).toHaveLength(0)
  await overlay.close()
})

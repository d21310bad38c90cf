import { describe, expect, it } from 'vitest'
import { SessError } from '../../../src/model/errors.ts'
import type { Key } from '../../../src/storage/levelbackend/keys.ts'
import type { KeyValueDatabase } from '../../../src/storage/levelbackend/keyvalue.ts'
import { KeyValueStore } from '../../../src/storage/levelbackend/keyvaluestore.ts'
import { expectFailure } from '../../support/errors.ts'
import { memory } from '../../support/memory.ts'

const utf8 = new TextEncoder()
const key = (name: string): Key => utf8.encode(name)
const text = (value: Uint8Array | undefined): string | undefined =>
  value === undefined ? undefined : Buffer.from(value).toString()

/** A database in memory whose batches wait until they are let through. */
async function newTable(confirm: () => void = () => undefined) {
  const level = await memory()
  const batches: { keys: string[]; sync: unknown; pass(): void; fail(error: unknown): void }[] = []
  const held = Object.create(level) as KeyValueDatabase
  held.getSync = (name: Key) => level.getSync(name)
  held.batch = async (operations: readonly { key: Key }[], options: { sync: unknown }) => {
    await new Promise<void>((pass, fail) => {
      batches.push({ keys: operations.map((o) => text(o.key)!), sync: options.sync, pass, fail })
    })
    await level.batch(operations as never, options as never)
  }
  held.iterator = (options: object) => level.iterator(options)
  held.keys = (options: object) => level.keys(options)
  return { level, batches, store: new KeyValueStore(held, confirm) }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

async function settled(promise: Promise<unknown>): Promise<boolean> {
  let done = false
  const mark = (): void => {
    done = true
  }
  promise.then(mark, mark)
  await turn()
  return done
}

describe('Table', () => {
  it('changes what stands in its place, and what waits to go there', async () => {
    const { store, batches, level } = await newTable()
    await level.put(key('a'), key('1'))
    const more = (value: Uint8Array | undefined): Uint8Array => key(`${text(value) ?? 'none'}+`)
    for (const name of ['a', 'a', 'b']) store.change(key(name), more)
    expect([text(store.get(key('a'))), text(store.get(key('b')))]).toEqual(['1++', 'none+'])
    const commit = store.commit()
    store.change(key('a'), more)
    batches[0]?.pass()
    await commit
    expect([text(level.getSync(key('a'))), text(store.get(key('a')))]).toEqual(['1++', '1+++'])
  })

  it('shows what was put at once, and what was removed no more', async () => {
    const { store, batches, level } = await newTable()
    await level.put(key('old'), key('0'))
    store.put(key('a'), key('1'))
    store.put(key('old'), undefined)
    expect([text(store.get(key('a'))), store.get(key('old')), store.get(key('b'))]).toEqual([
      '1',
      undefined,
      undefined,
    ])
    const commit = store.commit()
    // While one group is written, what is put behind it is seen first.
    expect(text(store.get(key('a')))).toBe('1')
    store.put(key('a'), key('2'))
    store.put(key('old'), key('3'))
    expect([text(store.get(key('a'))), text(store.get(key('old')))]).toEqual(['2', '3'])
    await turn()
    batches[0]!.pass()
    await commit
    expect(text(await level.get(key('a')))).toBe('1')
    expect([text(store.get(key('a'))), text(store.get(key('old')))]).toEqual(['2', '3'])
  })

  it('writes in groups, each in one synced batch', async () => {
    const { store, batches } = await newTable()
    const put = (name: string): Promise<void> => {
      store.put(key(name), key(name))
      return store.commit()
    }
    const first = put('a')
    await turn()
    const rest = [put('b'), put('c'), put('d')]
    expect(store.writes.pendingBytes).toBe(8)
    expect(await settled(first)).toBe(false)
    batches[0]!.pass()
    await first
    expect(await settled(rest[0]!)).toBe(false)
    batches[1]!.pass()
    await Promise.all(rest)
    expect(batches.map(({ keys, sync }) => [keys, sync])).toEqual([
      [['a'], true],
      [['b', 'c', 'd'], true],
    ])
    expect(store.writes.pendingBytes).toBe(0)
  })

  it('scans what was put before, in order and the other way round', async () => {
    const { store, level } = await newTable()
    for (let i = 0; i < 1000; i++) await level.put(key(`p${String(i).padStart(4, '0')}`), key(`${i}`))
    await level.put(key('q'), key('behind'))
    store.put(key('p0500'), undefined)
    store.put(key('p9999'), key('new'))
    const scan = async (reverse: boolean): Promise<string[]> => {
      const found: string[] = []
      for await (const [, value] of store.scan(key('p'), reverse)) found.push(text(value)!)
      return found
    }
    const expected = [...Array.from({ length: 1000 }, (_, i) => `${i}`).filter((i) => i !== '500'), 'new']
    expect(await scan(false)).toEqual(expected)
    expect(await scan(true)).toEqual(expected.toReversed())
    const keys: string[] = []
    for await (const found of store.keys(key('p0998'), key('q'))) keys.push(text(found)!)
    expect(keys).toEqual(['p0998', 'p0999', 'p9999'])
  })

  it('writes and acknowledges nothing more after a failure', async () => {
    const { store, batches, level } = await newTable()
    store.put(key('a'), key('1'))
    const lost = store.commit()
    await turn()
    store.put(key('b'), key('2'))
    const behind = store.commit()
    batches[0]!.fail(new Error('IO error: No space left on device'))
    await expectFailure('no-space', () => lost)
    await expectFailure('no-space', () => behind)
    expect(store.writes.failed).toBe(true)
    await expectFailure('no-space', () => store.put(key('c'), key('3')))
    await expectFailure('no-space', () => store.commit())
    await expectFailure('no-space', () => store.get(key('a')))
    await expectFailure('no-space', () => store.addCommit(key('e'), []))
    expect(batches.length).toBe(1)
    expect(await level.get(key('a'))).toBeUndefined()
  })

  it('shows of what is laid out beside each other what was laid out last', async () => {
    const { store } = await newTable()
    const [first, second] = [store.writes.stage(), store.writes.stage()]
    store.stagePut(first, key('a'), key('1'))
    store.stagePut(second, key('a'), key('2'))
    expect(text(store.get(key('a')))).toBe('2')
    store.writes.unstage(second)
    expect(text(store.get(key('a')))).toBe('1')
  })

  it('does not know the outcome of a write that ended in an I/O error', async () => {
    const { store, batches } = await newTable()
    store.put(key('a'), key('1'))
    const lost = store.commit()
    await turn()
    batches[0]!.fail(new Error('IO error', { cause: new Error('Input/output error') }))
    const { message } = await expectFailure('uncertain', () => lost)
    expect(message).toContain('IO error Input/output error')
    await expectFailure('cannot-write', () => store.commit())
  })

  it('acknowledges nothing where it may no longer write', async () => {
    let taken = false
    const { store, batches } = await newTable(() => {
      if (taken) throw new SessError('fenced', '/store')
    })
    store.put(key('a'), key('1'))
    const commit = store.commit()
    await turn()
    taken = true
    batches[0]!.pass()
    await expectFailure('fenced', () => commit)
    await expectFailure('fenced', () => store.get(key('a')))
  })
})

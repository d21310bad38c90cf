import { describe, expect, it } from 'vitest'
import { SessError } from '../../../src/model/errors.ts'
import type { Key } from '../../../src/storage/level/keys.ts'
import type { Level } from '../../../src/storage/level/keyvalue.ts'
import { Table } from '../../../src/storage/level/keyvaluestore.ts'
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
  const held = Object.create(level) as Level
  held.getSync = (name: Key) => level.getSync(name)
  held.batch = async (operations: readonly { key: Key }[], options: { sync: unknown }) => {
    await new Promise<void>((pass, fail) => {
      batches.push({ keys: operations.map((o) => text(o.key)!), sync: options.sync, pass, fail })
    })
    await level.batch(operations as never, options as never)
  }
  held.iterator = (options: object) => level.iterator(options)
  held.keys = (options: object) => level.keys(options)
  return { level, batches, table: new Table(held, confirm) }
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
    const { table, batches, level } = await newTable()
    await level.put(key('a'), key('1'))
    const more = (value: Uint8Array | undefined): Uint8Array => key(`${text(value) ?? 'none'}+`)
    for (const name of ['a', 'a', 'b']) table.change(key(name), more)
    expect([text(table.get(key('a'))), text(table.get(key('b')))]).toEqual(['1++', 'none+'])
    const commit = table.commit()
    table.change(key('a'), more)
    batches[0]?.pass()
    await commit
    expect([text(level.getSync(key('a'))), text(table.get(key('a')))]).toEqual(['1++', '1+++'])
  })

  it('shows what was put at once, and what was removed no more', async () => {
    const { table, batches, level } = await newTable()
    await level.put(key('old'), key('0'))
    table.put(key('a'), key('1'))
    table.put(key('old'), undefined)
    expect([text(table.get(key('a'))), table.get(key('old')), table.get(key('b'))]).toEqual([
      '1',
      undefined,
      undefined,
    ])
    const commit = table.commit()
    // While one group is written, what is put behind it is seen first.
    expect(text(table.get(key('a')))).toBe('1')
    table.put(key('a'), key('2'))
    table.put(key('old'), key('3'))
    expect([text(table.get(key('a'))), text(table.get(key('old')))]).toEqual(['2', '3'])
    await turn()
    batches[0]!.pass()
    await commit
    expect(text(await level.get(key('a')))).toBe('1')
    expect([text(table.get(key('a'))), text(table.get(key('old')))]).toEqual(['2', '3'])
  })

  it('writes in groups, each in one synced batch', async () => {
    const { table, batches } = await newTable()
    const put = (name: string): Promise<void> => {
      table.put(key(name), key(name))
      return table.commit()
    }
    const first = put('a')
    await turn()
    const rest = [put('b'), put('c'), put('d')]
    expect(table.pending).toBe(8)
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
    expect(table.pending).toBe(0)
  })

  it('scans what was put before, in order and the other way round', async () => {
    const { table, level } = await newTable()
    for (let i = 0; i < 1000; i++) await level.put(key(`p${String(i).padStart(4, '0')}`), key(`${i}`))
    await level.put(key('q'), key('behind'))
    table.put(key('p0500'), undefined)
    table.put(key('p9999'), key('new'))
    const scan = async (reverse: boolean): Promise<string[]> => {
      const found: string[] = []
      for await (const [, value] of table.scan(key('p'), reverse)) found.push(text(value)!)
      return found
    }
    const expected = [...Array.from({ length: 1000 }, (_, i) => `${i}`).filter((i) => i !== '500'), 'new']
    expect(await scan(false)).toEqual(expected)
    expect(await scan(true)).toEqual(expected.toReversed())
    const keys: string[] = []
    for await (const found of table.keys(key('p0998'), key('q'))) keys.push(text(found)!)
    expect(keys).toEqual(['p0998', 'p0999', 'p9999'])
  })

  it('writes and acknowledges nothing more after a failure', async () => {
    const { table, batches, level } = await newTable()
    table.put(key('a'), key('1'))
    const lost = table.commit()
    await turn()
    table.put(key('b'), key('2'))
    const behind = table.commit()
    batches[0]!.fail(new Error('IO error: No space left on device'))
    await expectFailure('no-space', () => lost)
    await expectFailure('no-space', () => behind)
    expect(table.failed).toBe(true)
    await expectFailure('no-space', () => table.put(key('c'), key('3')))
    await expectFailure('no-space', () => table.commit())
    await expectFailure('no-space', () => table.get(key('a')))
    await expectFailure('no-space', () => table.enter(key('e'), []))
    expect(batches.length).toBe(1)
    expect(await level.get(key('a'))).toBeUndefined()
  })

  it('shows of what is laid out beside each other what was laid out last', async () => {
    const { table } = await newTable()
    const [first, second] = [table.layOut(), table.layOut()]
    table.lay(first, key('a'), key('1'))
    table.lay(second, key('a'), key('2'))
    expect(text(table.get(key('a')))).toBe('2')
    table.forget(second)
    expect(text(table.get(key('a')))).toBe('1')
  })

  it('does not know the outcome of a write that ended in an I/O error', async () => {
    const { table, batches } = await newTable()
    table.put(key('a'), key('1'))
    const lost = table.commit()
    await turn()
    batches[0]!.fail(new Error('IO error', { cause: new Error('Input/output error') }))
    const { message } = await expectFailure('uncertain', () => lost)
    expect(message).toContain('IO error Input/output error')
    await expectFailure('cannot-write', () => table.commit())
  })

  it('acknowledges nothing where it may no longer write', async () => {
    let taken = false
    const { table, batches } = await newTable(() => {
      if (taken) throw new SessError('fenced', '/store')
    })
    table.put(key('a'), key('1'))
    const commit = table.commit()
    await turn()
    taken = true
    batches[0]!.pass()
    await expectFailure('fenced', () => commit)
    await expectFailure('fenced', () => table.get(key('a')))
  })
})

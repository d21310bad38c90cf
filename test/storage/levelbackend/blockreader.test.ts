import { describe, expect, it } from 'vitest'
import { addChecksum } from '../../../src/storage/checksum.ts'
import { encodeItems } from '../../../src/storage/levelbackend/block.ts'
import { BlockReader } from '../../../src/storage/levelbackend/blockreader.ts'
import { compress } from '../../../src/storage/levelbackend/compression.ts'
import { blockKey } from '../../../src/storage/levelbackend/keys.ts'
import type { KeyValueStore } from '../../../src/storage/levelbackend/keyvaluestore.ts'
import { expectFailure } from '../../support/errors.ts'

const LAST = 3999
const text = (i: number): string => [...new Array(40).keys()].map((k) => (i * (k + 7) ** 3) % 9973).join(' ')
const packed = await compress(
  encodeItems(Array.from({ length: LAST + 1 }, (_, i) => Buffer.from(text(i)))),
  5,
)

/** Returns a block of many items, and how often it was read. */
function oneBlock(): { readonly blocks: BlockReader; readonly reads: () => number } {
  const key = blockKey(7)
  let reads = 0
  const get = (): Uint8Array => {
    reads++
    return addChecksum(key, packed)
  }
  return { blocks: new BlockReader({ get } as unknown as KeyValueStore), reads: () => reads }
}

const textAt = (blocks: BlockReader, i: number): string => Buffer.from(blocks.item(7, i)).toString()

describe('blocks', () => {
  it('are unpacked as far as an item that is asked for, and whole once another is asked for', () => {
    const { blocks, reads } = oneBlock()
    const asked = [1000, 3, 999, LAST, 1000, 2000]
    expect(asked.map((i) => textAt(blocks, i))).toEqual(asked.map(text))
    expect(reads()).toBe(2)
  })

  it('are unpacked once where what is asked for first stands at the end', () => {
    const { blocks, reads } = oneBlock()
    for (const i of [LAST, 0, 2000]) expect(textAt(blocks, i)).toBe(text(i))
    expect(reads()).toBe(1)
  })

  it('are fetched whole, whatever of them was read', async () => {
    const { blocks, reads } = oneBlock()
    expect(textAt(blocks, 0)).toBe(text(0))
    const found = (await blocks.prefetch(new Map([[7, undefined]]))).get(7)
    expect(found?.length).toBe(LAST + 1)
    expect(textAt(blocks, LAST)).toBe(text(LAST))
    expect(reads()).toBe(2)
  })

  it('have no items beside their own', async () => {
    const { blocks } = oneBlock()
    await expectFailure('corrupt', () => blocks.item(7, LAST + 1))
    expect(textAt(blocks, 0)).toBe(text(0))
    await expectFailure('corrupt', () => blocks.item(7, LAST + 1))
  })
})

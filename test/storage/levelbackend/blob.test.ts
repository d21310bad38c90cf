import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BlobRef, encode } from '../../../src/model/encoding/canonical.ts'
import { Verbatim } from '../../../src/model/encoding/verbatim.ts'
import type { Json } from '../../../src/model/json.ts'
import {
  BLOB_CHARS,
  blocksReferenced,
  decodeBytesBlob,
  decodeTextBlob,
  encodeBytesBlob,
  encodeTextBlob,
  restore,
  restoreBytes,
  spill,
} from '../../../src/storage/levelbackend/blob.ts'
import { ANY_CHARACTER } from '../../support/characters.ts'
import { hexOf } from '../../support/json.ts'

/** Texts as JSON can hold them: no half surrogate pairs, which are kept verbatim elsewhere. */
const anyText = fc.string({ unit: ANY_CHARACTER })
const anyBytes = fc.uint8Array({ maxLength: 200 })
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

function expectSame(text: string): void {
  expect(decodeTextBlob(encodeTextBlob(text))).toBe(text)
}

describe('encodeTextBlob', () => {
  it('is undone by decodeTextBlob', () => {
    fc.assert(fc.property(anyText, expectSame))
    fc.assert(fc.property(anyBytes, (bytes) => expectSame(base64(bytes))))
    fc.assert(
      fc.property(anyBytes, anyText, (bytes, type) => expectSame(`data:${type};base64,${base64(bytes)}`)),
    )
    for (const text of [
      '',
      '=',
      '====',
      'AA==',
      'AB==',
      'AAA',
      'AAAA\n',
      ' AAAA',
      'A-_A',
      '\ufeffAAAA',
      'data:;base64,AAAA',
      'data:a;base64,',
      'data:a;base64,AB==',
      'data:image/png;base64,AAAA',
    ])
      expectSame(text)
  })

  it('keeps base64 and data URLs decoded, and tells texts apart', () => {
    const image = base64(new Uint8Array(3000).fill(200))
    expect(encodeTextBlob(image).length).toBe(3001)
    expect(encodeTextBlob(`data:image/png;base64,${image}`).length).toBe(
      3002 + 'data:image/png;base64,'.length,
    )
    const contents = ['AAAA', 'data:a/b;base64,AAAA', '\0\0\0'].map((text) => base64(encodeTextBlob(text)))
    contents.push(base64(encodeBytesBlob(new Uint8Array(3))))
    expect(new Set(contents).size).toBe(4)
  })

  it('keeps the head of a data URL of any legal length', () => {
    expectSame(`data:${'x'.repeat(100)};base64,AAAA`)
    expectSame(`data:${'x'.repeat(101)};base64,AAAA`)
    expectSame(`data:${'x'.repeat(300)};base64,AAAA`)
  })
})

describe('contentOfBytes', () => {
  it('is undone by bytesOfContent', () => {
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        expect(decodeBytesBlob(encodeBytesBlob(bytes))).toEqual(bytes)
      }),
    )
  })
})

describe('spill', () => {
  const kept = (): { keep: (text: string) => BlobRef; texts: string[] } => {
    const texts: string[] = []
    return { texts, keep: (text) => new BlobRef(7, texts.push(text) - 1) }
  }

  it('is undone by restore, and its bytes by restoreBytes', () => {
    const anyLong = anyText.map((text) => text.repeat(1 + Math.ceil(BLOB_CHARS / (text.length + 1))))
    const { json } = fc.letrec<{ json: Json }>((tie) => ({
      json: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom<Json>(null, true, 0, new Verbatim('-0')),
        anyLong,
        anyText,
        fc.array(tie('json'), { maxLength: 4 }),
        fc.dictionary(fc.string(), tie('json'), { maxKeys: 4, noNullPrototype: true }),
      ),
    }))
    fc.assert(
      fc.property(json, (value) => {
        const { keep, texts } = kept()
        const stored = spill(value, keep)
        expect(restore(stored, (ref) => texts[ref.index]!)).toEqual(value)
        const bytes = restoreBytes(encode(stored), (ref) => encodeTextBlob(texts[ref.index]!))
        expect(hexOf(bytes)).toBe(hexOf(encode(value)))
      }),
    )
  })

  it('finds the references in bytes that look like one, among texts of any length', () => {
    const looksLikeOne = Buffer.from('40d99d8182070000', 'hex').readDoubleBE()
    for (const length of [BLOB_CHARS, 65_535, 65_536]) {
      const value = { n: looksLikeOne, text: 'x'.repeat(length), list: [1, { n: looksLikeOne }] }
      const { keep, texts } = kept()
      const bytes = restoreBytes(encode(spill(value, keep)), (ref) => encodeTextBlob(texts[ref.index]!))
      expect(hexOf(bytes)).toBe(hexOf(encode(value)))
    }
  })

  it('takes strings from a length on, and leaves what has none as it is', () => {
    const { keep, texts } = kept()
    const short = { a: ['x'.repeat(BLOB_CHARS - 1)] }
    expect(spill(short, keep)).toBe(short)
    const long = { b: short, a: ['y'.repeat(BLOB_CHARS)] }
    expect(spill(long, keep)).toEqual({ b: short, a: [new BlobRef(7, 0)] })
    expect(texts).toEqual(['y'.repeat(BLOB_CHARS)])
  })
})

describe('blocksNamed', () => {
  it('finds the blocks of all places, however many bytes tell their numbers', () => {
    const blocks = [0, 23, 24, 255, 256, 65_535, 65_536, 4_294_967_295]
    const stored = { list: blocks.map((block, i) => [new BlobRef(block, i), 'between']) }
    expect(blocksReferenced(encode(stored))).toEqual(blocks)
    expect(blocksReferenced(encode({ text: 'no place' }))).toEqual([])
  })

  it('leaves out what stands in no few bytes', () => {
    const place = encode(new BlobRef(256, 1))
    expect(blocksReferenced(encode(new BlobRef(2 ** 40, 1)))).toEqual([])
    for (let length = 0; length < 5; length++) expect(blocksReferenced(place.subarray(0, length))).toEqual([])
  })
})

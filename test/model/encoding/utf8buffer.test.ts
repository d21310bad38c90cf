import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { viewOf } from '../../../src/model/bytes.ts'
import { Utf8Buffer } from '../../../src/model/encoding/utf8buffer.ts'
import { runs } from '../../support/amount.ts'

const taken = (room: Utf8Buffer): string => Buffer.from(room.take()).toString()

/** Returns what a function adds, as text. */
function added(add: (room: Utf8Buffer) => void): string {
  const room = new Utf8Buffer()
  room.byte(60)
  add(room)
  room.byte(62)
  return taken(room).slice(1, -1)
}

/** Returns a text as JSON spells it, read from the middle of its bytes; undefined where these are none. */
function quotedOf(bytes: Uint8Array): string | undefined {
  const around = Buffer.concat([Buffer.from('é"'), bytes, Buffer.from('"\u0000')])
  let isText = false
  const text = added((room) => {
    isText = room.quotedAt(viewOf(around), 3, 3 + bytes.length)
  })
  return isText ? text : undefined
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function decoded(bytes: Uint8Array): string | undefined {
  try {
    return strict.decode(bytes)
  } catch {
    return undefined
  }
}

/** Texts in which any unit may stand beside any, in any place of four bytes. */
const anyText = fc.string({
  unit: fc.oneof(
    fc.constantFrom(...Array.from({ length: 130 }, (_, code) => String.fromCharCode(code))),
    fc.constantFrom('é', '\u2028', '\ufeff', '\ufffd', '😀', '\u{10ffff}', '\ud7ff', '\ue000'),
    fc.constant('plain words '),
  ),
  maxLength: 60,
})

describe('Utf8Buffer', () => {
  test('spells texts as JSON does', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(added((room) => room.text(text))).toBe(text)
        expect(quotedOf(Buffer.from(text))).toBe(JSON.stringify(text))
      }),
      { numRuns: runs(2000) },
    )
  })

  it.each([
    [
      'each character of one byte',
      Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)).join(''),
    ],
    ['plain letters', 'x'.repeat(300_000)],
    ['nothing but escapes', '\u0001'.repeat(300_000)],
    ['characters of several bytes where parts begin', 'aé€😀'.repeat(30_000)],
    ['the same, moved by one', `x${'aé€😀'.repeat(30_000)}`],
    ['one character behind many', `${'x'.repeat(4095)}😀`],
  ])('spells %s', (_, text) => {
    expect(added((room) => room.text(text))).toBe(text)
    expect(quotedOf(Buffer.from(text))).toBe(JSON.stringify(text))
  })

  it('writes half a surrogate pair as the replacement character', () => {
    for (const text of ['\ud83d', `${'x'.repeat(100)}\ude00`]) {
      expect(added((room) => room.text(text))).toBe(text.replace(/.$/, '\ufffd'))
    }
  })

  test('takes no bytes for text that are no UTF-8', () => {
    const unit = fc.oneof(
      fc.constantFrom(...[0x61, 0x7f, 0x80, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec]),
      fc.constantFrom(...[0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff, 0x8f, 0x90]),
    )
    const check = (bytes: Uint8Array): void => {
      const text = decoded(bytes)
      expect(quotedOf(bytes)).toBe(text === undefined ? undefined : JSON.stringify(text))
    }
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 5 }), (bytes) => check(Uint8Array.from(bytes))),
      { numRuns: runs(5000) },
    )
    fc.assert(fc.property(fc.uint8Array({ maxLength: 80 }), check))
    check(Buffer.concat([Buffer.alloc(4095, 'x'), Buffer.from('é').subarray(0, 1)]))
  })

  test('spells numbers as JSON does', () => {
    const check = (number: number): void => {
      expect(added((room) => room.number(number))).toBe(JSON.stringify(number))
    }
    fc.assert(fc.property(fc.double(), check))
    fc.assert(fc.property(fc.maxSafeInteger(), check))
    for (let ten = 1; ten < 1e25; ten *= 10) for (const more of [-1, 0, 1]) check(ten + more)
    for (const number of [0, -0, 2 ** 53 - 1, 2 ** 53, 2 ** 53 + 2, Number.NaN, -Infinity]) check(number)
  })

  it('adds bytes as they are, few and many', () => {
    const room = new Utf8Buffer()
    const pieces = [0, 1, 48, 49, 70_000, 1, 300_000].map((size, i) => new Uint8Array(size).fill(i))
    for (const piece of pieces) room.bytes(piece)
    expect(room.length).toBe(370_099)
    expect(Buffer.concat(pieces).equals(room.take())).toBe(true)
  })

  it('lends what was added where it stands, until something is added', () => {
    const room = new Utf8Buffer(64)
    for (const text of ['some', 'x'.repeat(200_000), 'more']) {
      room.text(text)
      const lent = room.lend()
      expect([Buffer.from(lent).toString(), room.length]).toEqual([text, 0])
    }
    room.text('once')
    const lent = room.lend()
    room.text('gone')
    expect(Buffer.from(lent).toString()).toBe('gone')
  })

  it('gives what stays as it is, whatever is added then', () => {
    const room = new Utf8Buffer()
    for (const size of [3, 200_000, 3]) {
      room.text('a'.repeat(size))
      const given = room.take()
      expect(room.length).toBe(0)
      room.text('b'.repeat(size))
      expect(Buffer.from(given).toString()).toBe('a'.repeat(size))
      expect(taken(room)).toBe('b'.repeat(size))
    }
  })
})

import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { Utf8Buffer } from '../../../src/model/encoding/utf8buffer.ts'
import { runs } from '../../support/amount.ts'

const taken = (room: Utf8Buffer): string => Buffer.from(room.take()).toString()

/** Returns what a function adds, as text. */
function added(add: (room: Utf8Buffer) => void): string {
  const room = new Utf8Buffer()
  room.text('<')
  add(room)
  room.text('>')
  return taken(room).slice(1, -1)
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
  test('writes any text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(added((room) => room.text(text))).toBe(text)
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
  ])('writes %s', (_, text) => {
    expect(added((room) => room.text(text))).toBe(text)
  })

  it('writes half a surrogate pair as the replacement character', () => {
    for (const text of ['\ud83d', `${'x'.repeat(100)}\ude00`]) {
      expect(added((room) => room.text(text))).toBe(text.replace(/.$/, '\ufffd'))
    }
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

import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { Utf8Buffer } from '../../../src/model/spelling/utf8buffer.ts'
import { runs } from '../../support/amount.ts'

const taken = (buffer: Utf8Buffer): string => Buffer.from(buffer.take()).toString()

/** Returns what a function adds, as text. */
function added(add: (buffer: Utf8Buffer) => void): string {
  const buffer = new Utf8Buffer()
  buffer.text('<')
  add(buffer)
  buffer.text('>')
  return taken(buffer).slice(1, -1)
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
        expect(added((buffer) => buffer.text(text))).toBe(text)
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
    expect(added((buffer) => buffer.text(text))).toBe(text)
  })

  it('writes half a surrogate pair as the replacement character', () => {
    for (const text of ['\ud83d', `${'x'.repeat(100)}\ude00`]) {
      expect(added((buffer) => buffer.text(text))).toBe(text.replace(/.$/, '\ufffd'))
    }
  })

  it('adds bytes as they are, few and many', () => {
    const buffer = new Utf8Buffer()
    const pieces = [0, 1, 48, 49, 70_000, 1, 300_000].map((size, i) => new Uint8Array(size).fill(i))
    for (const piece of pieces) buffer.bytes(piece)
    expect(buffer.length).toBe(370_099)
    expect(Buffer.concat(pieces).equals(buffer.take())).toBe(true)
  })

  it('lends what was added where it stands, until something is added', () => {
    const buffer = new Utf8Buffer(64)
    for (const text of ['some', 'x'.repeat(200_000), 'more']) {
      buffer.text(text)
      const lent = buffer.takeView()
      expect([Buffer.from(lent).toString(), buffer.length]).toEqual([text, 0])
    }
    buffer.text('once')
    const lent = buffer.takeView()
    buffer.text('gone')
    expect(Buffer.from(lent).toString()).toBe('gone')
  })

  it('gives what stays as it is, whatever is added then', () => {
    const buffer = new Utf8Buffer()
    for (const size of [3, 200_000, 3]) {
      buffer.text('a'.repeat(size))
      const given = buffer.take()
      expect(buffer.length).toBe(0)
      buffer.text('b'.repeat(size))
      expect(Buffer.from(given).toString()).toBe('a'.repeat(size))
      expect(taken(buffer)).toBe('b'.repeat(size))
    }
  })

  test('writes any text as a JSON string', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const utf8 = Buffer.from(`${text}"`)
        const view = new DataView(utf8.buffer, utf8.byteOffset, utf8.length)
        expect(added((buffer) => buffer.jsonString(view, 0, utf8.length - 1))).toBe(JSON.stringify(text))
      }),
      { numRuns: runs(2000) },
    )
  })

  it('is as before what it is cut to', () => {
    const buffer = new Utf8Buffer(4)
    buffer.text('kept')
    const { length } = buffer
    buffer.text('not kept')
    buffer.cut(length)
    buffer.byte(0x21)
    expect(taken(buffer)).toBe('kept!')
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Eraser, placeholder } from '../../src/model/expunged.ts'
import { encoded, meanings, spelled, withoutEncoded } from '../../src/model/spelled.ts'

const SECRET = 'wJalr/XUtn"FEMI\\K7\nMDENG+bPxé'

/** Ways in which programs write a text. */
const WAYS: Readonly<Record<string, (text: string) => string>> = {
  'as it is': (text) => text,
  'in JSON': (text) => JSON.stringify(text),
  'in JSON within JSON': (text) => JSON.stringify(JSON.stringify(text)),
  'three times': (text) => JSON.stringify(JSON.stringify(JSON.stringify(text))),
  'with slashes escaped': (text) => JSON.stringify(text).replaceAll('/', '\\/'),
  'every unit escaped': (text) =>
    text.replace(/[\s\S]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`),
  'in capitals': (text) =>
    text.replace(/[\s\S]/g, (c) => `\\u${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`),
  'some of it escaped': (text) =>
    JSON.stringify(text).replace(/[aeXU]/g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`),
  'in an address': (text) => encodeURIComponent(text),
  'in base64': (text) => Buffer.from(text).toString('base64'),
  'behind one byte in base64': (text) => Buffer.from(`x${text}`).toString('base64'),
  'behind two bytes in base64': (text) => Buffer.from(`xy${text}, and so on`).toString('base64'),
  'in base64 for addresses': (text) => Buffer.from(`??${text}??>>`).toString('base64url'),
}

describe.each(Object.keys(WAYS))('a secret %s', (name) => {
  const way = WAYS[name] as (text: string) => string
  const eraser = new Eraser([['7f8dfb7e', SECRET]])

  it('is found and goes whole, also among bytes', () => {
    const text = `"before ${way(SECRET)} after"`
    expect(eraser.holds(text)).toBe(true)
    const clean = eraser.text(text)
    expect(clean).toContain(placeholder('7f8dfb7e'))
    for (const rest of [
      'FEMI',
      'MDENG',
      'XUtn',
      '\\u0046',
      Buffer.from('XUtn"FEMI').toString('base64').slice(2, 8),
    ])
      expect(clean).not.toContain(rest)
    expect([eraser.holds(clean), clean.startsWith('"before '), clean.endsWith(' after"')]).toEqual([
      false,
      true,
      true,
    ])
    expect(Buffer.from(eraser.bytes(Buffer.from(text))).toString()).toBe(clean)
  })

  it('is meant by the text that it stands in', () => {
    const all = [...meanings(`{"a": ${way(SECRET)} }`)]
    expect(all.some((meaning) => meaning.includes(SECRET))).toBe(true)
  })
})

it('leaves texts that hold no secret as they are', () => {
  const eraser = new Eraser([['7f8dfb7e', SECRET]])
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect([eraser.holds(text), eraser.text(text)]).toEqual([false, text])
    }),
  )
})

it('finds any secret in JSON, and takes it out of JSON that stays JSON', () => {
  const texts = fc.string({ unit: 'binary', maxLength: 8 })
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 6 }), texts, texts, (secret, before, after) => {
      fc.pre(!secret.includes('\\') && secret.isWellFormed())
      const eraser = new Eraser([['7f8dfb7e', secret]])
      const json = JSON.stringify({ [before]: before + secret + after })
      expect(eraser.holds(json)).toBe(true)
      expect(JSON.stringify(JSON.parse(eraser.text(json)))).toContain(placeholder('7f8dfb7e'))
    }),
  )
})

it('takes short ones for nothing that is encoded', () => {
  expect([encoded('secret'), encoded('secret12')?.test('c2VjcmV0MTI=')]).toEqual([undefined, true])
  expect(withoutEncoded('a b', /x/g, '-')).toBe('a b')
})

it('is quick on what is made to be slow', () => {
  const eraser = new Eraser([['7f8dfb7e', '"/\\"/\\"/\\end of it']])
  const hard = [
    '\\'.repeat(1 << 20),
    '"/'.repeat(1 << 19),
    '\\u0022'.repeat(1 << 17),
    'A'.repeat(1 << 20),
    '%5c'.repeat(1 << 18),
  ]
  const before = process.cpuUsage()
  for (const text of hard) expect([eraser.holds(text), [...meanings(text)].length > 0]).toEqual([false, true])
  expect(process.cpuUsage(before).user).toBeLessThan(20e6)
  expect(spelled('a').source).toContain('u0061')
})

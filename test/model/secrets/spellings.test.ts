import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Eraser, placeholder } from '../../../src/model/secrets/expunged.ts'
import { decodedTexts, normalSecret, Spellings } from '../../../src/model/secrets/spellings.ts'
import { ANY_CHARACTER } from '../../support/characters.ts'

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

const LINES = ['first line of it', 'Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4', 'last line of it']

/** Ways in which programs show a text of several lines. */
const SHOWN: Readonly<Record<string, string>> = {
  'with its lines joined': LINES.join(' '),
  'with other line breaks': LINES.join('\r\n'),
  'with lines that end in spaces, as aider shows them': LINES.map((line) => `#### ${line}`).join('  \n'),
  'quoted twice': LINES.map((line) => `> > ${line}`).join('\n'),
  'added by a diff': LINES.map((line) => `+${line}`).join('\n'),
  'with line numbers': LINES.map((line, i) => `${String(i + 9).padStart(6)}→${line}`).join('\n'),
  'with line numbers in JSON': JSON.stringify(LINES.map((line, i) => `${i + 9}\t${line}`).join('\n')),
  'indented in JSON within JSON': JSON.stringify(JSON.stringify(LINES.join('\n    '))),
  'with escaped line breaks in base64': Buffer.from(JSON.stringify(LINES.join('\n'))).toString('base64'),
}

it.each(Object.keys(SHOWN))('finds a secret of several lines %s', (name) => {
  const spellings = new Spellings([['it', LINES.join('\n')]])
  const text = `before: ${SHOWN[name]} after`
  const clean = spellings.replace(text, (id) => `<${id}>`)
  expect(clean).toMatch(/^before: ["#>+ \d→\\t]*<it>["\\]* after$/)
  expect([...decodedTexts(text)].some((meaning) => meaning.includes(normalSecret(LINES.join('\n'))))).toBe(
    true,
  )
})

it.each([
  ['as a part of a word', (secret: string) => `A${secret}Z`],
  [
    'in base64 whose slashes JSON escapes',
    (secret: string) => Buffer.from(`??>${secret}?>?`).toString('base64').replaceAll('/', '\\/'),
  ],
  [
    'in base64 in an address',
    (secret: string) => encodeURIComponent(Buffer.from(`>>?${secret}?>>`).toString('base64')),
  ],
  ['cut at the end', (secret: string) => secret.slice(0, 30)],
  ['cut at the end with an ellipsis', (secret: string) => `${secret.slice(0, 25)}…`],
] as const)('finds a secret %s', (_, spell) => {
  const secret = '>>>kQ9xLm7RtB2vNc5YwP8dHs4Gf6JbEkQ9xLm7?>?'
  const clean = new Spellings([['it', secret]]).replace(`before: ${spell(secret)}`, (id) => `<${id}>`)
  expect(clean).toMatch(/^before: A?<it>Z?$/)
})

it('leaves a short beginning of a secret, which others may share', () => {
  const spellings = new Spellings([['it', 'https://octocat:kQ9xLm7RtB2v@github.com']])
  for (const text of ['see https://', 'see https://octocat', 'https://github.com'])
    expect(spellings.find(text)).toEqual([])
})

it('reports overlapping secrets as one, and takes thousands of secrets in one pass', () => {
  const spellings = new Spellings([
    ['a', 'abcdefgh12345678'],
    ['b', '12345678ijklmnop'],
    ...Array.from({ length: 5000 }, (_, i) => [`${i}`, `ghp_${i}_the same beginning`] as const),
  ])
  expect(spellings.find('--abcdefgh12345678ijklmnop--')).toEqual([{ id: 'a', start: 2, end: 26 }])
  expect(spellings.find('ghp_4711_'.repeat(20_000))).toEqual([])
})

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
    const all = [...decodedTexts(`{"a": ${way(SECRET)} }`)]
    expect(all.some((meaning) => meaning.includes(normalSecret(SECRET)))).toBe(true)
  })
})

it('leaves texts that hold no secret as they are', () => {
  const eraser = new Eraser([['7f8dfb7e', SECRET]])
  fc.assert(
    fc.property(fc.string({ unit: ANY_CHARACTER }), (text) => {
      expect([eraser.holds(text), eraser.text(text)]).toEqual([false, text])
    }),
  )
})

it('finds any secret in JSON, and takes it out of JSON that stays JSON', () => {
  const texts = fc.string({ unit: ANY_CHARACTER, maxLength: 8 })
  fc.assert(
    fc.property(fc.string({ unit: ANY_CHARACTER, minLength: 6 }), texts, texts, (secret, before, after) => {
      fc.pre(!secret.includes('\\') && secret.isWellFormed())
      const eraser = new Eraser([['7f8dfb7e', secret]])
      const json = JSON.stringify({ [before]: before + secret + after })
      expect(eraser.holds(json)).toBe(true)
      expect(JSON.stringify(JSON.parse(eraser.text(json)))).toContain(placeholder('7f8dfb7e'))
    }),
  )
})

it('takes no short secret for one that is encoded', () => {
  const holds = (secret: string, text: string): boolean => new Spellings([['a', secret]]).holds(text)
  expect([holds('secret', 'c2VjcmV0'), holds('secret12', 'c2VjcmV0MTI=')]).toEqual([false, true])
})

it('ends on text that is made to take long', () => {
  const eraser = new Eraser([['7f8dfb7e', '"/\\"/\\"/\\end of it']])
  const hard = [
    '\\'.repeat(1 << 18),
    '"/'.repeat(1 << 17),
    '\\u0022'.repeat(1 << 15),
    'A'.repeat(1 << 18),
    '%5c'.repeat(1 << 16),
  ]
  for (const text of hard)
    expect([eraser.holds(text), [...decodedTexts(text)].length > 0]).toEqual([false, true])
})

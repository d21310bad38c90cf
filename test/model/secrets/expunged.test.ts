import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  blanked,
  Eraser,
  isGuessable,
  isGuessableText,
  marksIn,
  placeholder,
  strongHash,
  textOfBody,
  watchedIn,
  weakHash,
} from '../../../src/model/secrets/expunged.ts'
import { ANY_CHARACTER } from '../../support/characters.ts'
import { GITHUB } from '../../support/secrets.ts'

const watched = (secret: string) => ({
  length: secret.length,
  weak: weakHash(secret),
  salt: '5a17',
  hash: strongHash('5a17', secret),
  why: '',
  time: 0,
})

describe('a secret that is watched', () => {
  it('is found in any text that holds it, and in no other', () => {
    const text = fc.string({ unit: ANY_CHARACTER, maxLength: 60 })
    fc.assert(
      fc.property(
        text,
        fc.string({ unit: ANY_CHARACTER, minLength: 1, maxLength: 12 }),
        text,
        (before, secret, after) => {
          const list = { '01234567': watched(secret) }
          expect([...watchedIn(before + secret + after, list)]).toEqual([['01234567', secret]])
          expect(watchedIn(before, list).size).toBe(before.includes(secret) ? 1 : 0)
        },
      ),
    )
  })
})

describe('an eraser', () => {
  const eraser = new Eraser([['7f8dfb7e', 'a "q" é/']])

  it('knows the ways in which a secret is spelled', () => {
    const json = JSON.stringify({ a: 'a "q" é/' })
    for (const text of [
      'a "q" é/',
      json,
      JSON.stringify(json),
      json.replace('é', '\\u00e9'),
      'a%20%22q%22%20%C3%A9%2F',
    ])
      expect([
        text,
        eraser.text(text).includes(placeholder('7f8dfb7e')),
        eraser.text(text).includes('q'),
      ]).toEqual([text, true, false])
    expect(eraser.value({ 'a "q" é/': [1, 'x a "q" é/'] })).toEqual({
      '[expunged:7f8dfb7e]': [1, 'x [expunged:7f8dfb7e]'],
    })
  })

  it('changes bytes that are no text there alone', () => {
    const bytes = Buffer.concat([Buffer.of(0xff, 0), Buffer.from('a "q" é/'), Buffer.of(0xfe)])
    expect(Buffer.from(eraser.bytes(bytes))).toEqual(
      Buffer.concat([Buffer.of(0xff, 0), Buffer.from('[expunged:7f8dfb7e]'), Buffer.of(0xfe)]),
    )
    const others = Buffer.of(0xff, 1, 2)
    expect(eraser.bytes(others)).toBe(others)
  })

  it('leaves marks that are found again', () => {
    expect(marksIn(eraser.text('a "q" é/ and [expunged:nothing]'))).toEqual(['7f8dfb7e'])
  })
})

const message = {
  type: 'user',
  message: {
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: 't1', content: 'secret', is_error: false }],
  },
  name: 'a name with words',
}

it('empties a message and keeps its frame', () => {
  expect(textOfBody(message)).toBe('secret\na name with words')
  expect(blanked(message, '-')).toEqual({
    type: 'user',
    message: {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 't1', content: '-', is_error: false }],
    },
    name: '-',
  })
})

it.each([
  ['hunter2', true],
  ['correct horse battery staple', true],
  ['1234567890123456', true],
  [GITHUB, false],
  ['kJh3-9xQ_pL2vB7n', false],
])('takes %s for one that could be guessed: %s', (secret, guessable) => {
  expect(isGuessable(secret)).toBe(guessable)
})

it.each([
  ['my password is hunter2', true],
  ['yes', true],
  [`the key: ${GITHUB}`, false],
  ['the meeting is at noon behind the old lighthouse', false],
  ['a'.repeat(50), true],
])('takes a message that says %s for one that could be guessed: %s', (text, guessable) => {
  expect(isGuessableText(text)).toBe(guessable)
})

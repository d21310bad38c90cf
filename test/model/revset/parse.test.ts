import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SessError } from '../../../src/model/errors.ts'
import { parseRevset } from '../../../src/model/revset/parse.ts'
import { runs } from '../../support/amount.ts'
import { ANY_CHARACTER } from '../../support/characters.ts'
import { anyMeaning, type Meaning, meaningOf, printed } from '../../support/revset.ts'

const read = (text: string): Meaning => meaningOf(parseRevset(text))

/** Returns what an expression is refused for: words and place. */
function refusal(text: string): [says: string, at: string, from: number] {
  try {
    parseRevset(text)
  } catch (error) {
    if (!(error instanceof SessError && error.at)) throw error
    const { from, to } = error.at
    expect([error.code, error.at.text, from <= to && to <= text.length]).toEqual([
      'bad-expression',
      text,
      true,
    ])
    return [error.message.replace('cannot read the expression: ', ''), text.slice(from, to), from]
  }
  throw new Error(`'${text}' is an expression`)
}

describe('what binds', () => {
  it.each([
    ['a | b & c', 'a | (b & c)'],
    ['a & b | c & d', '(a & b) | (c & d)'],
    ['a ~ b', 'a & ~b'],
    ['a ~ b & c ~ d', 'a & ~b & c & ~d'],
    ['a ~ (b | c)', 'a & ~(b | c)'],
    ['~a & b', '(~a) & b'],
    ['~a..b', '(~a)..b'],
    ['~~a', '~(~a)'],
    ['a..b & c', '(a..b) & c'],
    ['a...b|c', '(a...b) | c'],
    ['a~b', 'a & ~b'],
    ['a~(b)', 'a & ~b'],
    ['(a)~2', '(a) & ~"2"'],
    [' role ( user ) ', 'role(user)'],
    ["text('a \"b')", 'text("a \\"b")'],
    ['"a"', 'a'],
  ])('%s is %s', (one, other) => {
    expect(read(one)).toEqual(read(other))
  })

  it('counts operators in a row as one', () => {
    const many = read(Array.from({ length: 100_000 }, () => 'a').join('|'))
    expect(many.kind === 'or' && many.of.length).toBe(100_000)
  })
})

it.each([
  'main',
  'session/branch',
  's/at-1234abcd',
  '3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14',
  'codex:call_1',
  '@',
  '@~2',
  'main~',
  'main~~^2',
  'a/b@{3}~1',
  'a.b',
  'größe',
])('takes %s for one revision', (text) => {
  expect(read(text)).toEqual({ kind: 'revision', text })
  expect(read(`(${text})..${text}`)).toEqual({
    kind: 'range',
    left: { kind: 'revision', text },
    right: { kind: 'revision', text },
    symmetric: false,
  })
})

it('compares numbers of entries', () => {
  const costly = { kind: 'compare', field: 'cost', sign: '>', value: 0.1 }
  expect(read('cost>0.10')).toEqual(costly)
  expect(read('cost > .1')).toEqual(costly)
  const many = { kind: 'compare', field: 'tokens', sign: '<=', value: 10_000 }
  expect(read('~tokens<=10000 & cost>0.1')).toEqual({
    kind: 'and',
    of: [{ kind: 'not', of: many }, costly],
  })
  // Alone they are names.
  expect(read('cost')).toEqual({ kind: 'revision', text: 'cost' })
})

it('puts the steps behind a quote to its name', () => {
  expect(read('"A title"~2')).toEqual({ kind: 'revision', text: 'A title~2' })
  expect(read('main~2..main')).toMatchObject({ left: { text: 'main~2' }, right: { text: 'main' } })
  expect(read('main~..main')).toMatchObject({ left: { text: 'main~' }, right: { text: 'main' } })
})

it('keeps the escapes of regular expressions', () => {
  expect(read('text(re:"\\d\\"\\\\")')).toMatchObject({ word: { text: '\\d"\\\\', regex: true } })
  expect(read('text("\\d\\"\\\\")')).toMatchObject({ word: { text: '\\d"\\', regex: false } })
})

describe('what is refused', () => {
  it.each<[text: string, says: string, at: string, from: number]>([
    ['', 'there is nothing in it', '', 0],
    ['cost >', "nothing follows '>'", '>', 5],
    ['cost > x', "'x' is no number", 'x', 7],
    ['cost > "1"', "'1' is no number", '"1"', 7],
    ['cost > 1e3', "'1e3' is no number", '1e3', 7],
    ['time > 1', "'time' is no number of entries", 'time', 0],
    ['> 1', "nothing precedes '>'", '>', 0],
    ['x - y', "'-' is no operator", '-', 2],
    ['x and y', "'and' is no operator", 'and', 2],
    ['x && y', "'&&' is no operator", '&&', 2],
    ['x::y', "'::' is no operator", '::', 1],
    ['!x', "'!' is no operator", '!', 0],
    ['x ; y', "';' means nothing here", ';', 2],
    ['x y', "no operator precedes 'y'", 'y', 2],
    ['x "y z"', 'no operator precedes \'"y z"\'', '"y z"', 2],
    ['x &', "nothing follows '&'", '&', 2],
    ['x & | y', "nothing follows '&'", '&', 2],
    ['& x', "nothing precedes '&'", '&', 0],
    ['x..', "nothing follows '..'", '..', 1],
    ['a..b..c', 'a range has two ends', '..', 4],
    ['(x', 'the bracket is never closed', '(', 0],
    ['x)', 'the bracket was never opened', ')', 1],
    ['()', "nothing follows '('", '(', 0],
    ['x, y', 'a comma is allowed only between the arguments of a function', ',', 1],
    ['"x', 'the quote is never closed', '"x', 0],
    ['role(re:"user")', 'no regular expression is allowed here', 're:"user"', 5],
    ['re:"x"', 'a regular expression is allowed only in a function', 're:"x"', 0],
    ['text(re:"(")', 'the regular expression is not valid: unterminated group', 're:"("', 5],
    ['ancestor(x)', "'ancestor' is no function", 'ancestor', 0],
    ['constructor(x)', "'constructor' is no function", 'constructor', 0],
    ['role(usr)', "'usr' is not a role", 'usr', 5],
    ['role()', "'role' takes 1 argument", 'role()', 0],
    ['role(user', 'the bracket is never closed', '(', 4],
    ['role(user|tool)', "'role' takes one role, and no expression", '|', 9],
    ['all(x)', "'all' takes no arguments", 'x', 4],
    ['latest()', "'latest' takes 1 or 2 arguments", 'latest()', 0],
    ['latest(x, 1, 2)', "'latest' takes 1 or 2 arguments", '2', 13],
    ['latest(x, y)', "'y' is not a whole number", 'y', 10],
    ['heads(x y)', "no operator precedes 'y'", 'y', 8],
  ])('%s: %s', (text, says, at, from) => {
    expect(refusal(text)).toEqual([says, at, from])
  })

  it.each(['(', '~', 'heads(', '~('])('nests too deep: %s', (opening) => {
    expect(refusal(opening.repeat(10_000))[0]).toBe('it is nested more than 100 deep')
  })
})

it('reads what was written, and random words to an end', () => {
  fc.assert(
    fc.property(anyMeaning, (meaning) => {
      expect(read(printed(meaning))).toEqual(meaning)
    }),
    { numRuns: runs(1000) },
  )
  const piece = fc.oneof(
    fc.constantFrom(
      ...'()&|~,.:"\'\\ @-^{}*',
      '..',
      '...',
      'role',
      'text(',
      're:"',
      'x',
      '2w',
      'latest(',
      '::',
      '👩‍🚀',
      '\n',
    ),
    fc.string({ unit: ANY_CHARACTER, maxLength: 3 }),
  )
  const anyText = fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join(''))
  fc.assert(
    fc.property(anyText, (text) => {
      try {
        expect(read(printed(read(text)))).toEqual(read(text))
      } catch (error) {
        if (!(error instanceof SessError && error.at)) throw error
        const { from, to } = error.at
        expect(0 <= from && from <= to && to <= text.length).toBe(true)
      }
    }),
    { numRuns: runs(2000) },
  )
})

import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { hasVerbatim, jsonText } from '../../../src/model/json.ts'
import { spell, spellingOf } from '../../../src/model/spelling/jsonspelling.ts'
import { parseJson } from '../../../src/model/value.ts'
import { runs } from '../../support/amount.ts'
import { anyTree, choices, spellTree } from '../../support/json.ts'

const valueOf = (text: string) => parseJson(text, true)?.value ?? null
const LONG = `"text":"${'words '.repeat(60)}"`

describe('spellingOf', () => {
  it.each([
    ['{"a":[1,2],"b":"é"}', ''],
    ['{"a": [1, 2], "b": "é"}', 'p'],
    ['[1, 2]', 'p'],
    ['[[1], [[2, 3]]]', 'p'],
    ['[[", "]]', ''],
    ['"a, b"', ''],
    ['{"a": [1, 2], "b": "\\u00e9\\ud83d\\ude00\\u007f"}', 'pa'],
    ['{"a":"\\u00e9"}', 'a'],
    ['{\n  "a": [\n    1,\n    {}\n  ],\n  "b": []\n}', 'i2'],
    ['{\n    "a": {\n        "b": "\\u00e9"\n    }\n}', 'i4a'],
    ['{\n\t"a": {\n\t\t"b": 1\n\t}\n}', 'it'],
    ['{\n      "a": [\n        1\n      ]\n    }', 'i2+4'],
    ['{\n\t\t\t"a": 1\n\t\t}', 'it+2'],
    [`{${LONG},"n":7.0}`, '#[376,0,".0"]'],
    [`{${LONG}, "n":7}`, '#[371,0," "]'],
    [`{${LONG},"n":1E2,"path":"a\\/b"}`, '#[376,2,"E2",10,1,"\\\\/"]'],
    [`{"a": 1.50, ${LONG.replace(':', ': ')}}`, 'p#[9,0,"0"]'],
    [`{${LONG},"\\u0061":"\\u00E9x\\u000a"}`, 'a#[372,1,"\\\\u0061",3,6,"\\\\u00E9",1,2,"\\\\u000a"]'],
  ])('of %s is %s', (text, spelling) => {
    expect(spellingOf(valueOf(text), text)).toBe(spelling)
    expect(spell(valueOf(text), spelling)).toBe(text)
  })

  it.each([
    ['edits that are longer than a quarter of the text', '{"a":1.0,"b":2.0}'],
    ['a key twice, of which the value has one', `{${LONG},"a":1,"a":2}`],
    ['a text that is cut off', `{${LONG}`, `{${LONG}}`],
    ['a text of another string', `{${LONG},"a":"x"}`, `{${LONG},"a":"y"}`],
    ['a text with another key', `{${LONG},"a":1}`, `{${LONG},"b":1}`],
    ['a text with a word for a number', `{${LONG},"a":true}`, `{${LONG},"a":1}`],
  ])('is unknown for %s', (_what, text, other = text) => {
    expect(spellingOf(valueOf(other), text)).toBeUndefined()
  })

  test('gives the text back wherever there is one', () => {
    let known = 0
    fc.assert(
      fc.property(anyTree, choices, fc.constantFrom('', 'x'.repeat(2000)), (tree, seed, padding) => {
        for (const spelled of [spellTree(tree), spellTree(tree, seed)]) {
          const text = `["${padding}",${spelled}]`
          const value = valueOf(text)
          const spelling = spellingOf(value, text)
          if (spelling === undefined) continue
          known++
          expect(spell(value, spelling)).toBe(text)
        }
      }),
      { numRuns: runs(500) },
    )
    expect(known).toBeGreaterThan(runs(500))
  })

  test('of the compact text is empty, of what JSON.stringify indents known', () => {
    fc.assert(
      fc.property(anyTree, fc.constantFrom(1, 2, 4, '\t', '   '), (tree, indent) => {
        const value = valueOf(spellTree(tree))
        expect(spellingOf(value, jsonText(value))).toBe('')
        const parsed: unknown = JSON.parse(jsonText(value))
        const text = JSON.stringify(parsed, null, indent)
        const again = valueOf(text)
        if (hasVerbatim(value)) return
        if (text.includes('\n')) expect(spellingOf(again, text)).toMatch(/^i/)
        expect(spell(again, spellingOf(again, text) ?? '?')).toBe(text)
      }),
    )
  })

  it('takes linear time on hostile texts', () => {
    const text = `[${'"\\u0061\\/",1.0, '.repeat(60_000)}0]`
    expect(spellingOf(valueOf(text), text)).toBeUndefined()
    const spaced = `[${'0,'.repeat(300_000)}${' '.repeat(100_000)}0]`
    expect(spellingOf(valueOf(spaced), spaced)).toBe(`#[600001,0,"${' '.repeat(100_000)}"]`)
  })
})

describe('spell', () => {
  it('refuses what is no spelling', () => {
    expect(() => spell([1], 'q')).toThrow(RangeError)
    expect(() => spell([1], '#[10,0,"x"]')).toThrow(RangeError)
  })
})

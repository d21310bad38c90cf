import fc from 'fast-check'
import {
  COMPARED,
  COMPARISONS,
  type RevsetExpression,
  type RevsetWord,
} from '../../src/model/revset/expression.ts'
import { FUNCTIONS, type FunctionName, parametersOf, type Takes } from '../../src/model/revset/functions.ts'
import { tokensOf } from '../../src/model/revset/tokens.ts'

/** An expression without the places where its parts stood. */
export type Meaning =
  | { readonly kind: 'revision'; readonly text: string }
  | { readonly kind: 'and' | 'or'; readonly of: readonly Meaning[] }
  | { readonly kind: 'not'; readonly of: Meaning }
  | { readonly kind: 'range'; readonly left: Meaning; readonly right: Meaning; readonly symmetric: boolean }
  | Omit<Extract<RevsetExpression, { kind: 'compare' }>, 'at'>
  | {
      readonly kind: 'call'
      readonly name: FunctionName
      readonly of?: Meaning
      readonly word?: Omit<RevsetWord, 'at'>
    }

/** Returns what an expression means, without places. */
export function meaningOf(expression: RevsetExpression): Meaning {
  switch (expression.kind) {
    case 'revision':
      return { kind: 'revision', text: expression.text }
    case 'and':
    case 'or':
      return { kind: expression.kind, of: expression.of.map(meaningOf) }
    case 'not':
      return { kind: 'not', of: meaningOf(expression.of) }
    case 'range': {
      const { left, right, symmetric } = expression
      return { kind: 'range', left: meaningOf(left), right: meaningOf(right), symmetric }
    }
    case 'compare': {
      const { kind, field, sign, value } = expression
      return { kind, field, sign, value }
    }
    case 'call': {
      const { name, of, word } = expression
      return {
        kind: 'call',
        name,
        ...(of && { of: meaningOf(of) }),
        ...(word && { word: { text: word.text, regex: word.regex } }),
      }
    }
  }
}

/** Writes an expression so that reading it gives the same again. */
export function printed(meaning: Meaning): string {
  switch (meaning.kind) {
    case 'revision':
      return printedWord(meaning.text)
    case 'and':
      return meaning.of
        .map((one) => (one.kind === 'or' || one.kind === 'and' ? group(one) : printed(one)))
        .join(' & ')
    case 'or':
      return meaning.of.map((one) => (one.kind === 'or' ? group(one) : printed(one))).join(' | ')
    case 'not':
      return `~${tight(meaning.of)}`
    case 'range':
      return `${tight(meaning.left)}${meaning.symmetric ? '...' : '..'}${tight(meaning.right)}`
    case 'compare':
      return `${meaning.field} ${meaning.sign}${meaning.value}`
    case 'call': {
      const { name, of, word } = meaning
      const shown = parametersOf(name).flatMap(({ takes }) => {
        if (takes === 'set') return of ? [printed(of)] : []
        if (!word) return []
        return [word.regex ? `re:"${word.text.replaceAll('"', '\\"')}"` : printedWord(word.text)]
      })
      return `${name}(${shown.join(', ')})`
    }
  }
}

const group = (meaning: Meaning): string => `(${printed(meaning)})`

const tight = (meaning: Meaning): string =>
  meaning.kind === 'revision' || meaning.kind === 'call' || meaning.kind === 'not'
    ? printed(meaning)
    : group(meaning)

function printedWord(text: string): string {
  try {
    const [token, end] = tokensOf(text)
    // Beside the dots of a range its own would be taken for more of them.
    const isAlone = !text.startsWith('.') && !text.endsWith('.')
    if (isAlone && token?.kind === 'word' && token.text === text && end?.kind === 'end') return text
  } catch {
    return quoted(text)
  }
  return quoted(text)
}

const quoted = (text: string): string => `"${text.replace(/["'\\]/g, '\\$&')}"`

const anyName = fc.oneof(
  fc.constantFrom(
    'main',
    '3b1f',
    '@',
    '@~2',
    'a/b.c',
    's:u1',
    'main@{3}',
    'x^2~',
    'A title',
    'a..b',
    '~',
    'é"\'\\',
  ),
  fc.string({ unit: 'grapheme', maxLength: 6 }).filter((text) => text.isWellFormed()),
)

const anyWord: Readonly<Record<Exclude<Takes, 'set'>, fc.Arbitrary<Omit<RevsetWord, 'at'>>>> = {
  count: fc.nat(1000).map((count) => ({ text: String(count), regex: false })),
  role: fc.constantFrom('user', 'assistant', 'tool', 'system').map((text) => ({ text, regex: false })),
  when: fc.constantFrom('2w', '2026-04-01', '2026-04-01 12:00').map((text) => ({ text, regex: false })),
  session: anyName.map((text) => ({ text, regex: false })),
  pattern: fc.oneof(
    anyName.map((text) => ({ text, regex: false })),
    fc.constantFrom('^a|b$', '\\d+"?', '\\\\x').map((text) => ({ text, regex: true })),
  ),
  text: anyName.map((text) => ({ text, regex: false })),
}

const names = Object.keys(FUNCTIONS) as FunctionName[]

/** Random expressions. */
export const anyMeaning: fc.Arbitrary<Meaning> = fc.letrec<{ any: Meaning }>((tie) => {
  const call = fc.constantFrom(...names).chain((name): fc.Arbitrary<Meaning> => {
    const parts = parametersOf(name).map(({ takes, optional }) => {
      const part: fc.Arbitrary<Meaning | Omit<RevsetWord, 'at'>> =
        takes === 'set' ? tie('any') : anyWord[takes]
      return optional ? fc.option(part, { nil: undefined }) : part
    })
    return fc.tuple(...parts).map((values) => {
      const of = values.find((value) => value && 'kind' in value)
      const word = values.find((value) => value && 'regex' in value)
      return { kind: 'call', name, ...(of && { of }), ...(word && { word }) } as Meaning
    })
  })
  const several = fc.array(tie('any'), { minLength: 2, maxLength: 3 })
  return {
    any: fc.oneof(
      { maxDepth: 5, depthSize: 'small' },
      anyName.map((text): Meaning => ({ kind: 'revision', text })),
      call,
      fc
        .tuple(fc.constantFrom(...COMPARED), fc.constantFrom(...COMPARISONS), fc.nat({ max: 10_000 }))
        .map(([field, sign, n]): Meaning => ({ kind: 'compare', field, sign, value: n / 100 })),
      several.map((of): Meaning => ({ kind: 'and', of })),
      several.map((of): Meaning => ({ kind: 'or', of })),
      tie('any').map((of): Meaning => ({ kind: 'not', of })),
      fc
        .tuple(tie('any'), tie('any'), fc.boolean())
        .map(([left, right, symmetric]): Meaning => ({ kind: 'range', left, right, symmetric })),
    ),
  }
}).any

import fc from 'fast-check'
import { Verbatim } from '../../src/model/encoding/verbatim.ts'
import type { Json } from '../../src/model/json.ts'

/** A JSON value as a text may spell it: keys twice, numbers of any size, half surrogate pairs. */
export type Tree =
  | { readonly kind: 'word'; readonly word: string }
  | { readonly kind: 'number'; readonly digits: string; readonly power: number; readonly minus: boolean }
  | { readonly kind: 'string'; readonly text: string }
  | { readonly kind: 'array'; readonly values: readonly Tree[] }
  | { readonly kind: 'object'; readonly entries: readonly (readonly [string, Tree])[] }

const words = fc.constantFrom('true', 'false', 'null').map((word): Tree => ({ kind: 'word', word }))
const numbers = fc
  .record({
    digits: fc.oneof(fc.nat().map(String), fc.constantFrom('0', '9007199254740993', '1'.repeat(400), '25')),
    power: fc.oneof(fc.constantFrom(0, 0, 0, -1, 3, 400, -400), fc.integer({ min: -30, max: 30 })),
    minus: fc.boolean(),
  })
  .map((number): Tree => ({ kind: 'number', ...number }))

/** Texts with what makes trouble: quotes, control characters, all of Unicode, half surrogate pairs. */
export const anyText = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.string({
    unit: fc.constantFrom('a', '"', '\\', '/', '\n', '\u0000', '\u007f', 'é', '😀', '\ufeff', ' '),
    maxLength: 8,
  }),
  fc.string({ unit: fc.constantFrom('\ud83d', '\ude00', 'x'), maxLength: 4 }),
)
const keys = fc.oneof(fc.constantFrom('a', 'b', '10', '9', '__proto__', 'constructor', 'type'), anyText)

/** Any JSON value. */
export const anyTree: fc.Arbitrary<Tree> = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    words,
    numbers,
    anyText.map((text): Tree => ({ kind: 'string', text })),
    fc.array(tie('tree'), { maxLength: 5 }).map((values): Tree => ({ kind: 'array', values })),
    fc
      .array(fc.tuple(keys, tie('tree')), { maxLength: 5 })
      .map((entries): Tree => ({ kind: 'object', entries })),
  ),
})).tree

/** Spells a tree, each choice of spelling by the next of the numbers; without numbers compactly. */
export function spellTree(tree: Tree, choices: readonly number[] = []): string {
  let next = 0
  const choose = (count: number): number =>
    choices.length === 0 ? 0 : (choices[next++ % choices.length] as number) % count
  const space = (): string => ['', '', ' ', '\n', '\t', '\r\n  '][choose(6)] as string
  const text = (value: string): string => {
    const units = [...value].map((char) => {
      const short = JSON.stringify(char).slice(1, -1)
      if (choose(4) !== 3) return choose(5) === 4 && char === '/' ? '\\/' : short
      return char.split('').map(escape).join('')
    })
    return `"${units.join('')}"`
  }
  const escape = (unit: string): string => {
    const hex = unit.charCodeAt(0).toString(16).padStart(4, '0')
    return `\\u${choose(2) === 0 ? hex : hex.toUpperCase()}`
  }
  const number = ({ digits, power, minus }: Tree & { kind: 'number' }): string => {
    const sign = minus ? '-' : ''
    const moved = digits.length > 1 ? `${digits[0]}.${digits.slice(1)}` : digits
    const shift = digits.length - 1
    const exponents = (value: number): string[] => [
      `e${value}`,
      `E${value < 0 ? '' : '+'}${value}`,
      `e${value}`,
    ]
    const forms = [
      power === 0 ? digits : `${digits}e${power}`,
      `${moved}${exponents(power + shift)[choose(3)]}`,
      `${digits}.00${exponents(power)[choose(3)]}`,
      `${digits}0${exponents(power - 1)[choose(3)]}`,
    ]
    const form = forms[choose(forms.length)] as string
    return sign + (form.startsWith('00') ? form.slice(1) : form)
  }
  const write = (node: Tree): string => {
    if (node.kind === 'word') return node.word
    if (node.kind === 'number') return number(node)
    if (node.kind === 'string') return text(node.text)
    const parts =
      node.kind === 'array'
        ? node.values.map(write)
        : node.entries.map(([key, value]) => `${text(key)}${space()}:${space()}${write(value)}`)
    const [open, close] = node.kind === 'array' ? '[]' : '{}'
    return `${open}${space()}${parts.join(`${space()},${space()}`)}${space()}${close}`
  }
  return `${space()}${write(tree)}${space()}`
}

/** Numbers that choose spellings. */
export const choices = fc.array(fc.nat({ max: 59 }), { minLength: 1, maxLength: 40 })

/** Lowercase hex digits of bytes. */
export const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

/** Takes parts of a value: the n-th number tells whether the n-th part goes, stays whole or is looked into. */
export function select(value: Json, choose: () => number): Json | undefined {
  const choice = choose() % 4
  if (choice === 0) return undefined
  if (choice === 1 || typeof value !== 'object' || value === null || value instanceof Verbatim) return value
  if (Array.isArray(value)) return value.map((child: Json) => select(child, choose) ?? null)
  const entries = Object.entries(value).map(([key, child]) => [key, select(child, choose)] as const)
  return Object.fromEntries(entries.filter(([, child]) => child !== undefined)) as Json
}

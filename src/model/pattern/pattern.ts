import { SessError, type Span } from '../errors.ts'
import { folded } from '../search/words.ts'
import { Automaton, compile, type PatternProgram } from './automaton.ts'
import { literal, literalsIn, PatternError, parseExpression, type Syntax, sequence } from './syntax.ts'

/**
 * A pattern to match stored text. Case does not matter; a test, and finding all spans, take time linear in the length
 * of the text and bounded memory, whatever the pattern and the text are (docs/decisions/patterns.md).
 */
export interface Pattern {
  /** Texts in lower case of which every match contains each. */
  readonly literals: readonly string[]
  /** Returns whether it matches anywhere in a text. */
  test(text: string): boolean
  /** Returns where it matches, in order and without overlaps, at most `most` times; matches of nothing are left out. */
  spans(text: string, most: number): Span[]
}

/**
 * Returns a pattern for a regular expression in the syntax of JavaScript: `^` and `$` match at every line, `.` matches
 * anything in a line, and there are no back references and no look-around. Throws `PatternError`.
 */
export const regularExpression = (source: string): Pattern => new Expression(parseExpression(source))

/** Returns a pattern for words in a row, with any white space where the text has some. */
export const phrase = (text: string): Pattern => new Phrase(text)

/** A test of names. */
export interface NameTest {
  test(name: string): boolean
}

/**
 * Returns a test of whole names: `*` stands for any characters, `?` for one. Case does not matter. The test throws
 * `bad-usage` where the pattern is too long.
 */
export const nameGlob = (source: string): NameTest =>
  wholeName(source, { '*': anyNumber(ANY), '?': ANY }, literal)

/** A test of the names of refs. */
export interface RefGlob extends NameTest {
  /** The common prefix of all names that match. */
  readonly prefix: string
}

/**
 * Returns a test of ref names as git's: a whole name, the beginning of one up to a `/`, or with `*` (anything but `/`),
 * `**` (anything) and `?` (one character but `/`). The test throws `bad-usage` where the pattern is too long.
 */
export function refGlob(source: string): RefGlob {
  const wild = /[*?]/.exec(source)
  if (!wild) {
    const folder = source.endsWith('/') ? source : `${source}/`
    return { prefix: source, test: (name) => name === source || name.startsWith(folder) }
  }
  const wildcards = { '**': anyNumber(ANY), '*': anyNumber(IN_FOLDER), '?': IN_FOLDER }
  return { prefix: source.slice(0, wild.index), ...wholeName(source, wildcards, exactly) }
}

const anyNumber = (of: Syntax): Syntax => ({ kind: 'repetition', of, min: 0 })
const characters = (source: string, test: (character: string) => boolean): Syntax => ({
  kind: 'character',
  set: { kind: 'class', source, test },
})
const exactly = (character: string): Syntax => characters(`'${character}`, (one) => one === character)
const ANY = characters('any', () => true)
const IN_FOLDER = characters('but /', (character) => character !== '/')

function wholeName(
  source: string,
  wildcards: Readonly<Record<string, Syntax>>,
  letter: (character: string) => Syntax,
): NameTest {
  const of = source.match(/\*\*|./gsu) ?? []
  const parts = of.flatMap(
    (part) => wildcards[part] ?? Array.from(part, (one) => wildcards[one] ?? letter(one)),
  )
  let automaton: Automaton | undefined
  return {
    test: (name) => {
      automaton ??= new Automaton(compiledName(sequence(parts), source), false)
      return automaton.longest(name, 0) === name.length
    },
  }
}

/** Throws `bad-usage` where the pattern of a name is too large. */
function compiledName(syntax: Syntax, source: string): PatternProgram {
  try {
    return compile(syntax)
  } catch (error) {
    if (!(error instanceof PatternError)) throw error
    throw new SessError('bad-usage', `the pattern '${source.slice(0, MAX_SHOWN)}…' is too long`)
  }
}

/** The number of characters of a pattern that an error shows. */
const MAX_SHOWN = 40

/** The number of characters that the search for the ends of longest matches in one text may pass more than once. */
const MAX_REPEATED = 1 << 18

class Expression implements Pattern {
  readonly literals: readonly string[]
  readonly #syntax: Syntax
  readonly #program: PatternProgram
  readonly #finds: Automaton
  #begins: Automaton | undefined
  #extends: Automaton | undefined

  constructor(syntax: Syntax) {
    this.literals = literalsIn(syntax, folded)
    this.#syntax = syntax
    this.#program = compile(syntax)
    this.#finds = new Automaton(this.#program, true)
  }

  test(text: string): boolean {
    return this.#mayMatch(text) && this.#finds.first(text, 0) >= 0
  }

  /** Looking for literals is many times as fast. */
  #mayMatch(text: string): boolean {
    const lower = this.literals.length === 0 ? '' : folded(text)
    return this.literals.every((one) => lower.includes(one))
  }

  /**
   * Looks forwards for the match that ends first, backwards for where it begins, and then for the longest match that
   * begins there. The last passes some characters again and again in some texts, and is limited.
   */
  spans(text: string, most: number): Span[] {
    const spans: Span[] = []
    if (!this.#mayMatch(text)) return spans
    this.#begins ??= new Automaton(compile(this.#syntax, true), false)
    this.#extends ??= new Automaton(this.#program, false)
    let left = MAX_REPEATED
    for (let at = 0; at <= text.length && spans.length < most; ) {
      const first = this.#finds.first(text, at)
      if (first < 0) break
      const from = this.#begins.longestBefore(text, first, at)
      const to = Math.max(first, this.#extends.longest(text, from, first + left))
      left -= Math.max(0, this.#extends.reached - to)
      if (to > from) spans.push({ from, to })
      // Never between the halves of a surrogate pair, where no character begins.
      at = Math.max(to, at + ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1))
    }
    return spans
  }
}

/** Words in a row. They may be longer than the engine's own expressions can be. */
class Phrase implements Pattern {
  readonly literals: readonly string[]
  readonly #first: string
  readonly #others: readonly string[]

  constructor(text: string) {
    this.literals = folded(text).trim().split(/\s+/)
    const [first = '', ...others] = this.literals
    this.#first = first
    this.#others = others
  }

  test(text: string): boolean {
    return this.#find(folded(text), 0) !== undefined
  }

  spans(text: string, most: number): Span[] {
    const spans: Span[] = []
    const all = folded(text)
    for (let at = 0; spans.length < most; ) {
      const span = this.#find(all, at)
      if (span === undefined || span.to === span.from) break
      spans.push(span)
      at = span.to
    }
    return spans
  }

  /** Returns where the words are for the first time from a position on. */
  #find(text: string, start: number): Span | undefined {
    const first = this.#first
    for (let from = text.indexOf(first, start); from >= 0; from = text.indexOf(first, from + 1)) {
      const to = this.#endFrom(text, from + first.length)
      if (to !== undefined) return { from, to }
    }
    return undefined
  }

  /** Returns where the words after the first one end, if they follow a position. */
  #endFrom(text: string, start: number): number | undefined {
    let at = start
    for (const word of this.#others) {
      const from = skipSpace(text, at)
      if (from === at || !text.startsWith(word, from)) return undefined
      at = from + word.length
    }
    return at
  }
}

/** Returns the position after the white space at a position. */
function skipSpace(text: string, start: number): number {
  let at = start
  while (isSpace(text.charCodeAt(at))) at++
  return at
}

/** Returns whether a code unit is white space, as in a regular expression; most is ASCII. */
const isSpace = (code: number): boolean =>
  code === 32 || (code >= 9 && code <= 13) || (code >= 160 && /\s/.test(String.fromCharCode(code)))

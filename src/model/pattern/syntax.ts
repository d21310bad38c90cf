/** A part of an expression. A repetition without a `max` has no upper limit. */
export type Syntax =
  | { readonly kind: 'character'; readonly set: CharacterSet }
  | { readonly kind: 'assertion'; readonly asserts: Assertion }
  | { readonly kind: 'sequence' | 'choice'; readonly of: readonly Syntax[] }
  | { readonly kind: 'repetition'; readonly of: Syntax; readonly min: number; readonly max?: number }

/** The beginning or end of a line, a word boundary, or none. */
export type Assertion = '^' | '$' | 'b' | 'B'

/** The characters that may stand in one place: one character in either case, or those of a class such as `[a-z]`. */
export type CharacterSet =
  | { readonly kind: 'literal'; readonly character: string }
  | { readonly kind: 'class'; readonly source: string; readonly test: (character: string) => boolean }

/** A reason why an expression cannot be used. */
export class PatternError extends Error {}

/** Groups may be nested this deep: the functions that read a syntax tree call themselves. */
const MAX_DEPTH = 200

/** A counted repetition may have this many rounds. */
const MAX_ROUNDS = 1000

const QUANTIFIER = /([*+?])|\{(\d+)(?:(,)(\d*))?\}/y
const ESCAPE =
  /\\(?:([dDwWsS])|([pP]\{[\w=]+\})|x([\da-fA-F]{2})|u([\da-fA-F]{4})|u\{([\da-fA-F]{1,6})\}|c([a-zA-Z])|([nrtvf0])(?!\d)|([^a-zA-Z\d]))/suy
const GROUP = /\((?:\?:|\?<[\p{L}_$][\p{L}\p{N}_$]*>)?/uy
const CLASS = /\[(?:\\.|[^\]\\])*\]/suy
const CHARACTER = /./suy

const CONTROLS: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  f: '\f',
  0: '\0',
}

export const sequence = (of: readonly Syntax[]): Syntax => ({ kind: 'sequence', of })

export const literal = (character: string): Syntax => ({
  kind: 'character',
  set: { kind: 'literal', character },
})

/**
 * Returns the class that an expression in the language's own syntax stands for, in either case. Throws `PatternError`.
 * The engine decides what a class contains: it is asked about single characters only, which takes constant time.
 */
function classOf(source: string): Syntax {
  const compiled = compiledClass(source, 'iu') ?? compiledClass(source, 'i')
  if (!compiled) throw new PatternError(`'${source}' is no character class`)
  return { kind: 'character', set: { kind: 'class', source, test: (one) => compiled.test(one) } }
}

function compiledClass(source: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(`^${source}$`, flags)
  } catch {
    return undefined
  }
}

/**
 * Parses a regular expression in the syntax of JavaScript, without back references and look-around. Throws
 * `PatternError`.
 */
export const parseExpression = (source: string): Syntax => new PatternParser(source).whole()

class PatternParser {
  readonly #source: string
  #at = 0
  #depth = 0

  constructor(source: string) {
    this.#source = source
  }

  whole(): Syntax {
    const syntax = this.#choice()
    if (this.#at < this.#source.length) throw new PatternError("')' closes no group")
    return syntax
  }

  #take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at
    const match = pattern.exec(this.#source)
    if (!match) return undefined
    this.#at = pattern.lastIndex
    return match
  }

  #choice(): Syntax {
    const of = [this.#sequence()]
    while (this.#source[this.#at] === '|') {
      this.#at++
      of.push(this.#sequence())
    }
    return of.length === 1 ? (of[0] as Syntax) : { kind: 'choice', of }
  }

  #sequence(): Syntax {
    const of: Syntax[] = []
    for (;;) {
      const next = this.#source[this.#at]
      if (next === undefined || next === '|' || next === ')') return sequence(of)
      of.push(this.#quantified(this.#atom(next)))
    }
  }

  #quantified(atom: Syntax): Syntax {
    const [, sign, least, comma, most] = this.#take(QUANTIFIER) ?? []
    if (sign === undefined && least === undefined) return atom
    if (atom.kind === 'assertion') throw new PatternError('there is nothing to repeat')
    // Whether as many or as few as possible are taken makes no difference to whether there is a match.
    if (this.#source[this.#at] === '?') this.#at++
    if (this.#take(QUANTIFIER)) throw new PatternError('there is nothing to repeat')
    if (sign !== undefined) {
      const min = sign === '+' ? 1 : 0
      return { kind: 'repetition', of: atom, min, ...(sign === '?' && { max: 1 }) }
    }
    const min = Number(least)
    const max = comma === undefined ? min : most === '' ? undefined : Number(most)
    if (Math.max(min, max ?? 0) > MAX_ROUNDS)
      throw new PatternError(`more than ${MAX_ROUNDS} repetitions are not supported`)
    if (max !== undefined && max < min) throw new PatternError('the numbers of a repetition are out of order')
    return { kind: 'repetition', of: atom, min, ...(max !== undefined && { max }) }
  }

  #atom(next: string): Syntax {
    if (next === '(') return this.#group()
    if (next === '[') {
      const [source] = this.#take(CLASS) ?? []
      if (source === undefined) throw new PatternError('unterminated character class')
      return classOf(source)
    }
    if (next === '\\') return this.#escape()
    QUANTIFIER.lastIndex = this.#at
    if (QUANTIFIER.test(this.#source)) throw new PatternError('there is nothing to repeat')
    const [character = ''] = this.#take(CHARACTER) ?? []
    if (character === '.') return classOf('.')
    if (character === '^' || character === '$') return { kind: 'assertion', asserts: character }
    return literal(character)
  }

  #group(): Syntax {
    if (/^\(\?<?[=!]/.test(this.#source.slice(this.#at, this.#at + 4)))
      throw new PatternError('back references and look-around are not supported')
    this.#take(GROUP)
    if (this.#source[this.#at] === '?') throw new PatternError('invalid group')
    if (++this.#depth > MAX_DEPTH)
      throw new PatternError(`more than ${MAX_DEPTH} nested groups are not supported`)
    const syntax = this.#choice()
    if (this.#source[this.#at] !== ')') throw new PatternError('unterminated group')
    this.#at++
    this.#depth--
    return syntax
  }

  #escape(): Syntax {
    const next = this.#source.charAt(this.#at + 1)
    if (next === 'b' || next === 'B') {
      this.#at += 2
      return { kind: 'assertion', asserts: next }
    }
    if (/[1-9k]/.test(next)) throw new PatternError('back references and look-around are not supported')
    const found = this.#take(ESCAPE)
    if (!found) throw new PatternError(`'\\${next}' is no escape`)
    const [all, shorthand, property, hex2, hex4, hex6, control, named, plain] = found
    if (shorthand !== undefined || property !== undefined) return classOf(all)
    const hex = hex2 ?? hex4 ?? hex6
    if (hex !== undefined) {
      const code = Number.parseInt(hex, 16)
      if (code > 0x10ffff) throw new PatternError(`'${all}' is no character`)
      return literal(String.fromCodePoint(code))
    }
    if (control !== undefined) return literal(String.fromCharCode(control.charCodeAt(0) % 32))
    return literal(named === undefined ? (plain as string) : (CONTROLS[named] as string))
  }
}

/** Returns texts, folded by `fold`, of which every match contains each: runs of characters that no match can lack. */
export function literalsIn(syntax: Syntax, fold: (text: string) => string): string[] {
  const literals: string[] = []
  let run = ''
  const end = (): void => {
    if (run !== '') literals.push(fold(run))
    run = ''
  }
  const visit = (node: Syntax): void => {
    if (node.kind === 'character' && node.set.kind === 'literal') run += node.set.character
    else if (node.kind === 'sequence') node.of.forEach(visit)
    else if (node.kind === 'repetition' && node.min > 0) {
      visit(node.of)
      if (node.max === 1) return
      // The text after the repetition follows its last round, which is not the first one.
      end()
      if (node.of.kind === 'character') visit(node.of)
    } else if (node.kind !== 'assertion') end()
  }
  visit(syntax)
  end()
  return [...new Set(literals)]
}

import type { SessError, Span } from '../errors.ts'
import { regularExpression } from '../pattern/pattern.ts'
import { PatternError } from '../pattern/syntax.ts'
import { ROLES } from '../view.ts'
import { wrong } from './errors.ts'
import {
  COMPARED,
  COMPARISONS,
  type ComparisonSign,
  type RevsetExpression,
  type RevsetWord,
} from './expression.ts'
import { FUNCTIONS, isFunction, type Parameter, parametersOf, usageOf } from './functions.ts'
import { strayOperator, type Token, tokensOf } from './tokens.ts'

/** The maximum nesting of brackets, so that reading an expression may be recursive. */
const DEEPEST = 100

/**
 * Reads an expression over entries. Binds from the tightest: `~x`, `x..y` and `x...y`, `x & y` and `x ~ y`, `x | y`.
 * Throws `bad-expression` with the position of the error.
 */
export const parseRevset = (source: string): RevsetExpression => new RevsetParser(source).whole()

class RevsetParser {
  readonly #source: string
  readonly #tokens: readonly Token[]
  #next = 0
  #depth = 0

  constructor(source: string) {
    this.#source = source
    this.#tokens = tokensOf(source)
  }

  whole(): RevsetExpression {
    const expression = this.#either()
    if (this.#token.kind !== 'end') throw this.#unexpected()
    return expression
  }

  get #token(): Token {
    return this.#tokens[this.#next] as Token
  }

  /** Consumes the next token if it is this sign. */
  #takes(sign: string): boolean {
    const { kind, text } = this.#token
    if (kind !== 'sign' || text !== sign) return false
    this.#next++
    return true
  }

  #wrong(at: Span, message: string, hint?: string, choices: readonly string[] = []): SessError {
    return wrong(this.#source, at, message, { choices, ...(hint === undefined ? {} : { hint }) })
  }

  #either(): RevsetExpression {
    const of = [this.#both()]
    while (this.#takes('|')) of.push(this.#both())
    return joined('or', of)
  }

  #both(): RevsetExpression {
    const of = [this.#range()]
    for (;;) {
      const { from } = this.#token
      if (this.#takes('&')) of.push(this.#range())
      else if (this.#takes('~')) {
        const without = this.#range()
        of.push({ kind: 'not', of: without, at: { from, to: without.at.to } })
      } else return joined('and', of)
    }
  }

  #range(): RevsetExpression {
    const left = this.#operand()
    const symmetric = this.#takes('...')
    if (!symmetric && !this.#takes('..')) return left
    const right = this.#operand()
    const { kind, text } = this.#token
    if (kind === 'sign' && text.startsWith('..'))
      throw this.#wrong(this.#token, 'a range has two ends', 'put brackets around one of the ranges')
    return { kind: 'range', left, right, symmetric, at: { from: left.at.from, to: right.at.to } }
  }

  #operand(): RevsetExpression {
    const token = this.#token
    const { kind, text, from, to } = token
    if (kind === 'end' || (kind === 'sign' && text !== '(' && text !== '~')) throw this.#missing()
    this.#next++
    if (kind === 'regex')
      throw this.#wrong(
        token,
        'a regular expression is allowed only in a function',
        'did you mean \'text(re:"…")\'?',
      )
    if (kind === 'quoted') return { kind: 'revision', text, at: { from, to } }
    if (kind === 'word') {
      if (this.#takes('(')) return this.#inside(token, () => this.#call(token))
      const sign = COMPARISONS.find((one) => this.#takes(one))
      if (sign) return this.#comparison(token, sign)
      return { kind: 'revision', text, at: { from, to } }
    }
    return this.#inside(token, () => {
      if (text === '~') {
        const of = this.#operand()
        return { kind: 'not', of, at: { from, to: of.at.to } }
      }
      const of = this.#either()
      this.#close(token)
      return of
    })
  }

  #comparison({ text, from, to }: Token, sign: ComparisonSign): RevsetExpression {
    const field = COMPARED.find((one) => one === text)
    if (!field) throw this.#wrong({ from, to }, `'${text}' is no number of entries`, undefined, COMPARED)
    const value = this.#token
    if (value.kind === 'end') throw this.#missing()
    if (value.kind !== 'word' || !/^(?:\d+\.?\d*|\.\d+)$/.test(value.text))
      throw this.#wrong(value, `'${value.text}' is no number`)
    this.#next++
    return { kind: 'compare', field, sign, value: Number(value.text), at: { from, to: value.to } }
  }

  #inside(opening: Token, read: () => RevsetExpression): RevsetExpression {
    if (++this.#depth > DEEPEST) throw this.#wrong(opening, `it is nested more than ${DEEPEST} deep`)
    const expression = read()
    this.#depth--
    return expression
  }

  #close(opening: Span): void {
    if (this.#takes(')')) return
    if (this.#token.kind === 'end') throw this.#wrong(opening, 'the bracket is never closed')
    throw this.#unexpected()
  }

  /** Returns the error for a missing operand. */
  #missing(): SessError {
    const before = this.#tokens[this.#next - 1]
    const { kind, text } = this.#token
    if (!before && kind === 'end') return this.#wrong(this.#token, 'there is nothing in it')
    if (before) return this.#wrong(before, `nothing follows '${before.text}'`)
    return this.#wrong(this.#token, `nothing precedes '${text}'`)
  }

  /** Returns the error for a token in place of an operator or the end. */
  #unexpected(): SessError {
    const token = this.#token
    const { kind, text } = token
    if (kind === 'sign' && text === ')') return this.#wrong(token, 'the bracket was never opened')
    if (kind === 'sign' && text === ',')
      return this.#wrong(token, 'a comma is allowed only between the arguments of a function')
    const shown = this.#source.slice(token.from, token.to)
    return (
      strayOperator(this.#source, token) ??
      this.#wrong(
        token,
        `no operator precedes '${shown}'`,
        "put '&' between for both, '|' for either, or quotes around a name with spaces",
      )
    )
  }

  #call({ text: name, from, to }: Token): RevsetExpression {
    const opening = this.#tokens[this.#next - 1] as Token
    if (!isFunction(name))
      throw this.#wrong({ from, to }, `'${name}' is no function`, undefined, Object.keys(FUNCTIONS))
    const parameters = parametersOf(name)
    let of: RevsetExpression | undefined
    let word: RevsetWord | undefined
    let count = 0
    const wrongCount = (at: Span): SessError =>
      this.#wrong(at, takes(parameters, name), `it is ${usageOf(name)}`)
    while (!this.#takes(')')) {
      if (count > 0 && !this.#takes(',')) this.#close(opening)
      const parameter = parameters[count++]
      if (!parameter) throw wrongCount(this.#token.kind === 'end' ? opening : this.#token)
      if (parameter.takes === 'set') of = this.#either()
      else word = this.#word(parameter, name)
    }
    const closing = this.#tokens[this.#next - 1] as Token
    const at = { from, to: closing.to }
    if (count < parameters.filter(({ optional }) => !optional).length) throw wrongCount(at)
    return { kind: 'call', name, at, ...(of ? { of } : {}), ...(word ? { word } : {}) }
  }

  #word(parameter: Parameter, name: string): RevsetWord {
    const { kind, text, from, to } = this.#token
    if (kind === 'sign' || kind === 'end') throw this.#missing()
    const word = { text, regex: kind === 'regex', at: { from, to } }
    const flaw = flawOf(word, parameter)
    if (flaw) throw this.#wrong(word.at, flaw.message, undefined, flaw.choices)
    this.#next++
    if (this.#token.kind === 'sign' && !/^[),]$/.test(this.#token.text))
      throw this.#wrong(this.#token, `'${name}' takes one ${parameter.name}, and no expression`)
    return word
  }
}

const joined = (kind: 'and' | 'or', of: readonly RevsetExpression[]): RevsetExpression => {
  const [first, last] = [of[0] as RevsetExpression, of.at(-1) as RevsetExpression]
  return of.length === 1 ? first : { kind, of, at: { from: first.at.from, to: last.at.to } }
}

function takes(parameters: readonly Parameter[], name: string): string {
  const most = parameters.length
  const least = parameters.filter(({ optional }) => !optional).length
  const many =
    most === 0
      ? 'no arguments'
      : `${least === most ? most : `${least} or ${most}`} argument${most === 1 ? '' : 's'}`
  return `'${name}' takes ${many}`
}

/** Returns the flaw of a word, as far as that is known without a store; undefined for a valid one. */
function flawOf(
  word: RevsetWord,
  { takes: kind }: Parameter,
): { readonly message: string; readonly choices?: readonly string[] } | undefined {
  const { text, regex } = word
  if (regex && kind !== 'pattern' && kind !== 'text')
    return { message: 'no regular expression is allowed here' }
  if (kind === 'count' && !(/^\d+$/.test(text) && Number.isSafeInteger(Number(text))))
    return { message: `'${text}' is not a whole number` }
  if (kind === 'role' && !ROLES.some((role) => role === text))
    return { message: `'${text}' is not a role`, choices: ROLES }
  const why = regex ? regexFlaw(text) : undefined
  return why === undefined ? undefined : { message: `the regular expression is not valid: ${why}` }
}

/** Returns the flaw of a regular expression; undefined for a valid one. */
function regexFlaw(source: string): string | undefined {
  try {
    regularExpression(source)
    return undefined
  } catch (error) {
    if (error instanceof PatternError) return error.message
    throw error
  }
}

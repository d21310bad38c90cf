import type { SessError, Span } from '../errors.ts'
import { wrong } from './errors.ts'

/** A piece of an expression: a word, a quoted text, a regular expression, a sign, or the end. */
export type Token = Span & {
  readonly kind: 'word' | 'quoted' | 'regex' | 'sign' | 'end'
  /** Its value, without quotes and escapes. */
  readonly text: string
}

const SPACE = /\s+/uy
const SIGN = /\.{2,3}|[()~,]|[<>]=?|&(?!&)|\|(?!\|)/uy
/**
 * A word of names, ids, patterns and times; two dots are a range, two colons nothing. Compiling such classes takes a
 * quarter of a millisecond, so each expression is made on first use.
 */
const wordHere = (): RegExp => /(?:[\p{L}\p{N}\p{M}_/*?%#=+$-]|@(?!\{)|\.(?!\.)|:(?![:"']))+/uy
/** Steps belong to the name before them. A `~` that something follows directly is an operator. */
const stepsHere = (): RegExp => /(?:~\d*(?![\p{L}\p{N}\p{M}_@("'.])|~\d+(?=\.\.)|~(?=\.\.)|\^\d*|@\{\d+\})+/uy
const QUOTED = /(re:)?(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')/suy
const OPEN_QUOTE = /(?:re:)?["']/uy
const strayHere = (): RegExp => /&&|\|\||::|[^\p{L}\p{N}\p{M}\s]|./suy

/** Operators of other languages, with their equivalents here. */
const MEANT: ReadonlyMap<string, string> = new Map([
  ['-', "'~' for what the left has and the right has not"],
  ['+', "'|' for either"],
  ['||', "'|' for either"],
  ['or', "'|' for either"],
  ['&&', "'&' for both"],
  ['and', "'&' for both"],
  ['!', "'~' for all but"],
  ['^', "'~' for all but"],
  ['not', "'~' for all but"],
  ['::', "'..' for a range, or ancestors(x) and descendants(x)"],
])

/** Returns the error for an unknown operator, with a suggestion; undefined if none is known. */
export function strayOperator(source: string, at: Span): SessError | undefined {
  const text = source.slice(at.from, at.to)
  const meant = MEANT.get(text.toLowerCase())
  return meant === undefined
    ? undefined
    : wrong(source, at, `'${text}' is no operator`, { hint: `did you mean ${meant}?` })
}

/** Splits an expression into its pieces. Throws `bad-expression`. */
export function tokensOf(source: string): Token[] {
  const tokens: Token[] = []
  let at = 0
  const take = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at
    const match = pattern.exec(source)
    if (!match) return undefined
    at += match[0].length
    return match
  }
  const named = (from: number, text: string, kind: 'word' | 'quoted'): Token => {
    const steps = take(stepsHere())?.[0]
    return { kind: steps === undefined ? kind : 'word', text: text + (steps ?? ''), from, to: at }
  }
  for (;;) {
    take(SPACE)
    const from = at
    if (from === source.length) return [...tokens, { kind: 'end', text: '', from, to: from }]
    const quoted = take(QUOTED)
    const sign = quoted ? undefined : take(SIGN)?.[0]
    const word = quoted || sign !== undefined ? undefined : take(wordHere())?.[0]
    if (quoted) {
      const [, regex, double, single = ''] = quoted
      const text = unescaped(double ?? single, regex !== undefined)
      tokens.push(regex === undefined ? named(from, text, 'quoted') : { kind: 'regex', text, from, to: at })
    } else if (sign !== undefined) tokens.push({ kind: 'sign', text: sign, from, to: at })
    else if (word !== undefined) tokens.push(named(from, word, 'word'))
    else throw stray(source, from)
  }
}

/** A backslash makes quotes and itself plain; in a regular expression it keeps its own meaning before all but quotes. */
const unescaped = (text: string, regex: boolean): string =>
  text.replace(/\\(.)/gsu, (pair, char: string) =>
    char === '"' || char === "'" || (char === '\\' && !regex) ? char : pair,
  )

function stray(source: string, from: number): SessError {
  OPEN_QUOTE.lastIndex = from
  if (OPEN_QUOTE.test(source)) return wrong(source, { from, to: source.length }, 'the quote is never closed')
  const pattern = strayHere()
  pattern.lastIndex = from
  const text = pattern.exec(source)?.[0] ?? ''
  const at = { from, to: from + text.length }
  return (
    strayOperator(source, at) ??
    wrong(source, at, `'${text}' means nothing here`, { hint: 'put quotes around names with odd characters' })
  )
}

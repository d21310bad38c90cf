import { SessError, type Span } from '../errors.ts'

interface Meant {
  /** Comes before the usual hint: a sentence, or a question. */
  readonly hint?: string
  /** The words that could have stood there. */
  readonly choices?: readonly string[]
}

/** Returns an error about a piece of an expression. */
export function wrong(
  source: string,
  { from, to }: Span,
  says: string,
  { hint, choices = [] }: Meant = {},
): SessError {
  const usual = "type 'sess help revsets' for the language"
  return new SessError('bad-expression', says, {
    at: { text: source, from, to },
    choices,
    hint: hint === undefined ? usual : `${hint}${hint.endsWith('?') ? '' : ';'} ${usual}`,
  })
}

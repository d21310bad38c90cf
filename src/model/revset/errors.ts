import { SessError, type Span } from '../errors.ts'

interface Meant {
  /** A sentence, or a question. */
  readonly hint?: string
  /** The words that are allowed there. */
  readonly choices?: readonly string[]
}

/** Returns an error about a piece of an expression. */
export function wrong(
  source: string,
  { from, to }: Span,
  message: string,
  { hint, choices = [] }: Meant = {},
): SessError {
  return new SessError('bad-expression', message, {
    at: { text: source, from, to },
    choices,
    ...(hint !== undefined && { hint }),
    remedy: { kind: 'check-syntax' },
  })
}

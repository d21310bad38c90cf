import type { Span } from '../errors.ts'
import type { FunctionName } from './functions.ts'

/** A word or a quoted text among the arguments of a function; `regex` is one that was written `re:"…"`. */
export interface Word {
  readonly text: string
  readonly regex: boolean
  readonly at: Span
}

/**
 * A parsed expression. `a ~ b` is `a & ~b`; a sequence of equal operators is one node, so that depth comes only from
 * brackets and `~`. A call has the one expression and the one word that its function takes.
 */
export type Expression = { readonly at: Span } & (
  | { readonly kind: 'revision'; readonly text: string }
  | { readonly kind: 'and' | 'or'; readonly of: readonly Expression[] }
  | { readonly kind: 'not'; readonly of: Expression }
  | {
      readonly kind: 'range'
      readonly left: Expression
      readonly right: Expression
      readonly symmetric: boolean
    }
  | {
      readonly kind: 'call'
      readonly name: FunctionName
      readonly of?: Expression
      readonly word?: Word
    }
)

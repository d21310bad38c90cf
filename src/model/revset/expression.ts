import type { Span } from '../errors.ts'
import type { FunctionName } from './functions.ts'

/** A word or a quoted text among the arguments of a function; `regex` is one that was written `re:"…"`. */
export interface RevsetWord {
  readonly text: string
  readonly regex: boolean
  readonly at: Span
}

/** The numbers of entries that are compared. */
export const COMPARED = ['cost', 'tokens'] as const

export type ComparedField = (typeof COMPARED)[number]

/** The comparisons of numbers. */
export const COMPARISONS = ['<', '<=', '>', '>='] as const

export type ComparisonSign = (typeof COMPARISONS)[number]

/**
 * A parsed expression. `a ~ b` is `a & ~b`; a sequence of equal operators is one node, so that depth comes only from
 * brackets and `~`. A call has the one expression and the one word that its function takes.
 */
export type RevsetExpression = { readonly at: Span } & (
  | { readonly kind: 'revision'; readonly text: string }
  | { readonly kind: 'and' | 'or'; readonly of: readonly RevsetExpression[] }
  | { readonly kind: 'not'; readonly of: RevsetExpression }
  | {
      readonly kind: 'range'
      readonly left: RevsetExpression
      readonly right: RevsetExpression
      readonly symmetric: boolean
    }
  | {
      readonly kind: 'compare'
      readonly field: ComparedField
      readonly sign: ComparisonSign
      readonly value: number
    }
  | {
      readonly kind: 'call'
      readonly name: FunctionName
      readonly of?: RevsetExpression
      readonly word?: RevsetWord
    }
)

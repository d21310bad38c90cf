import { diffArrays } from 'diff'

/** A piece of two texts: of both, or of one of them. */
export interface WordPiece {
  readonly value: string
  readonly added: boolean
  readonly removed: boolean
}

const WORDS = /\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu

/** Returns the words that two texts have in common and those that differ, in order. */
export const wordDiff = (before: string, after: string): WordPiece[] =>
  diffArrays(before.match(WORDS) ?? [], after.match(WORDS) ?? []).map(({ value, added, removed }) => ({
    value: value.join(''),
    added,
    removed,
  }))

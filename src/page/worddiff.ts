import { type ListPiece, listDiff } from './listdiff.ts'

/** A piece of two texts: of both, or of one of them. */
export interface WordPiece {
  readonly value: string
  readonly added: boolean
  readonly removed: boolean
}

const WORDS = /\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu
const LINES = /[^\n]*\n|[^\n]+/g

/** Returns the words that two texts have in common and those that differ, in order. */
export const wordDiff = (before: string, after: string): WordPiece[] =>
  joined(listDiff(before.match(WORDS) ?? [], after.match(WORDS) ?? []) ?? [])

/** Returns the lines that two texts have in common and those that differ; undefined where more differ than a number of them. */
export function lineDiff(before: string, after: string, maxEdits: number): WordPiece[] | undefined {
  const found = listDiff(before.match(LINES) ?? [], after.match(LINES) ?? [], maxEdits)
  return found && joined(found)
}

const joined = (pieces: readonly ListPiece<string>[]): WordPiece[] =>
  pieces.map(({ items, of }) => ({ value: items.join(''), added: of === 'after', removed: of === 'before' }))

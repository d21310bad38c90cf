import { diffArrays } from 'diff'

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
  joined(diffArrays(before.match(WORDS) ?? [], after.match(WORDS) ?? []))

/** Returns the lines that two texts have in common and those that differ; undefined where more differ than a number of them. */
export function lineDiff(before: string, after: string, maxEdits: number): WordPiece[] | undefined {
  const options = { maxEditLength: maxEdits }
  const found = diffArrays(before.match(LINES) ?? [], after.match(LINES) ?? [], options)
  return found && joined(found)
}

const joined = (
  parts: readonly { readonly value: readonly string[]; readonly added: boolean; readonly removed: boolean }[],
): WordPiece[] => parts.map(({ value, added, removed }) => ({ value: value.join(''), added, removed }))

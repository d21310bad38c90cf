import { diffLines, diffWordsWithSpace } from 'diff'

/** A run of words or lines that both sides have, or that one side has. */
export interface Edit {
  readonly side: 'both' | 'left' | 'right'
  readonly value: string
}

/** Looking further apart than this costs more than it tells. */
const MOST = { maxEditLength: 2000 }

interface Change {
  readonly added: boolean
  readonly removed: boolean
  readonly value: string
}

const edits = (changes: readonly Change[] | undefined): Edit[] | undefined =>
  changes?.map(({ added, removed, value }) => ({ side: added ? 'right' : removed ? 'left' : 'both', value }))

/** Returns the edits by words from one text to another, or undefined if they differ too much. */
export const wordEdits = (left: string, right: string): Edit[] | undefined =>
  edits(diffWordsWithSpace(left, right, MOST))

/** Returns the edits by lines from one text to another, or undefined if they differ too much. */
export const lineEdits = (left: string, right: string): Edit[] | undefined =>
  edits(diffLines(left, right, MOST))

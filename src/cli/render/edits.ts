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

/** Gives how one text becomes another by words, or undefined where they differ too much. */
export const wordEdits = (left: string, right: string): Edit[] | undefined =>
  edits(diffWordsWithSpace(left, right, MOST))

/** Gives how one text becomes another by lines, or undefined where they differ too much. */
export const lineEdits = (left: string, right: string): Edit[] | undefined =>
  edits(diffLines(left, right, MOST))

import { diffArrays, diffLines, diffWordsWithSpace } from 'diff'

/** A run of words, lines or things that both sides have, or that one side has. */
export interface Edit<T> {
  readonly side: 'both' | 'left' | 'right'
  readonly value: T
}

/** Looking further apart than this costs more than it tells. */
const MOST = { maxEditLength: 2000 }

interface Change<T> {
  readonly added: boolean
  readonly removed: boolean
  readonly value: T
}

const edits = <T>(changes: readonly Change<T>[] | undefined): Edit<T>[] | undefined =>
  changes?.map(({ added, removed, value }) => ({ side: added ? 'right' : removed ? 'left' : 'both', value }))

/** Gives how one text becomes another by words, or undefined where they differ too much. */
export const wordEdits = (left: string, right: string): Edit<string>[] | undefined =>
  edits(diffWordsWithSpace(left, right, MOST))

/** Gives how one text becomes another by lines, or undefined where they differ too much. */
export const lineEdits = (left: string, right: string): Edit<string>[] | undefined =>
  edits(diffLines(left, right, MOST))

/** Gives how one list becomes another, or undefined where they differ too much. */
export const listEdits = (left: string[], right: string[]): Edit<string[]>[] | undefined =>
  edits(diffArrays(left, right, MOST))

import { mergeBases } from '../graph/mergebase.ts'
import { type ErrorDetail, hasCode, SessError } from '../model/errors.ts'
import type { EntryHandle } from '../model/node.ts'
import { typable } from '../model/shellword.ts'
import { lookIn, type Reader } from '../repo/reader.ts'
import { type ResolvedRevision, resolve } from '../repo/revision.ts'
import { findTrunk } from '../repo/session.ts'

/** A range of revisions: what `right` reaches and `left` does not, or with `symmetric` what only one of them reaches. */
export interface RevisionRange {
  readonly left: ResolvedRevision
  readonly right: ResolvedRevision
  readonly symmetric: boolean
}

/** The names on both sides of a range. */
export type RangeSides = Readonly<Record<'left' | 'dots' | 'right', string>>

/** Returns the sides of `A..B` and `A...B`; undefined of a text that is no range, or that is the id of a session. */
export async function rangeSides(reader: Reader, text: string): Promise<RangeSides | undefined> {
  const [, left = '', dots = '', right = ''] = /^(.+?)(\.{2,3})(.+)$/.exec(text) ?? []
  return dots === '' || (await findTrunk(reader, text)) ? undefined : { left, dots, right }
}

/**
 * Parses `A..B` and `A...B`. Returns undefined for a text that is no range, or that is the id of a session. `find` resolves
 * the sides. Throws what `find` throws, with a hint where a side was left out.
 */
export async function rangeOf(
  reader: Reader,
  text: string,
  find: (side: string) => Promise<ResolvedRevision> = (side) => resolve(reader, side),
): Promise<RevisionRange | undefined> {
  const whole = completed(text)
  if (whole !== undefined) {
    const failed = await find(text).catch((error: unknown) => error)
    if (hasCode(failed, 'no-revision', 'no-session'))
      throw failed.with({ hint: `a range has a session or an entry on both sides of its dots: '${whole}'` })
    return undefined
  }
  const sides = await rangeSides(reader, text)
  if (!sides) return undefined
  const { left, dots, right } = sides
  return {
    left: await find(left),
    right: await find(right),
    symmetric: dots === '...',
  }
}

/** Does the same, and throws `bad-usage` for a range of three dots, whose entries are on no single path. */
export async function pathRangeOf(
  reader: Reader,
  text: string,
  find: (side: string) => Promise<ResolvedRevision>,
): Promise<RevisionRange | undefined> {
  const range = await rangeOf(reader, text, find)
  if (range?.symmetric)
    throw new SessError('bad-usage', `'${text}' names entries of two sides`, {
      hint: 'use two dots: A..B is what B has and A has not',
    })
  return range
}

/** Returns the tips of a range, and the entries that are left out of it with their ancestors. */
export async function rangeEnds(
  reader: Reader,
  { left, right, symmetric }: RevisionRange,
): Promise<{ readonly tips: EntryHandle[]; readonly hidden: EntryHandle[] }> {
  if (!symmetric) return { tips: [right.handle], hidden: [left.handle] }
  const hidden = await mergeBases(left.handle, right.handle, lookIn(reader))
  return { tips: [left.handle, right.handle], hidden }
}

/** Returns the error for a revision that names an entry where a session is needed too. */
export const noSessionNamed = (revision: string, how: Pick<ErrorDetail, 'hint' | 'remedy'>): SessError =>
  new SessError('bad-usage', `'${revision}' names an entry and no session`, how)

/** Returns a range of which one side was left out as it should be typed; undefined for any other text. */
function completed(text: string): string | undefined {
  const [left = '', dots, right = '', ...more] = text.split(/(\.{2,3})/)
  if (dots === undefined || more.length > 0 || (left !== '' && right !== '')) return undefined
  return `${typable(left || 'A', 'A')}${dots}${typable(right || 'B', 'B')}`
}

import { SessError } from '../model/errors.ts'
import { typable } from '../model/shellword.ts'
import type { Reader } from '../repo/reader.ts'
import { type ResolvedRevision, resolve } from '../repo/revision.ts'
import { findSession } from '../repo/session.ts'

/** What two revisions with dots between them name: what `right` has and `left` has not, or where `symmetric` too. */
export interface RevisionRange {
  readonly left: ResolvedRevision
  readonly right: ResolvedRevision
  readonly symmetric: boolean
}

/**
 * Reads `A..B` and `A...B`; undefined where a text is no range, or the id of a session that looks like one. `find` says
 * what each side names. Throws what `find` throws; where a side is left out and nothing is called so, with a hint at that.
 */
export async function rangeOf(
  reader: Reader,
  text: string,
  cwd: string,
  find: (side: string) => Promise<ResolvedRevision> = (side) => resolve(reader, side, cwd),
): Promise<RevisionRange | undefined> {
  const whole = completed(text)
  if (whole !== undefined) {
    const failed = await find(text).catch((error: unknown) => error)
    if (isUnknown(failed))
      throw failed.with({ hint: `a range has a session or an entry on both sides of its dots: '${whole}'` })
    return undefined
  }
  const match = /^(.+?)(\.{2,3})(.+)$/.exec(text)
  if (!match || (await findSession(reader, text))) return undefined
  const [, left = '', dots, right = ''] = match
  return {
    left: await find(left),
    right: await find(right),
    symmetric: dots === '...',
  }
}

/** Returns how a range is typed of which a side was left out; undefined where none was. */
function completed(text: string): string | undefined {
  const [left = '', dots, right = '', ...more] = text.split(/(\.{2,3})/)
  if (dots === undefined || more.length > 0 || (left !== '' && right !== '')) return undefined
  return `${typable(left || 'A', 'A')}${dots}${typable(right || 'B', 'B')}`
}

const isUnknown = (error: unknown): error is SessError =>
  error instanceof SessError && (error.code === 'no-revision' || error.code === 'no-session')

import type { Backend } from '../repo/backend.ts'
import { type Resolved, resolve } from '../repo/revision.ts'
import { findSession } from '../repo/session.ts'

/** What two revisions with dots between them name: what `right` has and `left` has not, or where `symmetric` too. */
export interface Range {
  readonly left: Resolved
  readonly right: Resolved
  readonly symmetric: boolean
}

/**
 * Reads `A..B` and `A...B`; undefined where a text is no range, or the id of a session that looks like one. `find` says
 * what each side names.
 */
export async function rangeOf(
  backend: Backend,
  text: string,
  cwd: string,
  find: (side: string) => Promise<Resolved> = (side) => resolve(backend, side, cwd),
): Promise<Range | undefined> {
  const match = /^(.+?)(\.{2,3})(.+)$/.exec(text)
  if (!match || (await findSession(backend, text))) return undefined
  const [, left = '', dots, right = ''] = match
  return {
    left: await find(left),
    right: await find(right),
    symmetric: dots === '...',
  }
}

import { range } from '../graph/range.ts'
import type { EntryHandle } from '../model/node.ts'
import { lookIn, type Reader } from '../repo/reader.ts'
import type { Repo } from '../repo/repo.ts'
import { resolve } from '../repo/revision.ts'
import { allTips, type EntryPosition, positionOf } from './lsobjects.ts'
import { rangeEnds, rangeOf } from './revisionrange.ts'

/** Options of a list of entries. */
export interface RevListOptions {
  /** Also begin at all refs. */
  readonly all?: boolean
  /** Follow only first parents. */
  readonly firstParent?: boolean
  /** The maximum number of entries. */
  readonly limit?: number
}

/**
 * Yields the entries that revisions reach, each once, children before parents and otherwise the last stored first.
 * `A..B` stands for what B reaches and A does not, `A...B` for what only one of them reaches, `^A` takes away what A
 * reaches. Reads no bodies, and only as far as entries are consumed. Throws as `resolve`.
 */
export async function* revList(
  repo: Repo,
  revisions: readonly string[],
  options: RevListOptions = {},
): AsyncGenerator<EntryPosition> {
  yield* repo.stream(async function* (reader) {
    for await (const handle of handlesFrom(reader, revisions, options)) yield await positionOf(reader, handle)
  })
}

/** Counts what `revList` yields, without reading the oids, which takes most of the time. */
export const revCount = (
  repo: Repo,
  revisions: readonly string[],
  options: RevListOptions = {},
): Promise<number> =>
  repo.read(async (reader) => {
    let count = 0
    for await (const _ of handlesFrom(reader, revisions, options)) count++
    return count
  })

async function* handlesFrom(
  reader: Reader,
  revisions: readonly string[],
  { all = false, firstParent = false, limit = Number.POSITIVE_INFINITY }: RevListOptions,
): AsyncGenerator<EntryHandle> {
  const { tips, hidden } = await endsOf(reader, revisions)
  if (all) for (const handle of await allTips(reader)) tips.add(handle)
  let left = limit
  if (left <= 0) return
  for await (const handle of range(tips, hidden, lookIn(reader), { firstParent })) {
    yield handle
    if (--left <= 0) return
  }
}

interface ListedEnds {
  readonly tips: Set<EntryHandle>
  readonly hidden: Set<EntryHandle>
}

async function endsOf(reader: Reader, revisions: readonly string[]): Promise<ListedEnds> {
  const ends: ListedEnds = { tips: new Set(), hidden: new Set() }
  for (const text of revisions) {
    const isHidden = text.startsWith('^')
    const named = isHidden ? undefined : await rangeOf(reader, text)
    if (named) {
      const { tips, hidden } = await rangeEnds(reader, named)
      for (const handle of tips) ends.tips.add(handle)
      for (const handle of hidden) ends.hidden.add(handle)
    } else {
      const { handle } = await resolve(reader, isHidden ? text.slice(1) : text)
      ends[isHidden ? 'hidden' : 'tips'].add(handle)
    }
  }
  return ends
}

import { mergeBases } from '../graph/mergebase.ts'
import { range } from '../graph/range.ts'
import type { EntryHandle } from '../model/node.ts'
import type { Reader } from '../repo/reader.ts'
import type { Repo } from '../repo/repo.ts'
import { resolve } from '../repo/revision.ts'
import { allTips, type EntryPosition, positionOf } from './lsobjects.ts'
import { rangeOf } from './revisionrange.ts'

/** What is listed, and how much of it. */
export interface RevListOptions {
  /** Begin at every ref too. */
  readonly all?: boolean
  /** Follow only the first parents of what is listed. */
  readonly firstParent?: boolean
  /** Give at most so many. */
  readonly limit?: number
}

/**
 * Yields what revisions reach, each entry once, children before parents, else what was stored last first. `A..B` is what
 * B has and A has not, `A...B` what only one of the two has, `^A` takes away what A reaches. Reads no bodies, and only
 * as far as it is asked. Throws as `resolve`.
 */
export async function* revList(
  repo: Repo,
  revisions: readonly string[],
  options: RevListOptions = {},
): AsyncGenerator<EntryPosition> {
  yield* repo.stream(async function* (reader) {
    for await (const handle of handlesFrom(reader, revisions, repo.env.cwd, options))
      yield await positionOf(reader, handle)
  })
}

/** Counts what `revList` gives: without the oids, which take most of the time. */
export const revCount = (
  repo: Repo,
  revisions: readonly string[],
  options: RevListOptions = {},
): Promise<number> =>
  repo.read(async (reader) => {
    let count = 0
    for await (const _ of handlesFrom(reader, revisions, repo.env.cwd, options)) count++
    return count
  })

async function* handlesFrom(
  reader: Reader,
  revisions: readonly string[],
  cwd: string,
  { all = false, firstParent = false, limit = Number.POSITIVE_INFINITY }: RevListOptions,
): AsyncGenerator<EntryHandle> {
  const { tips, hidden } = await endsOf(reader, revisions, cwd)
  if (all) for (const handle of await allTips(reader)) tips.add(handle)
  let left = limit
  if (left <= 0) return
  for await (const handle of range(tips, hidden, (node) => reader.node(node), { firstParent })) {
    yield handle
    if (--left <= 0) return
  }
}

interface ListedEnds {
  readonly tips: Set<EntryHandle>
  readonly hidden: Set<EntryHandle>
}

async function endsOf(reader: Reader, revisions: readonly string[], cwd: string): Promise<ListedEnds> {
  const tips = new Set<EntryHandle>()
  const hidden = new Set<EntryHandle>()
  for (const text of revisions) {
    if (text.startsWith('^')) {
      hidden.add((await resolve(reader, text.slice(1), cwd)).handle)
      continue
    }
    const between = await rangeOf(reader, text, cwd)
    if (!between) {
      tips.add((await resolve(reader, text, cwd)).handle)
      continue
    }
    const { left, right, symmetric } = between
    tips.add(right.handle)
    if (symmetric) {
      tips.add(left.handle)
      for (const base of await mergeBases(left.handle, right.handle, (handle) => reader.node(handle)))
        hidden.add(base)
    } else hidden.add(left.handle)
  }
  return { tips, hidden }
}

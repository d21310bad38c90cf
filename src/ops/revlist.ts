import { mergeBases } from '../graph/mergebase.ts'
import { range } from '../graph/range.ts'
import type { Backend, Row } from '../repo/backend.ts'
import type { Repo } from '../repo/repo.ts'
import { resolve } from '../repo/revision.ts'
import { allTips, type Place, placeOf } from './objects.ts'
import { rangeOf } from './select/range.ts'

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
 * Gives what revisions reach, each entry once, children before parents, else what was stored last first. `A..B` is what
 * B has and A has not, `A...B` what only one of the two has, `^A` takes away what A reaches. Reads no bodies, and only
 * as far as it is asked. Throws as `resolve`.
 */
export async function* revList(
  repo: Repo,
  revisions: readonly string[],
  options: RevListOptions = {},
): AsyncGenerator<Place> {
  yield* repo.stream(async function* (backend) {
    for await (const row of rowsFrom(backend, revisions, repo.env.cwd, options))
      yield await placeOf(backend, row)
  })
}

/** Counts what `revList` gives: without the oids, which take most of the time. */
export const revCount = (
  repo: Repo,
  revisions: readonly string[],
  options: RevListOptions = {},
): Promise<number> =>
  repo.read(async (backend) => {
    let count = 0
    for await (const _ of rowsFrom(backend, revisions, repo.env.cwd, options)) count++
    return count
  })

async function* rowsFrom(
  backend: Backend,
  revisions: readonly string[],
  cwd: string,
  { all = false, firstParent = false, limit = Number.POSITIVE_INFINITY }: RevListOptions,
): AsyncGenerator<Row> {
  const { tips, hidden } = await endsOf(backend, revisions, cwd)
  if (all) for (const row of await allTips(backend)) tips.add(row)
  let left = limit
  if (left <= 0) return
  for await (const row of range(tips, hidden, (node) => backend.node(node), { firstParent })) {
    yield row
    if (--left <= 0) return
  }
}

interface Ends {
  readonly tips: Set<Row>
  readonly hidden: Set<Row>
}

async function endsOf(backend: Backend, revisions: readonly string[], cwd: string): Promise<Ends> {
  const tips = new Set<Row>()
  const hidden = new Set<Row>()
  for (const text of revisions) {
    if (text.startsWith('^')) {
      hidden.add((await resolve(backend, text.slice(1), cwd)).row)
      continue
    }
    const between = await rangeOf(backend, text, cwd)
    if (!between) {
      tips.add((await resolve(backend, text, cwd)).row)
      continue
    }
    const { left, right, symmetric } = between
    tips.add(right.row)
    if (symmetric) {
      tips.add(left.row)
      for (const base of await mergeBases(left.row, right.row, (row) => backend.node(row))) hidden.add(base)
    } else hidden.add(left.row)
  }
  return { tips, hidden }
}

import type { Effect, View } from '../model/view.ts'
import type { ContextItem } from './contextitem.ts'
import type { Edit } from './contextwalk.ts'

/** What a stretch of a path shows: all of the path that is asked for, or what a merge brings. */
export interface Stretch<N> {
  readonly items: readonly ContextItem<N>[]
  /** Those of the items behind each of which stands what a merge brings. */
  readonly merges: ReadonlySet<ContextItem<N>>
  /** The latest edits: those of a path reach what is merged into it. */
  readonly edits: ReadonlyMap<N, Edit<N>>
}

/** Gives what a merge says before what it brings: a line of the user; or the summary that stands instead. */
export function markOf({ from, summary }: Extract<Effect, { kind: 'merge' }>): View {
  if (summary !== undefined)
    return { role: null, blocks: [], effect: { kind: 'summary', text: `From '${from}':\n${summary}` } }
  return {
    role: 'user',
    blocks: [{ kind: 'text', text: `[What follows was said on '${from}' and is merged here.]` }],
  }
}

/**
 * Puts what merges bring behind their marks, however deep they are nested, and gives all in runs that are whole of
 * themselves: a call before a merge is answered before it. What is shown already is not brought again. `bring` gives
 * what a merge brings; undefined where that is nothing.
 */
export async function unfolded<N>(
  path: Stretch<N>,
  bring: (merge: ContextItem<N>, edits: Stretch<N>['edits']) => Promise<Stretch<N> | undefined>,
): Promise<(readonly ContextItem<N>[])[]> {
  if (path.merges.size === 0) return [path.items]
  const seen = new Set(path.items.map(({ node }) => node))
  const open = [{ ...path, at: 0 }]
  const runs: ContextItem<N>[][] = [[]]
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    const item = top.items[top.at++]
    if (item === undefined) {
      open.pop()
      runs.push([])
      continue
    }
    runs.at(-1)?.push(item)
    const brought = top.merges.has(item) ? await bring(item, top.edits) : undefined
    if (!brought) continue
    const items = brought.items.filter(({ node }) => !seen.has(node))
    for (const { node } of items) seen.add(node)
    open.push({ ...brought, items, at: 0 })
    runs.push([])
  }
  return runs
}

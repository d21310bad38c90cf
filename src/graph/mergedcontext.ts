import type { Effect, View } from '../model/view.ts'
import type { ContextItem } from './contextitem.ts'
import type { Edit } from './contextwalk.ts'

/** The context of a path, or of the part of another path that a merge adds. */
export interface PathContext<N> {
  readonly items: readonly ContextItem<N>[]
  /** The items of merges: each is followed by the context that it adds. */
  readonly merges: ReadonlySet<ContextItem<N>>
  /** The latest edits. Edits of a path also apply to the paths that are merged into it. */
  readonly edits: ReadonlyMap<N, Edit<N>>
}

/** Returns the view that introduces merged items: a line in the user's role, or a summary in place of the items. */
export function mergeMark({ from, summary }: Extract<Effect, { kind: 'merge' }>): View {
  if (summary !== undefined)
    return { role: null, blocks: [], effect: { kind: 'summary', text: `From '${from}':\n${summary}` } }
  return {
    role: 'user',
    blocks: [{ kind: 'text', text: `[What follows was said on '${from}' and is merged here.]` }],
  }
}

/**
 * Inserts the items that merges add after their marks, at any depth of nesting, without items that are there already.
 * Returns the items in sections, within which each call has its result. `bring` returns the context that a merge adds, or
 * undefined.
 */
export async function insertMerges<N>(
  path: PathContext<N>,
  bring: (merge: ContextItem<N>, edits: PathContext<N>['edits']) => Promise<PathContext<N> | undefined>,
): Promise<(readonly ContextItem<N>[])[]> {
  if (path.merges.size === 0) return [path.items]
  const seen = new Set(path.items.map(({ node }) => node))
  const open = [{ ...path, at: 0 }]
  const sections: ContextItem<N>[][] = [[]]
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    const item = top.items[top.at++]
    if (item === undefined) {
      open.pop()
      sections.push([])
      continue
    }
    sections.at(-1)?.push(item)
    const brought = top.merges.has(item) ? await bring(item, top.edits) : undefined
    if (!brought) continue
    const items = brought.items.filter(({ node }) => !seen.has(node))
    for (const { node } of items) seen.add(node)
    open.push({ ...brought, items, at: 0 })
    sections.push([])
  }
  return sections
}

import { mergeBase } from '../../graph/mergebase.ts'
import { range } from '../../graph/range.ts'
import { path } from '../../graph/walk.ts'
import type { EntryHandle } from '../../model/node.ts'
import type { Reader } from '../../repo/reader.ts'

/** Returns the newest entry that all of some reach; undefined where there is none. */
export async function commonBase(
  reader: Reader,
  handles: readonly EntryHandle[],
): Promise<EntryHandle | undefined> {
  let base = handles[0]
  for (const handle of handles.slice(1)) {
    if (base === undefined) return undefined
    base = await mergeBase(base, handle, (node) => reader.node(node))
  }
  return base
}

/**
 * Yields the entries that a tip reaches and a base does not, children before parents; all that it reaches where there is
 * no base.
 */
export async function* since(
  reader: Reader,
  tip: EntryHandle,
  base: EntryHandle | undefined,
): AsyncGenerator<EntryHandle> {
  const look = (handle: EntryHandle) => reader.node(handle)
  if ((await look(tip)).merge !== undefined) yield* range([tip], base === undefined ? [] : [base], look)
  else
    for await (const handle of path(tip, look)) {
      if (handle === base) return
      yield handle
    }
}

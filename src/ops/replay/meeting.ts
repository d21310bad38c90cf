import { meeting } from '../../graph/mergebase.ts'
import { range } from '../../graph/range.ts'
import { isAncestor, path } from '../../graph/walk.ts'
import type { EntryHandle } from '../../model/node.ts'
import type { Reader } from '../../repo/reader.ts'

/**
 * Returns the newest entry of another entry's path that a tip reaches: what the path has behind it only that side has.
 * Undefined where they share nothing. Where histories crossed and have several best common ancestors, it is the one on
 * that path.
 */
export async function meetingOf(
  reader: Reader,
  tip: EntryHandle,
  other: EntryHandle,
): Promise<EntryHandle | undefined> {
  const look = (handle: EntryHandle) => reader.node(handle)
  if (await isAncestor(other, tip, look)) return other
  if ((await look(tip)).merge === undefined) return meeting(tip, other, look)
  let last: EntryHandle | undefined = other
  for await (const handle of range([other], [tip], look, { firstParent: true }))
    last = (await look(handle)).parents[0]
  return last
}

/** Returns what the path of one entry has and another does not reach, in path order. */
export async function pathSince(
  reader: Reader,
  tip: EntryHandle,
  other: EntryHandle | undefined,
): Promise<EntryHandle[]> {
  const look = (handle: EntryHandle) => reader.node(handle)
  const end = other === undefined ? undefined : await meetingOf(reader, other, tip)
  const handles: EntryHandle[] = []
  for await (const handle of path(tip, look)) {
    if (handle === end) break
    handles.push(handle)
  }
  return handles.reverse()
}

import { viewOf } from '../../formats/registry.ts'
import { ancestor, path } from '../../graph/walk.ts'
import type { GraphFilter } from '../../model/filter.ts'
import type { EntryHandle } from '../../model/node.ts'
import { promptIn } from '../../model/summary.ts'
import { roleOf, textOf } from '../../model/view.ts'
import type { Reader } from '../../repo/reader.ts'
import type { LookAt } from '../graphentry.ts'

/** By default so many of the newest prompts of a stretch are drawn, and the first one. */
const NEWEST = 2

/** A prompt is looked for among so many entries from the end of a stretch, and so many from its beginning. */
const FROM_END = 1000
const FROM_BEGINNING = 40

/**
 * Gives the entries that are drawn between two on a path, the newest first. By default that takes a bounded number of
 * looks however many entries lie between, else it looks at each of them.
 */
export async function* drawnBetween(
  reader: Reader,
  look: LookAt,
  [newer, older]: readonly [EntryHandle, EntryHandle],
  filter: GraphFilter,
): AsyncGenerator<EntryHandle> {
  if (filter === 'labeled-only') return
  const lowest = (await look(older)).depth
  const length = (await look(newer)).depth - lowest - 1
  let seen = 0
  let found = 0
  let last = newer
  for await (const handle of path(newer, look)) {
    if (handle === newer) continue
    if (handle === older || (filter === 'default' && (found === NEWEST || seen === FROM_END))) break
    seen++
    if (!(await isDrawn(reader, handle, filter))) continue
    found++
    last = handle
    yield handle
  }
  if (filter !== 'default' || seen === length) return
  const left = Math.min(FROM_BEGINNING, (await look(last)).depth - lowest - 1, length - seen)
  for (let steps = length; steps > length - left; steps--) {
    const handle = (await ancestor(newer, steps, look)) as EntryHandle
    if (await isDrawn(reader, handle, filter)) {
      yield handle
      return
    }
  }
}

/** Tells whether an entry that gives the tree no shape is drawn. Reads its body only where its role leaves it open. */
export async function isDrawn(reader: Reader, handle: EntryHandle, filter: GraphFilter): Promise<boolean> {
  if (filter === 'all') return true
  const { traits, type } = await reader.node(handle)
  const role = roleOf(traits)
  if (role !== 'user' && (filter !== 'no-tools' || role !== 'assistant')) return false
  const view = viewOf(type, await reader.body(handle))
  return role === 'user' ? promptIn(view) !== undefined : (textOf(view) ?? '').trim() !== ''
}

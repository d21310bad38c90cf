import { freshId } from './ids.ts'
import type { LabelEntry, SessionEntry } from './types.ts'

/** A label as it is set: on which entry, since when (ISO 8601). */
export interface SetLabel {
  readonly targetId: string
  readonly label: string
  readonly timestamp: string
}

/**
 * Gives the entries of a session that holds one path of another: without the labels on it, and then the labels that
 * are set on what is left, one after the other, with the times that they had. With `rechains` an entry whose parent was
 * left out continues the one before, and a compaction that keeps from such a one keeps from the next.
 */
export function branchedEntries(
  path: readonly SessionEntry[],
  labels: Iterable<SetLabel>,
  { rechains }: { readonly rechains: boolean },
): SessionEntry[] {
  const left = path.filter(({ type }) => type !== 'label')
  const entries = rechains ? rechained(path) : left
  const ids = new Set(path.map(({ id }) => id))
  const kept = new Set(left.map(({ id }) => id))
  let parentId = left.at(-1)?.id ?? null
  for (const { targetId, label, timestamp } of labels) {
    if (!kept.has(targetId)) continue
    const id = freshId(ids)
    ids.add(id)
    entries.push({ type: 'label', id, parentId, timestamp, targetId, label } satisfies LabelEntry)
    parentId = id
  }
  return entries
}

function rechained(path: readonly SessionEntry[]): SessionEntry[] {
  const instead = nextKept(path)
  let parentId: string | null = null
  return path.flatMap((entry) => {
    if (entry.type === 'label') return []
    const copy = { ...entry, parentId }
    if (copy.type === 'compaction')
      copy.firstKeptEntryId = instead.get(copy.firstKeptEntryId) ?? copy.firstKeptEntryId
    parentId = entry.id
    return [copy]
  })
}

/** Gives for each label of a path the entry after it that is none. */
function nextKept(path: readonly SessionEntry[]): ReadonlyMap<string, string> {
  const next = new Map<string, string>()
  let after: string | undefined
  for (const { type, id } of path.toReversed())
    if (type !== 'label') after = id
    else if (after !== undefined) next.set(id, after)
  return next
}

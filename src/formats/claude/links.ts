import type { JsonObject } from '../../model/json.ts'
import type { ParsedEntry, RecordIndex } from '../format.ts'
import type { EntryKind } from './body.ts'
import type { Chain } from './chain.ts'
import { asIds, at, idAt } from './look.ts'

/** Gives the links of an entry to ancestors of its own, undefined where it has none. */
export function linksOf(
  record: JsonObject,
  kind: EntryKind,
  parent: RecordIndex | null,
  chain: Chain,
): ParsedEntry['links'] | undefined {
  if (parent === null) return undefined
  if (kind === 'compact_boundary') {
    const kept = keptBy(record, parent, chain)
    return kept.length > 0 ? { kept } : undefined
  }
  const target = kind === 'microcompact' ? targetOf(record, parent, chain) : undefined
  return target === undefined ? undefined : { target }
}

/** What a compaction lists as kept, else the segment of the path that it names by its ends. */
function keptBy(record: JsonObject, parent: RecordIndex, chain: Chain): readonly RecordIndex[] {
  const listed = at(record, 'compactMetadata', 'preservedMessages', 'uuids')
  if (Array.isArray(listed)) {
    const entries = asIds(listed).map((id) => chain.entry(id))
    return [...new Set(entries)].filter(
      (e) => e !== undefined && chain.nodes.isOn(e, parent),
    ) as RecordIndex[]
  }
  const head = idAt(record, 'compactMetadata', 'preservedSegment', 'headUuid')
  const tail = idAt(record, 'compactMetadata', 'preservedSegment', 'tailUuid')
  return head === undefined || tail === undefined ? [] : segment(head, tail, parent, chain)
}

function segment(head: string, tail: string, parent: RecordIndex, chain: Chain): readonly RecordIndex[] {
  const first = chain.nearest(head)
  const last = chain.nearest(tail)
  if (first === undefined || last === undefined) return []
  if (!chain.nodes.isOn(last, parent) || !chain.nodes.isOn(first, last)) return []
  const path = chain.nodes.between(first, last)
  // A head that is no entry stands for what follows it, not for the entry before it.
  return chain.entry(head) === undefined ? path.slice(1) : path
}

/** The entry whose result a microcompaction clears, where it clears one: an entry's links hold one target. */
function targetOf(record: JsonObject, parent: RecordIndex, chain: Chain): RecordIndex | undefined {
  const calls = asIds(at(record, 'microcompactMetadata', 'compactedToolIds'))
  const target = calls.length === 1 ? chain.answer(calls[0] as string) : undefined
  return target !== undefined && chain.nodes.isOn(target, parent) ? target : undefined
}

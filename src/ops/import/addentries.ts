import type { ParsedEntry, RechainedEntry } from '../../formats/core/format.ts'
import { viewOf } from '../../formats/registry.ts'
import { encode } from '../../model/encoding/canonical.ts'
import type { Json } from '../../model/json.ts'
import type { EntryHandle } from '../../model/node.ts'
import { addEntry } from '../append/nativelog.ts'
import type { Gathered } from './gathered.ts'
import type { IngestContext } from './ingestoptions.ts'

type Entries = Pick<Gathered, 'records' | 'entries'>

/** Stores an entry unless it is there, indexes and counts it. `value` is the value of its unit, `time` that of its record. */
export async function addParsed(
  into: IngestContext,
  { records, entries }: Entries,
  parsed: ParsedEntry,
  canonical: Uint8Array,
  { value, time }: { readonly value?: Json | undefined; readonly time?: number | null | undefined },
): Promise<EntryHandle> {
  const parents = records.parentsOf(parsed)
  const { type, body } = parsed
  const view = viewOf(type, body, value)
  const links = records.linksOf(parsed)
  const { handle } = await addEntry(into, { type, body, canonical, view, parents, links })
  const isStored = !into.indexer.add(handle, view)
  await entries.count(into, { handle, parents, view, time, isStored })
  return handle
}

/** Stores an entry again below another parent. */
export async function rechain(
  into: IngestContext,
  gathered: Entries,
  one: RechainedEntry,
): Promise<EntryHandle> {
  const parsed = await gathered.records.originalOf(one, into.reader)
  return addParsed(into, gathered, parsed, encode(parsed.body), { time: one.time })
}

/** Marks an entry as superseded, unless it is. */
export async function supersede(
  into: IngestContext,
  { entries }: Entries,
  handle: EntryHandle,
): Promise<void> {
  if (!entries.isCurrent(handle)) return
  const { type, parents } = await into.reader.node(handle)
  const view = viewOf(type, await into.reader.body(handle))
  await entries.supersede(into, { handle, parents, view })
}

import type { Loss } from '../../formats/core/losses.ts'
import { uuidOf } from '../../formats/core/uuid.ts'
import type { Draft, DraftEntry, Index } from '../../formats/core/writer.ts'
import { fullViewOf, isUsageInRecord, viewOf, type Writable } from '../../formats/registry.ts'
import { mapLinks } from '../../model/entry.ts'
import type { Json } from '../../model/json.ts'
import type { EntryHandle, Node } from '../../model/node.ts'
import type { Oid } from '../../model/oid.ts'
import { EDITS, type View } from '../../model/view.ts'
import type { Reader } from '../../repo/reader.ts'
import { readRecord, valueAt } from '../../repo/records.ts'
import { type Session, updatedOf } from '../../repo/session.ts'
import { PathRecords } from '../entries.ts'
import { withBlobs } from '../images.ts'
import type { SessionPart } from './selection.ts'

/** By entry its index in the draft. */
type EntryIndexes = ReadonlyMap<EntryHandle, Index>

/** Gives a part of a session as writers of a format take it. It is to be closed once all entries were asked for. */
export async function writerInput(
  reader: Reader,
  part: SessionPart,
  format: Writable,
  now: () => number,
): Promise<Draft & { readonly close: () => Promise<void> }> {
  const { session, handles, tip } = part
  const places: EntryIndexes = new Map(handles.map((handle, at) => [handle, at]))
  const { children, edits, losses } = await surveyed(reader, handles, places)
  const finder = new PathRecords(reader, session)

  async function read(at: Index): Promise<Omit<DraftEntry, 'time' | 'native' | 'value'>> {
    const node = await reader.node(handles[at] as EntryHandle)
    const body = await reader.body(node.handle)
    const edit = edits.get(at)
    return {
      oid: await reader.oid(node.handle),
      type: node.type,
      body,
      view: await withBlobs(reader, fullViewOf(node.type, body), true),
      parents: node.parents.flatMap((parent) => places.get(parent) ?? []),
      links: await linksIn(node, places),
      children: children[at] as number,
      ...(edit !== undefined && { edit }),
    }
  }

  async function entry(at: Index): Promise<DraftEntry> {
    const known = await read(at)
    const found = await finder.find(handles[at] as EntryHandle)
    const isOwn = known.type.startsWith(`${format.dialect}/`)
    const isRead = found && (isOwn || isUsageInRecord(known.type))
    const record = isRead ? await valueAt(reader, found) : undefined
    const value = isOwn ? record : undefined
    return {
      ...known,
      ...(record !== undefined && { view: withUsage(known, record) }),
      ...(found?.time !== undefined && { time: found.time }),
      ...(found?.native !== undefined && { native: found.native }),
      ...(value !== undefined && { value }),
    }
  }

  const at = tip === undefined ? undefined : places.get(tip)
  const header = session && (await headerOf(reader, session, format))
  // An entry without a session has no time: what is written of it is as old as the export.
  const created = session?.meta.created ?? (session && updatedOf(session)) ?? now()
  return {
    id: await idOf(reader, part, format, created),
    ...(session?.meta.title && { title: session.meta.title }),
    ...(session?.meta.cwd && { cwd: session.meta.cwd }),
    created,
    ...(header !== undefined && { header }),
    count: handles.length,
    ...(at !== undefined && { tip: at }),
    branches: await placed(reader, part.branches, places),
    labels: await placed(reader, session?.labels ?? new Map(), places),
    losses: [...part.losses, ...losses],
    async *entries() {
      for (let place = 0; place < handles.length; place++) yield entry(place)
    },
    read,
    oid: async (place) => reader.oid(handles[place] as EntryHandle),
    close: () => finder.close(),
  }
}

/** Returns the view of an entry with the usage that its record holds. */
function withUsage({ type, view, body }: Pick<DraftEntry, 'type' | 'view' | 'body'>, record: Json): View {
  const { usage } = viewOf(type, body, record)
  return usage ? { ...view, usage } : view
}

interface Surveyed {
  /** How many entries continue each. */
  readonly children: Int32Array
  /** By entry that is edited: the newest entry that edits it. */
  readonly edits: ReadonlyMap<Index, Index>
  readonly losses: readonly Loss[]
}

/** Looks at all entries without reading what they say. */
async function surveyed(
  reader: Reader,
  handles: readonly EntryHandle[],
  places: EntryIndexes,
): Promise<Surveyed> {
  const children = new Int32Array(handles.length)
  const edits = new Map<Index, Index>()
  const losses: Loss[] = []
  for (const [at, handle] of handles.entries()) {
    const node = reader.node(handle)
    const { parents, links, traits } = node instanceof Promise ? await node : node
    for (const parent of parents) {
      const place = places.get(parent)
      if (place !== undefined) children[place] = (children[place] as number) + 1
    }
    const { firstKept, kept = [], target } = links
    const target_ = target === undefined ? undefined : places.get(target)
    if (traits & EDITS && target_ !== undefined) edits.set(target_, at)
    for (const link of [firstKept, target, ...kept])
      if (link !== undefined && places.get(link) === undefined) {
        losses.push({ code: 'outside', oid: await reader.oid(handle) })
        break
      }
  }
  return { children, edits, losses }
}

/** Gives the links that stay: of a compaction that keeps what precedes the draft, the first entry of the draft. */
async function linksIn({ links }: Node, places: EntryIndexes): Promise<DraftEntry['links']> {
  const { firstKept, kept, target } = await mapLinks(links, (handle) => places.get(handle))
  return {
    ...(links.firstKept !== undefined && { firstKept: firstKept ?? 0 }),
    ...(kept !== undefined && { kept: kept.filter((place) => place !== undefined) }),
    ...(target !== undefined && { target }),
  }
}

async function placed(
  reader: Reader,
  names: ReadonlyMap<string, Oid>,
  places: EntryIndexes,
): Promise<Map<string, Index>> {
  const found = new Map<string, Index>()
  const handles = await reader.findMany(names.values())
  for (const [name, oid] of names) {
    const handle = handles.get(oid)
    const place = handle === undefined ? undefined : places.get(handle)
    if (place !== undefined) found.set(name, place)
  }
  return found
}

/** A session keeps its id in its own format, where that takes it; elsewhere its entries give it one. */
async function idOf(
  reader: Reader,
  { session, tip }: SessionPart,
  format: Writable,
  created: number,
): Promise<string> {
  const { name, writer } = format
  if (session && name === 'sess') return session.id
  const own = session && isOf(session, format) ? (session.meta.native ?? session.id) : undefined
  if (own !== undefined && (writer.takesId?.(own) ?? true)) return own
  return freshId(format, created, session?.id, tip === undefined ? undefined : await reader.oid(tip))
}

const isOf = ({ meta }: Session, { format }: Writable): boolean => meta.format === format?.name

/** Gives the id under which a session that stands on an entry is written where it has none there. */
export function freshId(
  { name, writer }: Writable,
  created: number,
  session: string | undefined,
  tip: Oid | undefined,
): string {
  const uuid = uuidOf(name, session ?? '', tip ?? '')
  return writer.idOf?.(uuid, created) ?? uuid
}

/** How many of a source's first records may stand before its header. */
const BEFORE = 2

/** Gives the header of a source of the same format, where that is no entry. */
async function headerOf(reader: Reader, session: Session, format: Writable): Promise<Json | undefined> {
  const { source } = session
  const { writer } = format
  if (!isOf(session, format) || !source) return undefined
  const places = Math.min(source.count, writer.isHeader ? BEFORE : 1)
  for (let position = 0; position < places; position++) {
    const { entry } = await readRecord(reader, source.log, position)
    const value = entry === undefined ? await valueAt(reader, { log: source.log, position }) : undefined
    if (value === undefined || (writer.isHeader?.(value) ?? true)) return value
  }
  return undefined
}

import type { Loss } from '../../formats/core/losses.ts'
import { uuidOf } from '../../formats/core/uuid.ts'
import type { Draft, DraftEntry, Index } from '../../formats/core/writer.ts'
import { fullViewOf, viewOf } from '../../formats/registry.ts'
import type { Writable } from '../../formats/writable.ts'
import { mapLinks } from '../../model/encoding/entry.ts'
import type { Oid } from '../../model/encoding/oid.ts'
import { EntryPlaces } from '../../model/entryplaces.ts'
import type { Json } from '../../model/json.ts'
import type { EntryHandle, Node } from '../../model/node.ts'
import { EDITS, type Usage } from '../../model/view.ts'
import type { Reader } from '../../repo/reader.ts'
import { type RecordLocation, readRecord, valueAt } from '../../repo/records.ts'
import { type SessionTrunk, updatedOf } from '../../repo/session.ts'
import { PathRecords } from '../entries.ts'
import { withBlobs } from '../images.ts'
import { usageRecord, withReported } from '../usage.ts'
import type { SessionPart } from './selection.ts'

/** Returns a part of a session as input of the writer of a format. The caller closes it after reading its entries. */
export async function writerInput(
  reader: Reader,
  part: SessionPart,
  format: Writable,
  now: () => number,
): Promise<Draft & { readonly close: () => Promise<void> }> {
  const { session, handles, tip } = part
  const places = new EntryPlaces(handles)
  const { children, edits, losses } = await survey(reader, handles, places)
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
    // Nobody reads there how many tokens a message took, and its record would be read for that alone.
    if (format.writer.isForPeople) return { ...known, ...timeAndId(found) }
    const isOwn = known.type.startsWith(`${format.dialect}/`)
    const value = found && isOwn ? await valueAt(reader, found) : undefined
    const record = value ?? (await usageRecord(reader, known.type, found))
    const usage = record === undefined ? found?.usage : usageIn(known, record, found)
    return {
      ...known,
      ...(usage && { view: { ...known.view, usage } }),
      ...timeAndId(found),
      ...(value !== undefined && { value }),
    }
  }

  const at = tip === undefined ? undefined : places.get(tip)
  const header = session && (await headerOf(reader, session, format))
  // An entry without a session has no time: then the file is as old as the export.
  const created = session?.meta.created ?? (session && updatedOf(session)) ?? now()
  return {
    id: await idOf(reader, part, format, created),
    ...(session?.meta.title && { title: session.meta.title }),
    ...(format.writer.isForPeople && session?.meta.prompt && { prompt: session.meta.prompt }),
    ...(session?.meta.cwd && { cwd: session.meta.cwd }),
    created,
    ...(header !== undefined && { header }),
    count: handles.length,
    ...(at !== undefined && { tip: at }),
    branches: await indexesOf(reader, part.branches, places),
    labels: await indexesOf(reader, session?.labels ?? new Map(), places),
    losses: [...part.losses, ...losses, ...(await lostSubagents(reader, session, places))],
    async *entries() {
      for (let place = 0; place < handles.length; place++) yield entry(place)
    },
    read,
    oid: async (place) => reader.oid(handles[place] as EntryHandle),
    close: () => finder.close(),
  }
}

const timeAndId = (found: RecordLocation | undefined): Pick<DraftEntry, 'time' | 'native'> => ({
  ...(found?.time !== undefined && { time: found.time }),
  ...(found?.native !== undefined && { native: found.native }),
})

/** Returns the usage of an entry with what its record holds and what later records report. */
const usageIn = (
  { type, body }: Pick<DraftEntry, 'type' | 'body'>,
  record: Json,
  found: RecordLocation | undefined,
): Usage | undefined => withReported(viewOf(type, body, record), found?.usage).usage

interface Survey {
  /** The number of children of each entry. */
  readonly children: Int32Array
  /** The newest entry that edits each edited entry. */
  readonly edits: ReadonlyMap<Index, Index>
  readonly losses: readonly Loss[]
}

/** Examines all entries without reading their bodies. */
async function survey(reader: Reader, handles: readonly EntryHandle[], places: EntryPlaces): Promise<Survey> {
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
    const edited = target === undefined ? undefined : places.get(target)
    if (traits & EDITS && edited !== undefined) edits.set(edited, at)
    for (const link of [firstKept, target, ...kept])
      if (link !== undefined && places.get(link) === undefined) {
        losses.push({ code: 'outside', oid: await reader.oid(handle) })
        break
      }
  }
  return { children, edits, losses }
}

/** Returns the links within the draft. A compaction that keeps entries before the draft keeps its first entry. */
async function linksIn({ links }: Node, places: EntryPlaces): Promise<DraftEntry['links']> {
  const { firstKept, kept, target } = await mapLinks(links, (handle) => places.get(handle))
  return {
    ...(links.firstKept !== undefined && { firstKept: firstKept ?? 0 }),
    ...(kept !== undefined && { kept: kept.filter((place) => place !== undefined) }),
    ...(target !== undefined && { target }),
  }
}

/** Returns the sub-agents that entries of a draft started, which no format holds, as losses. */
async function lostSubagents(
  reader: Reader,
  session: SessionTrunk | undefined,
  places: EntryPlaces,
): Promise<Loss[]> {
  const agents = Object.entries(session?.meta.agents ?? {})
  if (agents.length === 0) return []
  const handles = await reader.findMany(agents.map(([, oid]) => oid))
  return agents.flatMap(([subject, oid]): Loss[] => {
    const handle = handles.get(oid)
    return handle !== undefined && places.has(handle) ? [{ code: 'subagent', oid, subject }] : []
  })
}

async function indexesOf(
  reader: Reader,
  names: ReadonlyMap<string, Oid>,
  places: EntryPlaces,
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

/**
 * Returns the session's id where people read it; its own in its own format if that accepts it, else one derived from its
 * entries.
 */
async function idOf(
  reader: Reader,
  { session, tip }: SessionPart,
  format: Writable,
  created: number,
): Promise<string> {
  const { name, writer } = format
  if (session && (name === 'sess' || writer.isForPeople)) return session.id
  const own = session && isOf(session, format) ? (session.meta.native ?? session.id) : undefined
  if (own !== undefined && (writer.takesId?.(own) ?? true)) return own
  return freshId(format, created, session?.id, tip === undefined ? undefined : await reader.oid(tip))
}

const isOf = ({ meta }: SessionTrunk, { format }: Writable): boolean => meta.format === format?.name

/** Returns the id for a session in a format in which it has none, derived from the session and its tip. */
export function freshId(
  { name, writer }: Writable,
  created: number,
  session: string | undefined,
  tip: Oid | undefined,
): string {
  const uuid = uuidOf(name, session ?? '', tip ?? '')
  return writer.idOf?.(uuid, created) ?? uuid
}

/** The maximum number of records up to and including a source's header. */
const HEADER_WITHIN = 2

/** Returns the header of a source of the same format, if it is no entry. */
async function headerOf(reader: Reader, session: SessionTrunk, format: Writable): Promise<Json | undefined> {
  const { source } = session
  const { writer } = format
  if (!isOf(session, format) || !source) return undefined
  const places = Math.min(source.count, writer.isHeader ? HEADER_WITHIN : 1)
  for (let position = 0; position < places; position++) {
    const { entry } = await readRecord(reader, source.log, position)
    const value = entry === undefined ? await valueAt(reader, { log: source.log, position }) : undefined
    if (value === undefined || (writer.isHeader?.(value) ?? true)) return value
  }
  return undefined
}

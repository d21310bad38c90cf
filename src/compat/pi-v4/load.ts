import { isObject, type Json, plain } from '../../model/json.ts'
import type { EntryHandle } from '../../model/node.ts'
import type { LogRecord } from '../../model/record.ts'
import type { Reader } from '../../repo/reader.ts'
import { readRecords, valueOf } from '../../repo/records.ts'
import { type LogPrefixes, logsOf, type SessionState } from '../../repo/session.ts'
import { type Mutation, V4State } from './state.ts'

/** A state, and the logs that it was made of, the oldest first. */
export interface Loaded {
  readonly state: V4State
  readonly logs: LogPrefixes
}

/** Returns the state of a session: what was loaded before with what its logs have besides, else all of it. */
export async function load(reader: Reader, session: SessionState, before?: Loaded): Promise<Loaded> {
  const logs = logsOf(session).toReversed()
  const known = before && isPrefix(before.logs, logs) ? before : undefined
  let state = known?.state ?? new V4State()
  for (const [i, [log, count]] of logs.entries())
    for await (const [, record] of readRecords(reader, log, known?.logs[i]?.[1] ?? 0, count))
      state = await taken(reader, state, record)
  followRefs(state, session, await handlesOf(reader, session))
  return { state, logs }
}

/** Returns whether logs continue others. Records are never overwritten, so nothing else need be compared. */
const isPrefix = (before: LogPrefixes, after: LogPrefixes): boolean =>
  before.length <= after.length &&
  before.every(([log, count], i) => {
    const [same, now] = after[i] ?? []
    return log === same && (i === before.length - 1 ? count <= (now ?? 0) : count === now)
  })

/** Returns a state with one more record. What sess itself appended is an entry too, of no lane until a branch names it. */
async function taken(reader: Reader, state: V4State, record: LogRecord): Promise<V4State> {
  const value = await valueOf(reader, record)
  if (isObject(value) && typeof value.kind === 'string') {
    const mutation = plain(value) as Mutation
    if (mutation.kind === 'fork') return state.forked(mutation)
    state.apply(mutation, record.entry)
  } else if (record.entry !== undefined) {
    const mutation = await foreign(reader, state, { handle: record.entry, time: record.time ?? 0 })
    if (!state.isTaken(mutation.entry.id)) state.apply(mutation, record.entry)
  }
  return state
}

/** Returns an entry that came in by other ways: a message as one, everything else as a custom entry. */
async function foreign(
  reader: Reader,
  state: V4State,
  { handle, time }: { readonly handle: EntryHandle; readonly time: number },
): Promise<Extract<Mutation, { kind: 'entry' }>> {
  const { type, parents } = await reader.node(handle)
  const body: Json = plain(await reader.body(handle))
  const [parent] = parents
  const base = {
    id: await reader.oid(handle),
    parentId: (parent === undefined ? undefined : state.idOf(parent)) ?? null,
    seq: state.next,
    timestamp: time,
  }
  const message = body as { readonly role: string; readonly content: Json }
  return type === 'sess/message'
    ? { kind: 'entry', entry: { ...base, type: 'message', message: { ...message, timestamp: time } } }
    : { kind: 'entry', entry: { ...base, type: 'custom', customType: type, data: body } }
}

async function handlesOf(
  reader: Reader,
  { branches }: SessionState,
): Promise<Map<string, EntryHandle | undefined>> {
  const handles = new Map<string, EntryHandle | undefined>()
  for (const [name, oid] of branches) handles.set(name, await reader.find(oid))
  return handles
}

/** Refs win over logs: a branch that another process moved or created is a lane at that position. */
function followRefs(
  state: V4State,
  { meta }: SessionState,
  branches: ReadonlyMap<string, EntryHandle | undefined>,
): void {
  for (const [lane, handle] of branches) {
    if (state.lanes.has(lane) && state.handleOf(state.lanes.get(lane) ?? null) === handle) continue
    const id = handle === undefined ? undefined : state.idOf(handle)
    if (id !== undefined) state.lanes.set(lane, id)
  }
  if ((state.name || null) !== meta.title) state.name = meta.title ?? undefined
}

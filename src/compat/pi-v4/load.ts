import type { RecordCursor, SessionOutline, SessionReads, SessionRecord } from '../../library/types.ts'
import type { Oid } from '../../model/encoding/oid.ts'
import { isObject, type Json, plain } from '../../model/json.ts'
import { SessionError } from './error.ts'
import { type Mutation, V4State } from './state.ts'

/** The format of this facade's sessions in the store. */
export const FORMAT = 'pi-v4'

/** A state, and how far the records were read that it was made of. */
export interface Loaded {
  readonly state: V4State
  readonly cursor: RecordCursor
}

/** Returns the state of a session: what was loaded before with the records since, else all of it. Throws `not_found`. */
export async function load(reads: SessionReads, id: string, before?: Loaded): Promise<Loaded> {
  const found = await reads.records(id, before?.cursor)
  const session = ofFacade(found?.session, id)
  if (!found) throw notFound(id)
  let state = (found.continues && before?.state) || new V4State()
  for await (const record of found.records) state = await taken(reads, state, record)
  followRefs(state, session)
  return { state, cursor: found.cursor }
}

const notFound = (id: string): SessionError => new SessionError('not_found', `Session not found: ${id}`)

/** Returns a session if it is one of this facade. Throws `not_found`. */
export function ofFacade(session: SessionOutline | undefined, id: string): SessionOutline {
  if (session?.format !== FORMAT) throw notFound(id)
  return session
}

/** Returns a state with one more record. What sess itself appended is an entry too, of no lane until a branch names it. */
async function taken(
  reads: SessionReads,
  state: V4State,
  { value, oid, time = 0 }: SessionRecord,
): Promise<V4State> {
  if (isObject(value) && typeof value.kind === 'string') {
    const mutation = plain(value) as Mutation
    if (mutation.kind === 'fork') return state.forked(mutation)
    state.apply(mutation, oid)
  } else if (oid !== undefined) {
    const mutation = await foreign(reads, state, { oid, time })
    if (!state.isTaken(mutation.entry.id)) state.apply(mutation, oid)
  }
  return state
}

/** Returns an entry that came in by other ways: a message as one, everything else as a custom entry. */
async function foreign(
  reads: SessionReads,
  state: V4State,
  { oid, time }: { readonly oid: Oid; readonly time: number },
): Promise<Extract<Mutation, { kind: 'entry' }>> {
  const { type, parents, body } = await reads.entry(oid)
  const data: Json = plain(body)
  const [parent] = parents
  const parentId = (parent === undefined ? undefined : state.idOf(parent)) ?? null
  const base = { id: oid, parentId, seq: state.next, timestamp: time }
  const message = data as { readonly role: string; readonly content: Json }
  return type === 'sess/message'
    ? { kind: 'entry', entry: { ...base, type: 'message', message: { ...message, timestamp: time } } }
    : { kind: 'entry', entry: { ...base, type: 'custom', customType: type, data } }
}

/** Refs win over records: a branch that another process moved or created is a lane at that position. */
function followRefs(state: V4State, { branches, title }: SessionOutline): void {
  for (const [lane, oid] of branches) {
    if (state.lanes.has(lane) && state.oidOf(state.lanes.get(lane) ?? null) === oid) continue
    const id = state.idOf(oid)
    if (id !== undefined) state.lanes.set(lane, id)
  }
  if ((state.name || null) !== title) state.name = title ?? undefined
}

import { isObject, type Json, plain } from '../../model/json.ts'
import { type Backend, NO_ROW, type StoredRecord } from '../../repo/backend.ts'
import { valueOf } from '../../repo/records.ts'
import { type Base, logsOf, type Session } from '../../repo/session.ts'
import { type Mutation, State } from './state.ts'

/** A state, and the logs that it was made of, the oldest first. */
export interface Loaded {
  readonly state: State
  readonly logs: Base
}

/** Gives the state of a session: what was loaded before with what its logs have besides, else all of it. */
export async function load(backend: Backend, session: Session, before?: Loaded): Promise<Loaded> {
  const logs = logsOf(session).toReversed()
  const known = before && isPrefix(before.logs, logs) ? before : undefined
  let state = known?.state ?? new State()
  for (const [i, [log, count]] of logs.entries())
    for await (const [, record] of backend.records(log, known?.logs[i]?.[1] ?? 0, count))
      state = await taken(backend, state, record)
  followRefs(state, session, await rowsOf(backend, session))
  return { state, logs }
}

/** Tells whether logs go on where others end. Records are never written over, so nothing else need be compared. */
const isPrefix = (before: Base, after: Base): boolean =>
  before.length <= after.length &&
  before.every(([log, count], i) => {
    const [same, now] = after[i] ?? []
    return log === same && (i === before.length - 1 ? count <= (now ?? 0) : count === now)
  })

/** Gives a state with one more record. What sess itself appended is an entry too, of no lane until a branch names it. */
async function taken(backend: Backend, state: State, record: StoredRecord): Promise<State> {
  const value = await valueOf(backend, record)
  if (isObject(value) && typeof value.kind === 'string') {
    const mutation = plain(value) as unknown as Mutation
    if (mutation.kind === 'fork') return state.forked(mutation)
    state.apply(mutation, record.row)
  } else if (record.row !== NO_ROW) {
    const mutation = await foreign(backend, state, record)
    if (!state.isTaken(mutation.entry.id)) state.apply(mutation, record.row)
  }
  return state
}

/** Gives an entry that came in by other ways: a message as one, everything else as a custom entry. */
async function foreign(
  backend: Backend,
  state: State,
  { row, time = 0 }: StoredRecord,
): Promise<Extract<Mutation, { kind: 'entry' }>> {
  const { type, parents } = await backend.node(row)
  const body: Json = plain(await backend.body(row))
  const [parent = NO_ROW] = parents
  const base = {
    id: await backend.oid(row),
    parentId: state.idOf(parent) ?? null,
    seq: state.next,
    timestamp: time,
  }
  const said = body as { readonly role: string; readonly content: Json }
  return type === 'sess/message'
    ? { kind: 'entry', entry: { ...base, type: 'message', message: { ...said, timestamp: time } } }
    : { kind: 'entry', entry: { ...base, type: 'custom', customType: type, data: body } }
}

async function rowsOf(backend: Backend, { branches }: Session): Promise<Map<string, number>> {
  const rows = new Map<string, number>()
  for (const [name, oid] of branches) rows.set(name, (await backend.find(oid)) ?? NO_ROW)
  return rows
}

/** Refs win over logs: a branch that something else moved or made is a lane that stands there. */
function followRefs(state: State, { meta }: Session, branches: ReadonlyMap<string, number>): void {
  for (const [lane, row] of branches) {
    if (state.lanes.has(lane) && state.rowOf(state.lanes.get(lane) ?? null) === row) continue
    const id = state.idOf(row)
    if (id !== undefined) state.lanes.set(lane, id)
  }
  if ((state.name || null) !== meta.title) state.name = meta.title ?? undefined
}

import { SessionError } from './error.ts'
import type { V4State } from './state.ts'
import type {
  BranchBounds,
  EntryQuery,
  LaneRecord,
  LogItem,
  OperationStartedRecord,
  RecordQuery,
  V4Entry,
  V4LogOptions,
} from './types.ts'

/** Throws `invalid_query` for a limit that is no positive integer and a cursor that is no `seq`. */
export function checkQuery({ limit, cursor }: EntryQuery): void {
  checkBounds(limit, cursor?.afterSeq)
}

function checkBounds(limit: number | undefined, afterSeq: number | undefined): void {
  if (limit !== undefined && !(Number.isSafeInteger(limit) && limit > 0))
    throw new SessionError('invalid_query', 'limit must be a positive integer')
  if (afterSeq !== undefined && !(Number.isSafeInteger(afterSeq) && afterSeq >= 0))
    throw new SessionError('invalid_query', 'cursor sequence must be a non-negative integer')
}

/** Returns the entries of all branches that a query asks for. Throws `invalid_query`. */
export function findEntries(state: V4State, query: EntryQuery): V4Entry[] {
  checkQuery(query)
  const oldestFirst = query.order === 'oldestFirst'
  const after = query.cursor?.afterSeq
  const from = oldestFirst ? (after ?? 0) : 0
  const to = oldestFirst ? state.log.length : Math.min(state.log.length, (after ?? state.next) - 1)
  const found: V4Entry[] = []
  for (const item of itemsOf(state.log, from, to, oldestFirst)) {
    if (item.kind !== 'entry' || !matches(item.entry, query)) continue
    if (found.push(item.entry) === query.limit) break
  }
  return found
}

/** Returns the entries of a branch that a query asks for. Throws `invalid_query`, and `not_found` for its start. */
export function findOnBranch(
  state: V4State,
  query: EntryQuery & BranchBounds & { readonly start: string },
): V4Entry[] {
  checkQuery(query)
  if (!state.entry(query.start)) throw new SessionError('not_found', `Entry not found: ${query.start}`)
  const oldestFirst = query.order === 'oldestFirst'
  const after = query.cursor?.afterSeq
  const found: V4Entry[] = []
  for (const entry of oldestFirst ? [...state.path(query.start)].reverse() : state.path(query.start)) {
    const passed = after !== undefined && (oldestFirst ? entry.seq <= after : entry.seq >= after)
    if (!passed && matches(entry, query) && found.push(entry) === query.limit) break
    if (entry.id === query.stopAtId || entry.type === query.stopAtType) break
  }
  return found
}

/** Returns the records that a query asks for. Throws `invalid_query`. */
export function findRecords(state: V4State, query: RecordQuery): LaneRecord[] {
  const { afterSeq, limit, order, operationKind } = query
  checkBounds(limit, afterSeq)
  if (operationKind !== undefined && query.type !== 'operation_started')
    throw new SessionError('invalid_query', 'operationKind requires type "operation_started"')
  const found: LaneRecord[] = []
  for (const item of itemsOf(state.log, afterSeq ?? 0, state.log.length, order === 'oldestFirst')) {
    if (item.kind !== 'record' || !recordMatches(item.record, query)) continue
    if (found.push(item.record) === limit) break
  }
  return found
}

/** Returns the operation of a lane that is not finished, if there is one. Throws `invalid_query`. */
export function findOpen(state: V4State, lane: string, limit: number | undefined): OperationStartedRecord[] {
  checkBounds(limit, undefined)
  const open = state.openOperation(lane)
  return open ? [open] : []
}

/** Returns the changes after a `seq`, the oldest first. Throws `invalid_query`. */
export function logOf(state: V4State, { afterSeq = 0, limit }: V4LogOptions): LogItem[] {
  checkBounds(limit, afterSeq)
  return state.log.slice(afterSeq, limit === undefined ? undefined : afterSeq + limit)
}

function* itemsOf(
  log: readonly LogItem[],
  from: number,
  to: number,
  oldestFirst: boolean,
): Generator<LogItem> {
  if (oldestFirst) for (let i = from; i < to; i++) yield log[i] as LogItem
  else for (let i = to - 1; i >= from; i--) yield log[i] as LogItem
}

const matches = (entry: V4Entry, { type, customType }: EntryQuery): boolean =>
  (type === undefined || entry.type === type) &&
  (customType === undefined || (entry.type === 'custom' && entry.customType === customType))

function recordMatches(record: LaneRecord, { lane, type, runId, operationKind }: RecordQuery): boolean {
  const run = record.type === 'operation_started' ? record.id : record.runId
  return (
    (lane === undefined || record.lane === lane) &&
    (type === undefined || record.type === type) &&
    (runId === undefined || run === runId) &&
    (operationKind === undefined ||
      (record.type === 'operation_started' && record.intent.kind === operationKind))
  )
}

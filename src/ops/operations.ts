import { SessError } from '../model/errors.ts'
import { type Actor, type RefMove, type RefValue, type Reversal, sameValue } from '../model/operation.ts'
import { type RefName, sessionPrefix } from '../model/refname.ts'
import { iso, type Zone } from '../model/time.ts'
import type { OpenOperation } from '../repo/oplog/openoperation.ts'
import { getOperation, refsAfter, resolveOperationNumber } from '../repo/oplog/operationat.ts'
import { movesBack, type UndoState, undoStateOf, undoStates } from '../repo/oplog/undo.ts'
import type { Reader } from '../repo/reader.ts'
import type { Repo } from '../repo/repo.ts'
import { resolveSessionId } from '../repo/revision.ts'

/** A move of a ref. Null stands for a missing ref. */
export interface Moved {
  /** The full name: `sessions/<id>/branches/main`. */
  readonly name: RefName
  readonly old: RefValue | null
  readonly new: RefValue | null
}

/** An operation of the operation log. */
export interface LoggedOperation {
  readonly number: number
  readonly id: string
  /** ISO 8601 in UTC. */
  readonly time: string | null
  readonly who: string
  readonly actor: Actor
  readonly command: string
  /** The number of refs that it moved. */
  readonly refs: number
  /** Whether it still grows: later appends may be joined with it, which changes its id. */
  readonly open: boolean
  /** For an undo, a redo or a restore: the operation that it reversed, repeated or went back to. */
  readonly turn: Reversal | null
  /** The operation that undid it, or null. */
  readonly undoneBy: number | null
}

/** An operation with its moves of refs. */
export interface ShownOperation extends LoggedOperation {
  readonly moves: readonly Moved[]
}

/** Returns an operation without its moves. */
export function logged({ operation, undoneBy }: UndoState, open = false): LoggedOperation {
  const { number, id, time, who, actor, command, moves, reversal } = operation
  return {
    number,
    id,
    time: iso(time),
    who,
    actor,
    command,
    refs: moves.length,
    open,
    turn: reversal ?? null,
    undoneBy: undoneBy ?? null,
  }
}

/** Returns moves with null for missing refs. */
export const movedRefs = (moves: readonly RefMove[]): Moved[] =>
  moves.map((move) => ({ name: move.name, old: move.old ?? null, new: move.new ?? null }))

/** Which operations are listed. */
export interface OperationFilter {
  /** Only those that moved one of these refs, or one below one of them, as `sessions/ID`; all for none. */
  readonly refs?: readonly string[]
}

/** Yields the operations, the newest first. Closes none: the newest one may be open. */
export async function* operations(
  repo: Repo,
  { limit = Number.POSITIVE_INFINITY, ...filter }: OperationFilter & { readonly limit?: number } = {},
): AsyncGenerator<LoggedOperation> {
  let left = limit
  if (left <= 0) return
  const open = await repo.openOperation()
  for await (const operation of repo.stream((reader) => operationsIn(reader, open, filter))) {
    yield operation
    if (--left <= 0) return
  }
}

/** Yields the operations, the newest first, of which one may still grow. */
export async function* operationsIn(
  reader: Reader,
  growing: OpenOperation,
  { refs = [] }: OperationFilter = {},
): AsyncGenerator<LoggedOperation> {
  let open = growing
  for await (const state of undoStates(reader)) {
    // Only the newest operation is open: one that another one follows was closed meanwhile.
    const { number, moves } = state.operation
    if (refs.length === 0 || moves.some(({ name }) => isAmong(name, refs)))
      yield logged(state, number === open)
    open = 'none'
  }
}

const isAmong = (name: RefName, refs: readonly string[]): boolean =>
  refs.some((one) => name === one || name.startsWith(`${one}/`))

/** The refs that moved since an operation. */
export interface MovedSince {
  /** The newest operation that takes no more moves, to be passed the next time. */
  readonly operation: number
  /** Each ref that moved since, once: with its value right after the operation, and now. */
  readonly moves: readonly Moved[]
}

/**
 * Returns the refs that moved since an operation; 0 is the beginning. A reader that passes the operation that is returned
 * misses none the next time, and learns again what an open operation moved. Throws `no-operation` where operations since
 * then were dropped.
 */
export async function movedSince(repo: Repo, since: number): Promise<MovedSince> {
  const open = await repo.openOperation()
  return repo.read(async (reader) => {
    const { latest, dropped } = await reader.operationLog()
    if (since < dropped.operation || since > latest) throw new SessError('no-operation', `${since}`)
    const moves: Moved[] = []
    for (const [name, old] of await refsAfter(reader, since)) {
      const value = await reader.ref(name)
      if (!sameValue(old, value)) moves.push({ name, old: old ?? null, new: value ?? null })
    }
    const mayGrow = open === latest || open === 'unknown'
    return { operation: Math.max(since, mayGrow ? latest - 1 : latest), moves }
  })
}

/** Returns one operation with its moves. Throws `no-operation` or `ambiguous-operation`. */
export async function showOperation(repo: Repo, text: string): Promise<ShownOperation> {
  const open = await repo.openOperation()
  return repo.read(async (reader) => {
    const operation = await getOperation(reader, text)
    const isOpen = operation.number === open && open === (await reader.operationLog()).latest
    return { ...logged(await undoStateOf(reader, operation), isOpen), moves: movedRefs(operation.moves) }
  })
}

interface RestoreOptions {
  /** Only the refs of this session. */
  readonly session?: string
  /** The zone of times; UTC by default. */
  readonly zone?: Zone
}

/** The result of a restore. */
export interface Restored {
  /** The number of the restored operation; 0 is the beginning. */
  readonly operation: number
  /** The number of the operation of the restore; null if no ref had to move. */
  readonly by: number | null
  readonly moves: readonly Moved[]
}

/**
 * Restores all refs, or those of one session, to their values right after an operation, which is named as for `--at-op`.
 * The restore is one operation, which can be undone. Throws `ambiguous-operation`, and `no-operation`, also for a time
 * before the first operation: that would remove every session, which only 0 asks for.
 */
export async function restore(
  repo: Repo,
  operation: string,
  { session, zone }: RestoreOptions = {},
): Promise<Restored> {
  await repo.closeOperation()
  return repo.write({}, async (change) => {
    const { reader } = change
    const number = await resolveOperationNumber(reader, operation, repo.env.now(), zone)
    if (number === 0 && !/^0+$/.test(operation)) await refuseBeforeFirst(reader, operation)
    const prefix = session === undefined ? '' : sessionPrefix(await resolveSessionId(reader, session))
    const moves = await movesBack(reader, number, prefix)
    for (const { name, old, new: value } of moves) change.move(name, old, value)
    change.reversal({ kind: 'restore', operation: number })
    const by = moves.length === 0 ? null : (await reader.operationLog()).latest + 1
    return { operation: number, by, moves: movedRefs(moves) }
  })
}

/** Throws `no-operation` with the oldest operation, where there is one. */
async function refuseBeforeFirst(reader: Reader, text: string): Promise<void> {
  const oldest = await reader.operation(1)
  if (!oldest) return
  throw new SessError('no-operation', text, {
    detail: `the oldest is operation 1, of ${iso(oldest.time)}`,
    hint: 'name an operation or a later time, or 0 for the state before the first operation',
  })
}

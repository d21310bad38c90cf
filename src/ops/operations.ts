import { SessError } from '../model/errors.ts'
import { type RefMove, type RefValue, type Reversal, sameValue } from '../model/operation.ts'
import { type RefName, sessionPrefix } from '../model/refname.ts'
import { iso, type Zone } from '../model/time.ts'
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
  readonly command: string
  /** The number of refs that it moved. */
  readonly refs: number
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
export function logged({ operation, undoneBy }: UndoState): LoggedOperation {
  const { number, id, time, who, command, moves, reversal } = operation
  return {
    number,
    id,
    time: iso(time),
    who,
    command,
    refs: moves.length,
    turn: reversal ?? null,
    undoneBy: undoneBy ?? null,
  }
}

/** Returns moves with null for missing refs. */
export const movedRefs = (moves: readonly RefMove[]): Moved[] =>
  moves.map((move) => ({ name: move.name, old: move.old ?? null, new: move.new ?? null }))

/** Yields the operations, the newest first. */
export async function* operations(
  repo: Repo,
  { limit = Number.POSITIVE_INFINITY }: { readonly limit?: number } = {},
): AsyncGenerator<LoggedOperation> {
  let left = limit
  if (left <= 0) return
  const { latest } = await repo.closeOperation()
  for await (const operation of repo.stream((reader) => loggedUpTo(reader, latest))) {
    yield operation
    if (--left <= 0) return
  }
}

/** Yields the operations up to one, the newest first. */
export async function* loggedUpTo(reader: Reader, latest: number): AsyncGenerator<LoggedOperation> {
  for await (const state of undoStates(reader)) if (state.operation.number <= latest) yield logged(state)
}

/** The refs that moved since an operation. */
export interface MovedSince {
  /** The newest operation, to be passed the next time. */
  readonly operation: number
  /** Each ref that moved between the two operations, once: with its value right after each. */
  readonly moves: readonly Moved[]
}

/**
 * Returns the refs that moved since an operation; 0 is the beginning. The operation that is returned takes no more moves,
 * so a reader that passes it the next time misses none. Where the process that writes cannot be asked to close the
 * newest operation, that is left out until the next one. Throws `no-operation` where operations since then were dropped.
 */
export async function movedSince(repo: Repo, since: number): Promise<MovedSince> {
  const { closed } = await repo.closeOperation()
  return repo.read(async (reader) => {
    const { latest, dropped } = await reader.operationLog()
    if (since < dropped.operation || since > latest) throw new SessError('no-operation', `${since}`)
    const operation = Math.max(since, Math.min(closed, latest))
    const before = await refsAfter(reader, since)
    const after = new Map<RefName, RefValue | undefined>()
    for (const name of before.keys()) after.set(name, await reader.ref(name))
    // Read last, because refs may have moved since they were read.
    for (const [name, value] of await refsAfter(reader, operation)) after.set(name, value)
    const moves: Moved[] = []
    for (const [name, old] of before) {
      const value = after.get(name)
      if (!sameValue(old, value)) moves.push({ name, old: old ?? null, new: value ?? null })
    }
    return { operation, moves }
  })
}

/** Returns one operation with its moves. Throws `no-operation` or `ambiguous-operation`. */
export async function showOperation(repo: Repo, text: string): Promise<ShownOperation> {
  for (;;) {
    const { latest } = await repo.closeOperation()
    const shown = await repo.read(async (reader) => {
      const operation = await getOperation(reader, text)
      return { ...logged(await undoStateOf(reader, operation)), moves: movedRefs(operation.moves) }
    })
    // One that began meanwhile may take more moves: it is closed first.
    if (shown.number <= latest) return shown
  }
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

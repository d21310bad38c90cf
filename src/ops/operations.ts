import { SessError } from '../model/errors.ts'
import { iso } from '../model/iso.ts'
import { type RefMove, type RefValue, sameValue, type Turn } from '../model/operation.ts'
import type { RefName } from '../model/refname.ts'
import { refsAfter } from '../repo/oplog/pointintime.ts'
import { getOperation } from '../repo/oplog/resolveoperation.ts'
import { type UndoState, undoStateOf, undoStates } from '../repo/oplog/undo.ts'
import type { Repo } from '../repo/repo.ts'

/** One move of a ref; null stands for no such ref. */
export interface Moved {
  /** The full name: `sessions/<id>/branches/main`. */
  readonly name: RefName
  readonly old: RefValue | null
  readonly new: RefValue | null
}

/** What a command did, as the operation log has it. */
export interface LoggedOperation {
  readonly number: number
  readonly id: string
  /** ISO 8601 in UTC. */
  readonly time: string | null
  readonly who: string
  readonly command: string
  /** How many refs it moved. */
  readonly refs: number
  /** Of an undo, a redo and a restore: which operation it turned or went back to. */
  readonly turn: Turn | null
  /** The operation by which it is undone, null where it is not. */
  readonly undoneBy: number | null
}

/** An operation with each ref that it moved. */
export interface ShownOperation extends LoggedOperation {
  readonly moves: readonly Moved[]
}

/** Gives an operation as a list shows it. */
export function logged({ operation, undoneBy }: UndoState): LoggedOperation {
  const { number, id, time, who, command, moves, turn } = operation
  return {
    number,
    id,
    time: iso(time),
    who,
    command,
    refs: moves.length,
    turn: turn ?? null,
    undoneBy: undoneBy ?? null,
  }
}

/** Gives moves as data. */
export const movedRefs = (moves: readonly RefMove[]): Moved[] =>
  moves.map((move) => ({ name: move.name, old: move.old ?? null, new: move.new ?? null }))

/** Gives the operations, the newest first. */
export async function* operations(
  repo: Repo,
  { limit = Number.POSITIVE_INFINITY }: { readonly limit?: number } = {},
): AsyncGenerator<LoggedOperation> {
  let left = limit
  if (left <= 0) return
  await repo.closeOperation()
  for await (const fate of repo.stream(undoStates)) {
    yield logged(fate)
    if (--left <= 0) return
  }
}

/** The refs that moved since an operation. */
export interface MovedSince {
  /** The newest operation, to be passed the next time. */
  readonly operation: number
  /** Each ref that moved, once: with its value right after the operation, and the present one. */
  readonly moves: readonly Moved[]
}

/**
 * Returns the refs that moved since an operation; 0 is the beginning. The operation that is returned takes no more moves,
 * so a reader that passes it the next time misses none. Throws `no-operation` where operations since then were dropped.
 */
export async function movedSince(repo: Repo, since: number): Promise<MovedSince> {
  await repo.closeOperation()
  return repo.read(async (reader) => {
    const { latest, dropped } = await reader.operationLog()
    if (since < dropped.operation || since > latest) throw new SessError('no-operation', `${since}`)
    const moves: Moved[] = []
    for (const [name, then] of await refsAfter(reader, since)) {
      const now = await reader.ref(name)
      if (!sameValue(then, now)) moves.push({ name, old: then ?? null, new: now ?? null })
    }
    return { operation: latest, moves }
  })
}

/** Gives one operation with all that it moved. Throws `no-operation` or `ambiguous-operation`. */
export async function showOperation(repo: Repo, text: string): Promise<ShownOperation> {
  await repo.closeOperation()
  return repo.read(async (reader) => {
    const operation = await getOperation(reader, text)
    return { ...logged(await undoStateOf(reader, operation)), moves: movedRefs(operation.moves) }
  })
}

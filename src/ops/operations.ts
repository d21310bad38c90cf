import type { RefMove, RefValue, Turn } from '../model/operation.ts'
import type { RefName } from '../model/refname.ts'
import { type Fate, fateOf, fates } from '../repo/past/fate.ts'
import { getOperation } from '../repo/past/moment.ts'
import type { Repo } from '../repo/repo.ts'
import { iso } from '../repo/time.ts'

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
export function logged({ operation, undoneBy }: Fate): LoggedOperation {
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
  for await (const fate of repo.stream(fates)) {
    yield logged(fate)
    if (--left <= 0) return
  }
}

/** Gives one operation with all that it moved. Throws `no-operation` or `ambiguous-operation`. */
export async function showOperation(repo: Repo, text: string): Promise<ShownOperation> {
  return repo.read(async (reader) => {
    const operation = await getOperation(reader, text)
    return { ...logged(await fateOf(reader, operation)), moves: movedRefs(operation.moves) }
  })
}

import { SessError } from '../model/errors.ts'
import type { Operation } from '../model/operation.ts'
import { type RefName, sessionPrefix } from '../model/refname.ts'
import { getOperation } from '../repo/oplog/operationat.ts'
import { isByPerson, isUndoOrRedo, reversal, undoStateOf, undoStates } from '../repo/oplog/undo.ts'
import type { Reader } from '../repo/reader.ts'
import type { Repo } from '../repo/repo.ts'
import { resolveSessionId } from '../repo/revision.ts'
import { type LoggedOperation, logged, type Moved, movedRefs } from './operations.ts'

/** Selects the operation to undo: by default the newest of a person that is not undone yet. */
export interface UndoOptions {
  /** Its number, or 4 or more digits of its id. */
  readonly operation?: string
  /** Consider all operations, not only those of persons. */
  readonly any?: boolean
  /** Consider only operations that moved refs of this session. */
  readonly session?: string
}

/**
 * Undoes an operation: sets each ref that it moved to its former value. An undo is undone by repeating the operation that it
 * undid. Throws `nothing-to-undo`, `no-operation`, and `conflict` if one of the refs has moved since.
 */
export const undo = (repo: Repo, { operation, ...options }: UndoOptions = {}): Promise<Turned> =>
  turnOperation(repo, (reader) =>
    operation === undefined ? newest(reader, options) : named(reader, operation),
  )

async function newest(
  reader: Reader,
  { any = false, session }: Omit<UndoOptions, 'operation'>,
): Promise<TurnTarget> {
  const prefix = session === undefined ? '' : sessionPrefix(await resolveSessionId(reader, session))
  let others = false
  for await (const { operation, undoneBy } of undoStates(reader)) {
    if (isUndoOrRedo(operation) || undoneBy !== undefined) continue
    if (!operation.moves.some(({ name }) => name.startsWith(prefix))) continue
    if (any || isByPerson(operation)) return { kind: 'undo', operation }
    others = true
  }
  throw new SessError('nothing-to-undo', '', {
    ...(others && { remedy: { kind: 'undo-any' } }),
  })
}

async function named(reader: Reader, text: string): Promise<TurnTarget> {
  const operation = await getOperation(reader, text)
  const { undoneBy } = await undoStateOf(reader, operation)
  if (undoneBy !== undefined)
    throw new SessError('nothing-to-undo', '', {
      detail: `operation ${operation.number} is undone already, by operation ${undoneBy}`,
    })
  const { reversal: turned } = operation
  if (!turned || !isUndoOrRedo(operation)) return { kind: 'undo', operation }
  return {
    kind: turned.kind === 'undo' ? 'redo' : 'undo',
    operation: await getOperation(reader, `${turned.operation}`),
  }
}

/**
 * Repeats the operation that was undone last and is not redone yet. Throws `nothing-to-redo`, also after a new operation of a
 * person, and `conflict` if one of its refs has moved since.
 */
export const redo = (repo: Repo): Promise<Turned> => turnOperation(repo, lastUndone)

async function lastUndone(reader: Reader): Promise<TurnTarget> {
  for await (const { operation, undoneBy } of undoStates(reader)) {
    const { reversal: turned } = operation
    if (turned?.kind === 'undo' && undoneBy === undefined)
      return { kind: 'redo', operation: await getOperation(reader, `${turned.operation}`) }
    if (!isUndoOrRedo(operation) && isByPerson(operation)) break
  }
  throw new SessError('nothing-to-redo', '')
}

/** An operation, and whether to reverse or to repeat it. */
export interface TurnTarget {
  readonly kind: 'undo' | 'redo'
  readonly operation: Operation
}

/** The result of an undo or redo. */
export interface Turned {
  readonly kind: TurnTarget['kind']
  /** The operation that was undone or redone. */
  readonly operation: LoggedOperation
  /** The number of the operation of the undo or redo. */
  readonly by: number
  readonly moves: readonly Moved[]
  /** Heads of logs of appends that were not changed, because a later append has moved one. */
  readonly left: readonly RefName[]
}

/** Reverses or repeats the operation that `choose` returns. Throws `conflict` if its refs have moved since. */
async function turnOperation(repo: Repo, choose: (reader: Reader) => Promise<TurnTarget>): Promise<Turned> {
  return repo.write({}, async (change) => {
    const { kind, operation } = await choose(change.reader)
    const { moves, left } = await reversal(change.reader, operation, kind)
    for (const { name, old, new: value } of moves) change.move(name, old, value)
    change.reversal({ kind, operation: operation.number })
    const by = (await change.reader.operationLog()).latest + 1
    const undoneBy = kind === 'undo' ? { undoneBy: by } : {}
    return { kind, operation: logged({ operation, ...undoneBy }), by, moves: movedRefs(moves), left }
  })
}

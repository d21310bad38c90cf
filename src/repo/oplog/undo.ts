import type { Operation } from '../../model/operation.ts'
import type { Reader } from '../reader.ts'
import { operationsNewestFirst } from './operationlog.ts'

/** An operation, and the number of the operation that undid it, if any. */
export interface UndoState {
  readonly operation: Operation
  /** Of an undo or a redo: the later redo or undo of the same operation. */
  readonly undoneBy?: number
}

/** Tells whether an operation is an undo or a redo. */
export const isUndoOrRedo = ({ turn }: Operation): boolean => turn?.kind === 'undo' || turn?.kind === 'redo'

/** Tells whether an operation was made by the command line. */
export const isFromCommandLine = ({ command }: Operation): boolean => command.startsWith('sess ')

/** Returns whether an operation is undone. Reads the operations after it. */
export async function undoStateOf(reader: Reader, operation: Operation): Promise<UndoState> {
  for await (const state of undoStates(reader)) if (state.operation.number === operation.number) return state
  return { operation }
}

/** Yields all operations with their undo states, the newest first. */
export async function* undoStates(reader: Reader): AsyncGenerator<UndoState> {
  /** The newest and the oldest undo or redo met so far of each operation, by its number. The newest one counts. */
  const turns = new Map<number, { readonly last: Operation; readonly first: Operation }>()
  for await (const operation of operationsNewestFirst(reader)) {
    const { number, turn } = operation
    if (turn && isUndoOrRedo(operation)) {
      const later = turns.get(turn.operation)
      turns.set(turn.operation, { last: later?.last ?? operation, first: operation })
      yield { operation, ...(later && { undoneBy: later.first.number }) }
    } else {
      const last = turns.get(number)?.last
      yield { operation, ...(last?.turn?.kind === 'undo' && { undoneBy: last.number }) }
    }
  }
}

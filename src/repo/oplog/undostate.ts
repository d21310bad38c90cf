import type { Operation } from '../../model/operation.ts'
import { operationsNewestFirst } from '../operation.ts'
import type { Reader } from '../reader.ts'

/** An operation, and the number of the one by which it is undone, if it is. */
export interface UndoState {
  readonly operation: Operation
  /** Of an undo or a redo: the later one that turned the same operation the other way. */
  readonly undoneBy?: number
}

/** Tells whether an operation only took another back or did it again. */
export const isUndoOrRedo = ({ turn }: Operation): boolean => turn?.kind === 'undo' || turn?.kind === 'redo'

/** Tells whether an operation was typed on the command line. */
export const isFromCommandLine = ({ command }: Operation): boolean => command.startsWith('sess ')

/** Gives what became of an operation. Reads those since. */
export async function undoStateOf(reader: Reader, operation: Operation): Promise<UndoState> {
  for await (const fate of undoStates(reader)) if (fate.operation.number === operation.number) return fate
  return { operation }
}

/** Gives all operations, the newest first, each with what became of it. */
export async function* undoStates(reader: Reader): AsyncGenerator<UndoState> {
  /** By number of an operation: of the turns of it that were passed, the last, which counts, and the first. */
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

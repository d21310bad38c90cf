import type { Operation } from '../../model/operation.ts'
import { newestFirst } from '../operation.ts'
import type { Reader } from '../reader.ts'

/** An operation, and the number of the one by which it is undone, if it is. */
export interface Fate {
  readonly operation: Operation
  /** Of an undo or a redo: the later one that turned the same operation the other way. */
  readonly undoneBy?: number
}

/** Tells whether an operation only took another back or did it again. */
export const isTurn = ({ turn }: Operation): boolean => turn?.kind === 'undo' || turn?.kind === 'redo'

/** Tells whether an operation was typed on the command line. */
export const isTyped = ({ command }: Operation): boolean => command.startsWith('sess ')

/** Gives what became of an operation. Reads those since. */
export async function fateOf(reader: Reader, operation: Operation): Promise<Fate> {
  for await (const fate of fates(reader)) if (fate.operation.number === operation.number) return fate
  return { operation }
}

/** Gives all operations, the newest first, each with what became of it. */
export async function* fates(reader: Reader): AsyncGenerator<Fate> {
  /** By number of an operation: of the turns of it that were passed, the last, which counts, and the first. */
  const turns = new Map<number, { readonly last: Operation; readonly first: Operation }>()
  for await (const operation of newestFirst(reader)) {
    const { number, turn } = operation
    if (turn && isTurn(operation)) {
      const later = turns.get(turn.operation)
      turns.set(turn.operation, { last: later?.last ?? operation, first: operation })
      yield { operation, ...(later && { undoneBy: later.first.number }) }
    } else {
      const last = turns.get(number)?.last
      yield { operation, ...(last?.turn?.kind === 'undo' && { undoneBy: last.number }) }
    }
  }
}

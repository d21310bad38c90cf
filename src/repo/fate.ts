import type { Backend, Operation, Turn } from '../storage/backend.ts'
import { newestFirst } from './operation.ts'

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
export async function fateOf(backend: Backend, operation: Operation): Promise<Fate> {
  for await (const fate of fates(backend)) if (fate.operation.number === operation.number) return fate
  return { operation }
}

/** Gives all operations, the newest first, each with what became of it. */
export async function* fates(backend: Backend): AsyncGenerator<Fate> {
  /** By number, of those passed: the undo or redo of an operation that counts, which is the last. */
  const latest = new Map<number, { readonly number: number; readonly kind: Turn['kind'] }>()
  for await (const operation of newestFirst(backend)) {
    const { number, turn } = operation
    const own = latest.get(number)
    if (turn && isTurn(operation)) {
      const later = latest.get(turn.operation)
      if (!later) latest.set(turn.operation, { number, kind: turn.kind })
      yield { operation, ...(later && { undoneBy: later.number }) }
    } else yield { operation, ...(own?.kind === 'undo' && { undoneBy: own.number }) }
  }
}

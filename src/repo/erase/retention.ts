import type { Backend, Operation } from '../../storage/backend.ts'
import type { Row } from '../../storage/record.ts'
import type { Forgotten } from '../../storage/rewrite/kept.ts'
import { Reach } from './reach.ts'

/** Gives the operations before a time, the oldest first, up to the first that is not: clocks may have been wrong. */
async function* operationsBefore(backend: Backend, time: number): AsyncGenerator<Operation> {
  const last = await backend.lastOperation()
  for (let number = (await backend.forgotten()).operation + 1; number <= last; number++) {
    const operation = await backend.operation(number)
    if (!operation || operation.time >= time) return
    yield operation
  }
}

/** Gives the newest of the operations before a time that all may be let go. The newest of a store never is. */
export async function forgottenBefore(backend: Backend, time: number): Promise<Forgotten> {
  const last = await backend.lastOperation()
  let forgotten = await backend.forgotten()
  for await (const { number, id } of operationsBefore(backend, time))
    if (number < last) forgotten = { operation: number, id }
  return forgotten
}

/**
 * Gives the first of the rows that may have been added at a time or later: those behind all that was named before, for
 * rows are given in order. What was never named may be older than it seems, never younger.
 */
export async function rowAt(backend: Backend, time: number): Promise<Row> {
  const named = new Reach(backend)
  for await (const { moves } of operationsBefore(backend, time))
    for (const move of moves) named.name(move.name, move.new)
  return (await named.newest()) + 1
}

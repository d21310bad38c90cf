import type { EntryHandle } from '../../model/node.ts'
import type { Operation } from '../../model/operation.ts'
import type { Forgotten } from '../../storage/rewrite/kept.ts'
import type { Reader } from '../reader.ts'
import { Reachable } from './reachable.ts'

/** Gives the operations before a time, the oldest first, up to the first that is not: clocks may have been wrong. */
async function* operationsBefore(reader: Reader, time: number): AsyncGenerator<Operation> {
  const last = (await reader.operationLog()).latest
  for (let number = (await reader.operationLog()).dropped.operation + 1; number <= last; number++) {
    const operation = await reader.operation(number)
    if (!operation || operation.time >= time) return
    yield operation
  }
}

/** Gives the newest of the operations before a time that all may be let go. The newest of a store never is. */
export async function forgottenBefore(reader: Reader, time: number): Promise<Forgotten> {
  const last = (await reader.operationLog()).latest
  let forgotten = (await reader.operationLog()).dropped
  for await (const { number, id } of operationsBefore(reader, time))
    if (number < last) forgotten = { operation: number, id }
  return forgotten
}

/**
 * Returns the newest entry that was named before a time; undefined where none was. Entries that were stored after it may
 * have been added at that time or later. An entry that was never named may be older than it seems, never younger.
 */
export async function newestBefore(reader: Reader, time: number): Promise<EntryHandle | undefined> {
  const named = new Reachable(reader)
  for await (const { moves } of operationsBefore(reader, time))
    for (const move of moves) named.name(move.name, move.new)
  return named.newest()
}

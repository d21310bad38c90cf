import type { EntryHandle } from '../../model/node.ts'
import type { Operation } from '../../model/operation.ts'
import type { Forgotten } from '../../storage/rewrite/kept.ts'
import type { Reader } from '../reader.ts'
import { Reachable } from './reachable.ts'

/** Yields the oldest operations, up to the first one that is not before a time: clocks may go backwards. */
async function* operationsBefore(reader: Reader, time: number): AsyncGenerator<Operation> {
  const last = (await reader.operationLog()).latest
  for (let number = (await reader.operationLog()).dropped.operation + 1; number <= last; number++) {
    const operation = await reader.operation(number)
    if (!operation || operation.time >= time) return
    yield operation
  }
}

/** Returns the newest of the operations before a time that gc may drop. The newest operation of a store is never dropped. */
export async function forgottenBefore(reader: Reader, time: number): Promise<Forgotten> {
  const last = (await reader.operationLog()).latest
  let forgotten = (await reader.operationLog()).dropped
  for await (const { number, id } of operationsBefore(reader, time))
    if (number < last) forgotten = { operation: number, id }
  return forgotten
}

/**
 * Returns the newest entry that an operation before a time named, or undefined. Entries stored after it may have been
 * added at that time or later; entries stored before it were added earlier.
 */
export async function newestBefore(reader: Reader, time: number): Promise<EntryHandle | undefined> {
  const named = new Reachable(reader)
  for await (const { moves } of operationsBefore(reader, time))
    for (const move of moves) named.name(move.name, move.new)
  return named.newest()
}

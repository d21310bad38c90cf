import type { Awaitable } from '../../model/awaitable.ts'
import type { RefValue } from '../../model/operation.ts'
import type { RefName } from '../../model/refname.ts'
import type { Zone } from '../../model/when.ts'
import type { Backend } from '../../storage/backend.ts'
import type { Env } from '../env.ts'
import type { PointInTime, Reader } from '../reader.ts'
import { operationsNewestFirst } from './operationlog.ts'
import { resolveOperationNumber } from './resolveoperation.ts'

/**
 * Returns the values right after an operation of the refs that moved later; undefined for refs that did not exist then.
 * Reads the later operations.
 */
export async function refsAfter(
  reader: Pick<Reader, 'operation' | 'operationLog'>,
  number: number,
): Promise<Map<RefName, RefValue | undefined>> {
  const then = new Map<RefName, RefValue | undefined>()
  for await (const operation of operationsNewestFirst(reader)) {
    if (operation.number <= number) break
    for (const move of operation.moves) then.set(move.name, move.old)
  }
  return then
}

/**
 * Returns a function that finds the point in time right after an operation in a backend, or undefined for the present.
 * `operation` is a text for `resolveOperationNumber`. The result is cached for the last backend.
 */
export function pointInTimeFinder(
  operation: string | undefined,
  { now }: Env,
  zone?: Zone,
): (backend: Backend) => Awaitable<PointInTime | undefined> {
  if (operation === undefined) return () => undefined
  let last: { readonly backend: Backend; readonly past: Promise<PointInTime> } | undefined
  const found = async (backend: Backend): Promise<PointInTime> => {
    const number = await resolveOperationNumber(backend, operation, now(), zone)
    return { operation: number, refs: await refsAfter(backend, number) }
  }
  return (backend) => {
    if (last?.backend !== backend) {
      const mine = { backend, past: found(backend) }
      last = mine
      // A failed read is not cached.
      mine.past.catch(() => {
        if (last === mine) last = undefined
      })
    }
    return last.past
  }
}

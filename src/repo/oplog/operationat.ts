import type { Awaitable } from '../../model/async.ts'
import { SessError } from '../../model/errors.ts'
import type { Operation, RefValue } from '../../model/operation.ts'
import type { RefName } from '../../model/refname.ts'
import { parseTime, type Zone } from '../../model/time.ts'
import type { Backend } from '../../storage/backend.ts'
import type { Env } from '../env.ts'
import type { PointInTime, Reader } from '../reader.ts'
import { type OperationReader, operationsNewestFirst } from './operationlog.ts'

/** The maximum number of candidates that are listed for an ambiguous id. */
const MAX_CANDIDATES = 5

/** Returns the operation with a number, or with an id that begins with 4 or more hex digits. Throws `no-operation`. */
export async function getOperation(reader: Reader, text: string): Promise<Operation> {
  const number = await numberOf(reader, text)
  const operation = number === undefined ? undefined : await reader.operation(number)
  if (!operation) throw await missing(reader, text)
  return operation
}

/**
 * Returns the number of the operation that a text names: by number, by id, or as the newest one at a time
 * (`2026-04-02T08:00`, `yesterday`, `3h`). 0 is the state before the first operation. Throws `no-operation` or
 * `ambiguous-operation`.
 */
export async function resolveOperationNumber(
  reader: Reader,
  text: string,
  now: number,
  zone?: Zone,
): Promise<number> {
  const number = await numberOf(reader, text)
  const { operation: dropped } = (await reader.operationLog()).dropped
  if (number !== undefined && number >= dropped) return number
  const time = parseTime(text, now, zone)
  if (time === undefined || number !== undefined) throw await missing(reader, text)
  for await (const operation of operationsNewestFirst(reader))
    if (operation.time <= time) return operation.number
  if (dropped > 0) throw await missing(reader, text)
  return 0
}

async function numberOf(reader: Reader, text: string): Promise<number | undefined> {
  if (/^\d{1,15}$/.test(text) && Number(text) <= (await reader.operationLog()).latest) return Number(text)
  if (!/^[0-9a-f]{4,32}$/i.test(text)) return undefined
  const found: Operation[] = []
  for await (const operation of operationsNewestFirst(reader))
    if (operation.id.startsWith(text.toLowerCase()) && found.push(operation) >= MAX_CANDIDATES) break
  if (found.length > 1) {
    const detail = found.map(({ number, id }) => `${number} is ${id.slice(0, text.length + 4)}`).join(', ')
    throw new SessError('ambiguous-operation', text, { detail })
  }
  return found[0]?.number
}

async function missing(reader: Reader, text: string): Promise<SessError> {
  const last = (await reader.operationLog()).latest
  const { operation: dropped } = (await reader.operationLog()).dropped
  const newest = last === 0 ? 'there is none yet' : `the newest is ${last}`
  return new SessError('no-operation', text, {
    detail: dropped === 0 ? newest : `${newest}, and gc removed those up to ${dropped}`,
  })
}

/**
 * Returns the values right after an operation of the refs that moved later; undefined for refs that did not exist then.
 * Reads the later operations.
 */
export async function refsAfter(
  reader: OperationReader,
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
      const own = { backend, past: found(backend) }
      last = own
      // A failed read is not cached.
      own.past.catch(() => {
        if (last === own) last = undefined
      })
    }
    return last.past
  }
}

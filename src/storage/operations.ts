import { encodeBriefly } from '../model/canonical.ts'
import type { RefName } from '../model/refname.ts'
import type { Operation, Turn } from './backend.ts'
import { packNow, packPlain, unpack } from './blocks/block.ts'
import { wellFormed } from './fault.ts'
import { operationKey } from './keys.ts'
import { fullNames, shortNames } from './names.ts'
import { operationValue, type Side, valueIn } from './newoperation.ts'
import { SealedPut } from './put.ts'
import { decodeRef, laidOut } from './refvalue.ts'
import type { Table } from './table.ts'

/** From so many bytes on an operation is packed, which an append must not wait for: an import moves thousands of refs. */
export const LARGE = 4096

/** Brotli's quality for large operations. */
const QUALITY = 5

/**
 * Gives what writes an operation down when it is put, as it stands at its place: laid out once it goes there or is read,
 * which few of those do that more is joined onto.
 */
export const operationPut = (operation: Operation): SealedPut =>
  new SealedPut(operationKey(operation.number), () => packed(operation))

function packed(operation: Operation): Uint8Array {
  const names = shortNames(operation.moves.map(({ name }) => name))
  const bytes = encodeBriefly(operationValue(operation, operation.id, names, laidOut))
  return bytes.length < LARGE ? packPlain(bytes) : packNow(bytes, QUALITY)
}

type Laid = readonly [
  number,
  string,
  number,
  string,
  string,
  readonly (readonly [string, Side, Side])[],
  (readonly [Turn['kind'], number])?,
]

/** Gives the operation with a number, or undefined where there is none. */
export function readOperation(table: Table, number: number): Operation | undefined {
  const what = `operation ${number}`
  const content = table.content(operationKey(number), what)
  return content && wellFormed(what, () => decodeOperation(content))
}

function decodeOperation(content: Uint8Array): Operation {
  const [number, id, time, who, command, moves, turn] = decodeRef(unpack(content)) as unknown as Laid
  const names = fullNames(moves.map(([name]) => name))
  return {
    number,
    id,
    time,
    who,
    command,
    moves: moves.map(([, old, now], i) => ({
      name: names[i] as RefName,
      old: valueIn(old),
      new: valueIn(now),
    })),
    ...(turn && { turn: { kind: turn[0], operation: turn[1] } }),
  }
}

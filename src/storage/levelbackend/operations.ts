import { encodeBriefly } from '../../model/encoding/canonical.ts'
import type { Json } from '../../model/json.ts'
import type { Actor, Operation, OperationRange, Reversal } from '../../model/operation.ts'
import type { RefName } from '../../model/refname.ts'
import { removeChecksum } from '../checksum.ts'
import { wellFormed } from '../ioerrors.ts'
import { compressNow, decompress, storeUncompressed } from './compression.ts'
import { type Key, MAX_NUMBER, numberAt, operationKey, prefixEnd, SPACE, spaceKey } from './keys.ts'
import { ChecksummedPut, type Put } from './keyvalue.ts'
import type { KeyValueStore } from './keyvaluestore.ts'
import { decodeRef, fullNames, shortNames } from './refs.ts'

/** The actors as stored. */
const [PROGRAM, PERSON] = [0, 1]

/** No value: JSON has no undefined, and null is a value that a ref may have. */
const NONE = 0

/** Returns an operation as a value to be encoded. `names` may replace its names by shorter forms. */
export function operationToValue(
  operation: Operation,
  names: readonly string[] = operation.moves.map(({ name }) => name),
): readonly unknown[] {
  const moves = operation.moves.map((m, i) => [
    names[i] as string,
    m.old === undefined ? NONE : [m.old],
    m.new === undefined ? NONE : [m.new],
  ])
  const { number, id, time, who, actor, command, reversal, key } = operation
  const by = actor === 'person' ? PERSON : PROGRAM
  return [
    number,
    id,
    time,
    who,
    by,
    command,
    moves,
    ...(reversal ? [[reversal.kind, reversal.operation]] : key === undefined ? [] : [NONE]),
    ...(key === undefined ? [] : [key]),
  ]
}

/** An operation is compressed from this size on: an import may move thousands of refs. */
const LARGE = 4096

/** Brotli's quality for large operations. */
const QUALITY = 5

/** Returns the put of an operation. */
export function operationPut(operation: Operation): Put {
  const key = operationKey(operation.number)
  const names = shortNames(operation.moves.map(({ name }) => name))
  const bytes = encodeBriefly(operationToValue(operation, names))
  return new ChecksummedPut(
    key,
    bytes.length < LARGE ? storeUncompressed(bytes) : compressNow(bytes, QUALITY),
  )
}

type EncodedOperation = readonly [
  number,
  string,
  number,
  string,
  number,
  string,
  readonly (readonly [string, Json, Json])[],
  (readonly [Reversal['kind'], number] | typeof NONE)?,
  string?,
]

/** Returns the number of the operation with a key. */
export const numberOfOperation = (key: Key): number => numberAt(key, 1, 6)

/** Returns the operation with a number, or undefined where there is none. */
export function readOperation(store: KeyValueStore, number: number): Operation | undefined {
  if (number > MAX_NUMBER) return undefined
  const content = store.getChecked(operationKey(number), nameOf(number))
  return content && decodeOperation(number, content)
}

/** Yields the operations of a range that are there. */
export async function* readOperations(
  store: KeyValueStore,
  { after, upTo, reverse }: OperationRange,
): AsyncGenerator<Operation> {
  const last = Math.min(upTo, MAX_NUMBER)
  if (after >= last) return
  const end = last === MAX_NUMBER ? prefixEnd(spaceKey(SPACE.operation)) : operationKey(last + 1)
  for await (const [key, value] of store.range(operationKey(after + 1), end, reverse)) {
    const number = numberOfOperation(key)
    yield decodeOperation(number, removeChecksum(key, value, nameOf(number)))
  }
}

const nameOf = (number: number): string => `operation ${number}`

const decodeOperation = (number: number, content: Uint8Array): Operation =>
  wellFormed(nameOf(number), () => decoded(number, content))

function actorOf(by: number): Actor {
  if (by !== PERSON && by !== PROGRAM) throw new RangeError('it names no actor')
  return by === PERSON ? 'person' : 'program'
}

function decoded(at: number, content: Uint8Array): Operation {
  const [number, id, time, who, by, command, moves, reversal, key] = decodeRef(
    decompress(content),
  ) as EncodedOperation
  if (number !== at) throw new RangeError('it has another number')
  const names = fullNames(moves.map(([name]) => name))
  const side = (part: Json): Json | undefined => (Array.isArray(part) ? (part[0] as Json) : undefined)
  return {
    number,
    id,
    time,
    who,
    actor: actorOf(by),
    command,
    moves: moves.map(([, old, now], i) => ({
      name: names[i] as RefName,
      old: side(old),
      new: side(now),
    })),
    ...(reversal && { reversal: { kind: reversal[0], operation: reversal[1] } }),
    ...(key !== undefined && { key }),
  }
}

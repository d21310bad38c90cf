import { encodeBriefly } from '../../model/canonical.ts'
import type { Json } from '../../model/json.ts'
import type { Operation, RefValue, Reversal } from '../../model/operation.ts'
import type { RefName } from '../../model/refname.ts'
import { wellFormed } from '../ioerrors.ts'
import { compressNow, decompress, storeUncompressed } from './compression.ts'
import { operationKey } from './keys.ts'
import { ChecksummedPut, type Put } from './keyvalue.ts'
import type { KeyValueStore } from './keyvaluestore.ts'
import { decodeRef, encodedOnce, fullNames, shortNames } from './refs.ts'

/** No value: JSON has no undefined, and null is a value that a ref may have. */
const NONE = 0

/**
 * Returns an operation as a value to be encoded. `names` and `valueOf` may replace its names and values by shorter
 * forms.
 */
export function operationToValue(
  operation: Operation,
  names: readonly string[] = operation.moves.map(({ name }) => name),
  valueOf: (value: RefValue) => unknown = (value) => value,
): unknown {
  const moves = operation.moves.map((m, i) => [
    names[i] as string,
    m.old === undefined ? NONE : [valueOf(m.old)],
    m.new === undefined ? NONE : [valueOf(m.new)],
  ])
  const { number, id, time, who, command, reversal } = operation
  return [number, id, time, who, command, moves, ...(reversal ? [[reversal.kind, reversal.operation]] : [])]
}

/** An operation is compressed from this size on: an import may move thousands of refs. */
const LARGE = 4096

/** Brotli's quality for large operations. */
const QUALITY = 5

/** Returns the put of an operation. */
export function operationPut(operation: Operation): Put {
  const key = operationKey(operation.number)
  const names = shortNames(operation.moves.map(({ name }) => name))
  const bytes = encodeBriefly(operationToValue(operation, names, encodedOnce))
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
  string,
  readonly (readonly [string, Json, Json])[],
  (readonly [Reversal['kind'], number])?,
]

/** Returns the operation with a number, or undefined where there is none. */
export function readOperation(store: KeyValueStore, number: number): Operation | undefined {
  const what = `operation ${number}`
  const content = store.getChecked(operationKey(number), what)
  return content && wellFormed(what, () => decodeOperation(content))
}

function decodeOperation(content: Uint8Array): Operation {
  const [number, id, time, who, command, moves, reversal] = decodeRef(decompress(content)) as EncodedOperation
  const names = fullNames(moves.map(([name]) => name))
  const side = (part: Json): Json | undefined => (Array.isArray(part) ? (part[0] as Json) : undefined)
  return {
    number,
    id,
    time,
    who,
    command,
    moves: moves.map(([, old, now], i) => ({
      name: names[i] as RefName,
      old: side(old),
      new: side(now),
    })),
    ...(reversal && { reversal: { kind: reversal[0], operation: reversal[1] } }),
  }
}

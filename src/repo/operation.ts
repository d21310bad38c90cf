import { encode } from '../model/canonical.ts'
import { changed } from '../model/expunged.ts'
import { sha256Oid } from '../model/hash.ts'
import type { Json, JsonObject } from '../model/json.ts'
import type { Operation, RefMove, RefValue, Turn } from '../model/operation.ts'
import type { RefName } from '../model/refname.ts'
import { operationValue } from '../storage/operations.ts'
import type { Reader } from './reader.ts'

/** What is known of an operation before it is numbered. */
export interface OperationDraft {
  readonly time: number
  readonly who: string
  readonly command: string
  readonly moves: readonly RefMove[]
  readonly turn?: Turn
}

/** Gives an operation its number and its id, which covers the operation before it. */
export function numberOperation(deed: OperationDraft, number: number, previous: string): Operation {
  const operation = { ...deed, number, id: previous }
  operation.id = sha256Oid(encode(operationValue(operation))).slice(0, 32)
  return operation
}

/** Tells whether an operation's id is what its content and the operation before it make it. */
export const hasValidId = (operation: Operation, previous: string): boolean =>
  numberOperation(operation, operation.number, previous).id === operation.id

/** Gives a move of a ref. What no UTF-8 holds of a text is replaced now: else it would be hashed otherwise than it is kept. */
export const refMove = (name: RefName, old: RefValue | undefined, value: RefValue | undefined): RefMove => ({
  name,
  old,
  new: value === undefined || isWellFormed(value) ? value : wellFormed(value),
})

const wellFormed = (value: RefValue): RefValue => changed(value, (text) => text.toWellFormed()) as RefValue

/** Tells whether each text of a value, the names of its fields among them, is one that UTF-8 holds. */
function isWellFormed(value: Json): boolean {
  if (typeof value === 'string') return value.isWellFormed()
  if (typeof value !== 'object' || value === null) return true
  if (Array.isArray(value)) return value.every(isWellFormed)
  for (const key in value)
    if (!key.isWellFormed() || !isWellFormed((value as JsonObject)[key] as Json)) return false
  return true
}

/** Joins a later deed onto an earlier one: each ref's first old value, its last new value. */
export function joinMoves(earlier: readonly RefMove[], later: readonly RefMove[]): RefMove[] {
  const moves = new Map<RefName, RefMove>(earlier.map((move) => [move.name, move]))
  for (const move of later) moves.set(move.name, { ...move, old: (moves.get(move.name) ?? move).old })
  return [...moves.values()]
}

/** Gives all operations that are kept, the newest first. */
export async function* operationsNewestFirst(
  reader: Pick<Reader, 'operation' | 'operationLog'>,
): AsyncGenerator<Operation> {
  const { operation: end } = (await reader.operationLog()).dropped
  for (let number = (await reader.operationLog()).latest; number > end; number--) {
    const operation = await reader.operation(number)
    if (operation) yield operation
  }
}

/**
 * Gives the values that a ref had, newest first, beginning with what it is now: what `REF@{N}` counts. Each
 * operation that moved it counts once.
 */
export async function* refHistory(
  reader: Pick<Reader, 'operation' | 'operationLog'>,
  name: RefName,
): AsyncGenerator<{ operation: Operation; move: RefMove }> {
  for await (const operation of operationsNewestFirst(reader)) {
    const move = operation.moves.find((m) => m.name === name)
    if (move) yield { operation, move }
  }
}

/** Gives the operation that moved a ref last, undefined where none ever did. */
export async function lastMover(
  reader: Pick<Reader, 'operation' | 'operationLog'>,
  name: RefName,
): Promise<Operation | undefined> {
  for await (const { operation } of refHistory(reader, name)) return operation
  return undefined
}

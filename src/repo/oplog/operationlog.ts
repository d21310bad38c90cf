import type { Awaitable } from '../../model/async.ts'
import { encode } from '../../model/encoding/canonical.ts'
import { sha256Oid } from '../../model/encoding/sha256.ts'
import { SessError } from '../../model/errors.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import type { Actor, Operation, RefMove, RefValue, Reversal } from '../../model/operation.ts'
import type { RefName } from '../../model/refname.ts'
import { changed } from '../../model/secrets/expunged.ts'
import { operationToValue } from '../../storage/levelbackend/operations.ts'
import type { Reader } from '../reader.ts'

/** An operation before it has a number and an id. */
export interface OperationDraft {
  readonly time: number
  readonly who: string
  readonly actor: Actor
  readonly command: string
  readonly moves: readonly RefMove[]
  readonly reversal?: Reversal
  readonly key?: string
}

/** Returns an operation with a number and an id. The id is a hash over the operation and the id of the previous one. */
export function numberOperation(draft: OperationDraft, number: number, previous: string): Operation {
  const operation = { ...draft, number, id: previous }
  operation.id = sha256Oid(encode(operationToValue(operation))).slice(0, 32)
  return operation
}

/** Returns whether an operation's id fits its content and the id of the previous operation. */
export const hasValidId = (operation: Operation, previous: string): boolean =>
  numberOperation(operation, operation.number, previous).id === operation.id

/**
 * Returns a move of a ref. Lone surrogates are replaced: UTF-8 cannot store them, and the hash must cover the stored
 * text.
 */
export const refMove = (name: RefName, old: RefValue | undefined, value: RefValue | undefined): RefMove => ({
  name,
  old,
  new: value === undefined || isWellFormed(value) ? value : wellFormed(value),
})

const wellFormed = (value: RefValue): RefValue => changed(value, (text) => text.toWellFormed()) as RefValue

/** Returns whether no string and no key of a value has a lone surrogate. */
function isWellFormed(value: Json): boolean {
  if (typeof value === 'string') return value.isWellFormed()
  if (typeof value !== 'object' || value === null) return true
  if (Array.isArray(value)) return value.every(isWellFormed)
  for (const key in value)
    if (!key.isWellFormed() || !isWellFormed((value as JsonObject)[key] as Json)) return false
  return true
}

/** Returns the moves of two consecutive operations as one: each ref with its first old value and its last new value. */
function joinMoves(earlier: readonly RefMove[], later: readonly RefMove[]): RefMove[] {
  const moves = new Map<RefName, RefMove>(earlier.map((move) => [move.name, move]))
  for (const move of later) moves.set(move.name, { ...move, old: (moves.get(move.name) ?? move).old })
  return [...moves.values()]
}

/** The part of a reader that the operation log is read with. */
export type OperationReader = Pick<Reader, 'operations' | 'operationLog'>

/** Yields all operations of the log, the newest first. */
export async function* operationsNewestFirst(reader: OperationReader): AsyncGenerator<Operation> {
  const { latest, dropped } = await reader.operationLog()
  yield* reader.operations({ after: dropped.operation, upTo: latest, reverse: true })
}

/** Yields the operations of a range that are not dropped, the oldest first. */
export async function* operationsBetween(
  reader: OperationReader,
  after: number,
  upTo = Number.POSITIVE_INFINITY,
): AsyncGenerator<Operation> {
  const { latest, dropped } = await reader.operationLog()
  yield* reader.operations({ after: Math.max(after, dropped.operation), upTo: Math.min(upTo, latest) })
}

/** Yields the operations that moved a ref, the newest first: `REF@{N}` counts them. */
export async function* refHistory(
  reader: OperationReader,
  name: RefName,
): AsyncGenerator<{ operation: Operation; move: RefMove }> {
  for await (const operation of operationsNewestFirst(reader)) {
    const move = operation.moves.find((m) => m.name === name)
    if (move) yield { operation, move }
  }
}

/** Returns the newest operation that moved a ref, or undefined. */
export async function lastMover(reader: OperationReader, name: RefName): Promise<Operation | undefined> {
  for await (const { operation } of refHistory(reader, name)) return operation
  return undefined
}

/**
 * Makes operations of drafts. Consecutive drafts with the same key by the same caller become one operation; those with
 * the key '' do not.
 */
export class OperationWriter {
  #last: { readonly key: string; readonly previous: string; readonly operation: Operation } | undefined

  /**
   * Returns the operation for a draft: a new one with the number `next`, or the newest one with the draft's moves
   * added.
   */
  write(reader: Reader, next: number, key: string, draft: OperationDraft): Operation {
    const last = this.#last
    const isNewest = last?.operation.number === next - 1
    if (isNewest && key !== '' && last.key === key && isBySame(last.operation, draft)) {
      const joined = { ...last.operation, moves: joinMoves(last.operation.moves, draft.moves) }
      this.#last = { ...last, operation: numberOperation(joined, next - 1, last.previous) }
    } else {
      const previous = isNewest ? last.operation.id : idOf(reader.operation(next - 1))
      const single = { ...draft, moves: joinMoves([], draft.moves) }
      this.#last = { key, previous, operation: numberOperation(single, next, previous) }
    }
    return this.#last.operation
  }

  /**
   * Closes the newest operation if it has another id in a newly opened database: something was expunged there
   * meanwhile.
   */
  opened(reader: Reader): void {
    const last = this.#last?.operation
    if (last && idOf(reader.operation(last.number)) !== last.id) this.close()
  }

  /** The number of the newest operation while drafts may be added to it. */
  get open(): number | 'none' {
    return this.#last && this.#last.key !== '' ? this.#last.operation.number : 'none'
  }

  /**
   * Closes the newest operation, so that no draft is added to it: somebody acts on it, or it was not written and its
   * number may be given to another one.
   */
  close(): void {
    this.#last = undefined
  }
}

const isBySame = (a: OperationDraft, b: OperationDraft): boolean =>
  a.command === b.command && a.actor === b.actor && a.who === b.who

function idOf(operation: Awaitable<Operation | undefined>): string {
  if (operation instanceof Promise)
    throw new SessError('bug', 'operations must be at hand while a transaction ends')
  return operation?.id ?? ''
}

import type { Awaitable } from '../model/awaitable.ts'
import { SessError } from '../model/errors.ts'
import type { Operation } from '../model/operation.ts'
import { joinMoves, numberOperation, type OperationDraft } from './operation.ts'
import type { Reader } from './reader.ts'

/** Makes operations of drafts. Consecutive drafts with the same key become one operation; those with the key '' do not. */
export class OperationWriter {
  #last: { readonly key: string; readonly previous: string; readonly operation: Operation } | undefined

  /** Returns the operation for a draft: a new one with the number `next`, or the newest one with the draft's moves added. */
  write(reader: Reader, next: number, key: string, draft: OperationDraft): Operation {
    const last = this.#last
    const isOpen = last?.operation.number === next - 1 && !isListed(reader, next - 1)
    if (last && key !== '' && last.key === key && isOpen) {
      const joined = { ...last.operation, moves: joinMoves(last.operation.moves, draft.moves) }
      this.#last = { ...last, operation: numberOperation(joined, next - 1, last.previous) }
    } else {
      const previous =
        last?.operation.number === next - 1 ? last.operation.id : idOf(reader.operation(next - 1))
      const single = { ...draft, moves: joinMoves([], draft.moves) }
      this.#last = { key, previous, operation: numberOperation(single, next, previous) }
    }
    return this.#last.operation
  }

  /** Closes the newest operation if it has another id in a newly opened database: something was expunged there meanwhile. */
  opened(reader: Reader): void {
    const last = this.#last?.operation
    if (last && idOf(reader.operation(last.number)) !== last.id) this.close()
  }

  /**
   * Closes the newest operation, so that no draft is added to it: its number was reported and must keep its meaning, or it
   * was not written and its number may be given to another one.
   */
  close(): void {
    this.#last = undefined
  }
}

/** Tells whether the cached list of sessions includes an operation as its last one: then its moves must not change. */
function isListed(reader: Reader, operation: number): boolean {
  const list = reader.cache.listState()
  if (list instanceof Promise) throw new SessError('bug', AT_HAND)
  return list?.operation === operation
}

const AT_HAND = 'operations must be at hand while a transaction ends'

function idOf(operation: Awaitable<Operation | undefined>): string {
  if (operation instanceof Promise) throw new SessError('bug', AT_HAND)
  return operation?.id ?? ''
}

import type { Awaitable } from '../model/awaitable.ts'
import { SessError } from '../model/errors.ts'
import type { Operation } from '../model/operation.ts'
import { joinMoves, numberOperation, type OperationDraft } from './operation.ts'
import type { Reader } from './reader.ts'

/** Makes operations of deeds. Deeds in a row with the same key become one; the key '' joins nothing. */
export class OperationWriter {
  #last: { readonly key: string; readonly previous: string; readonly operation: Operation } | undefined

  /** Gives the operation for a deed: of the next number, or the newest one again with the deed joined onto it. */
  write(reader: Reader, next: number, key: string, deed: OperationDraft): Operation {
    const last = this.#last
    const isOpen = last?.operation.number === next - 1 && !isListed(reader, next - 1)
    if (last && key !== '' && last.key === key && isOpen) {
      const joined = { ...last.operation, moves: joinMoves(last.operation.moves, deed.moves) }
      this.#last = { ...last, operation: numberOperation(joined, next - 1, last.previous) }
    } else {
      const previous =
        last?.operation.number === next - 1 ? last.operation.id : idOf(reader.operation(next - 1))
      const single = { ...deed, moves: joinMoves([], deed.moves) }
      this.#last = { key, previous, operation: numberOperation(single, next, previous) }
    }
    return this.#last.operation
  }

  /** Joins nothing onto an operation that is another in a database that was opened anew: something went from it for good. */
  opened(reader: Reader): void {
    const last = this.#last?.operation
    if (last && idOf(reader.operation(last.number)) !== last.id) this.close()
  }

  /**
   * Joins nothing onto the newest operation: its number was reported, and stands for the same moves from then on; or it
   * was not written, and its number may be that of another one.
   */
  close(): void {
    this.#last = undefined
  }
}

/** Tells whether the list of sessions is of the moment behind an operation, which then takes no more. */
function isListed(reader: Reader, operation: number): boolean {
  const moment = reader.cache.listState()
  if (moment instanceof Promise) throw new SessError('bug', AT_HAND)
  return moment?.operation === operation
}

const AT_HAND = 'operations must be at hand while a transaction ends'

function idOf(operation: Awaitable<Operation | undefined>): string {
  if (operation instanceof Promise) throw new SessError('bug', AT_HAND)
  return operation?.id ?? ''
}

import { type Awaitable, andThen } from '../model/awaitable.ts'
import { type Ranges, united } from '../model/ranges.ts'
import { GRAFTS } from '../model/refname.ts'
import type { Backend, Operation, RefMove, Transaction, Turn } from '../storage/backend.ts'
import type { JournalLine } from '../storage/journal/journalline.ts'
import type { Change, Writing } from './change.ts'
import type { Env } from './env.ts'
import { coverMoves } from './extents.ts'
import { graftedTransaction } from './grafts/grafted.ts'
import { plainRanges } from './grafts/joints.ts'
import type { Sight } from './grafts/sight.ts'
import { type Guarded, guarded } from './guard.ts'
import { moveOf } from './operation.ts'
import type { OperationWriter } from './operationwriter.ts'
import type { Done } from './unacknowledged.ts'

/** What pieces of work have in common that one process does in a store. */
export interface Works {
  readonly env: Env
  /** The command, where a piece of work says no other one. */
  readonly command: string
  readonly sight: Sight
  readonly operations: OperationWriter
}

/** A piece of work that is done in a transaction, as one operation. */
export class Piece<T> implements Done<T> {
  readonly writing: Writing
  readonly moves: RefMove[] = []
  result?: T
  operation?: Operation
  /** What the journal is told of it, once its operation was made: as the transaction is committed. */
  line: JournalLine | undefined
  readonly #works: Works
  readonly #work: (change: Change) => Awaitable<T>
  readonly #key: string
  readonly #covers = new Map<string, Ranges>()
  #turn: Turn | undefined

  /** `key` is the word by which its operation is joined onto the one before. */
  constructor(works: Works, writing: Writing, key: string, work: (change: Change) => Awaitable<T>) {
    this.#works = works
    this.writing = writing
    this.#key = key
    this.#work = work
  }

  /** Whether it moved what joins entries. */
  get grafts(): boolean {
    return this.moves.some(({ name }) => name.startsWith(GRAFTS))
  }

  /** Does it in a transaction, which is left to be committed: at once where nothing has to be waited for. */
  doIn(backend: Backend, transaction: Transaction): Awaitable<void> {
    return andThen(this.#works.sight.of(backend, this.writing), (seen) =>
      andThen(guarded(backend, transaction), (guard) =>
        andThen(this.#work(this.#changeOf(seen, guard.transaction)), (result) => {
          this.result = result
          return this.#moveRefs(backend, transaction, guard)
        }),
      ),
    )
  }

  #changeOf(backend: Backend, transaction: Transaction): Change {
    return {
      backend,
      transaction: graftedTransaction(backend, transaction),
      move: (name, old, value) => this.moves.push(moveOf(name, old, value)),
      turn: (of) => {
        this.#turn = of
      },
      cover: (session, rows) =>
        this.#covers.set(session, united(this.#covers.get(session) ?? [], plainRanges(rows))),
    }
  }

  #moveRefs(backend: Backend, transaction: Transaction, guard: Guarded): Awaitable<void> {
    const moves = guard.moves(this.moves)
    if (moves.length === 0) return undefined
    return andThen(coverMoves(backend, transaction, moves, this.#covers), () => {
      transaction.move(moves)
      transaction.operation((next, commit) => this.#made(backend, moves, guard, next, commit))
    })
  }

  #made(
    backend: Backend,
    moves: readonly RefMove[],
    { said }: Guarded,
    next: number,
    commit: number,
  ): Operation {
    const { env, command, operations } = this.#works
    const by = { time: env.now(), who: env.who(), command: said(this.writing.command ?? command) }
    const deed = { ...by, moves, ...(this.#turn && { turn: this.#turn }) }
    const operation = operations.write(backend, next, this.#key, deed)
    this.line = { operation: operation.number, commit, refs: moves.map((m) => [m.name, m.new ?? null]) }
    return (this.operation = operation)
  }
}

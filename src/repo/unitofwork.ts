import type { Awaitable } from '../model/awaitable.ts'
import type { Operation, RefMove, Turn } from '../model/operation.ts'
import { GRAFTS, TOMBSTONES } from '../model/refname.ts'
import type { Coverage } from '../model/searchindex.ts'
import type { Backend, Transaction } from '../storage/backend.ts'
import type { JournalLine } from '../storage/journal/journalline.ts'
import type { Change, WriteOptions } from './change.ts'
import type { Env } from './env.ts'
import { type FilteredWriter, filterExpunged } from './erase/expungefilter.ts'
import type { WorkOutcome } from './inflight.ts'
import { refMove } from './operation.ts'
import type { OperationWriter } from './operationwriter.ts'
import type { Reader } from './reader.ts'
import type { Readers } from './readers.ts'
import { coverMoves } from './searchcoverage.ts'

/** What pieces of work have in common that one process does in a store. */
export interface WriteContext {
  readonly env: Env
  /** The command, where a piece of work says no other one. */
  readonly command: string
  readonly readers: Readers
  readonly operations: OperationWriter
}

/** A piece of work that is done in a transaction, as one operation. */
export class UnitOfWork<T> implements WorkOutcome<T> {
  readonly writing: WriteOptions
  readonly moves: RefMove[] = []
  result?: T
  operation?: Operation
  /** What the journal is told of it, once its operation was made: as the transaction is committed. */
  line: JournalLine | undefined
  readonly #works: WriteContext
  readonly #work: (change: Change) => Awaitable<T>
  readonly #key: string
  readonly #coverage = new Map<string, Coverage[]>()
  #turn: Turn | undefined

  /** `key` is the word by which its operation is joined onto the one before. */
  constructor(
    works: WriteContext,
    writing: WriteOptions,
    key: string,
    work: (change: Change) => Awaitable<T>,
  ) {
    this.#works = works
    this.writing = writing
    this.#key = key
    this.#work = work
  }

  /** Whether it moved what readers remember: grafts or tombstones. */
  get changesReading(): boolean {
    return this.moves.some(({ name }) => name.startsWith(GRAFTS) || name.startsWith(TOMBSTONES))
  }

  /** Does it in a transaction, which is left to be committed. */
  async doIn(backend: Backend, transaction: Transaction): Promise<void> {
    const reader = await this.#works.readers.of(backend, this.writing)
    const guard = filterExpunged(backend, transaction, await this.#works.readers.tombstones(backend))
    this.result = await this.#work(this.#changeOf(reader, transaction, guard))
    const moves = guard.moves(this.moves)
    if (moves.length === 0) return
    await coverMoves(backend, transaction, moves, this.#coverage)
    transaction.moveRefs(moves)
    transaction.addOperation((next, commit) => this.#made(backend, moves, guard, next, commit))
  }

  #changeOf(reader: Reader, transaction: Transaction, { writer }: FilteredWriter): Change {
    return {
      reader,
      writer,
      keepList: (list) => transaction.keepList(list),
      move: (name, old, value) => this.moves.push(refMove(name, old, value)),
      turn: (of) => {
        this.#turn = of
      },
      cover: (session, coverage) =>
        this.#coverage.set(session, [...(this.#coverage.get(session) ?? []), coverage]),
    }
  }

  #made(
    backend: Backend,
    moves: readonly RefMove[],
    { said }: FilteredWriter,
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

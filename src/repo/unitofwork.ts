import type { Awaitable } from '../model/async.ts'
import { defined } from '../model/json.ts'
import type { Operation, RefMove, Reversal } from '../model/operation.ts'
import { GRAFTS, TOMBSTONES } from '../model/refname.ts'
import type { Coverage } from '../model/search/searchindex.ts'
import type { Backend, Transaction } from '../storage/backend.ts'
import type { JournalLine } from '../storage/journal.ts'
import type { CallContext } from './call.ts'
import type { Env } from './env.ts'
import { type ExpungeFilter, filterExpunged } from './expunge/expungefilter.ts'
import type { WorkOutcome } from './inflightcommits.ts'
import { type OperationWriter, refMove } from './oplog/operationlog.ts'
import type { CallReaders, Reader } from './reader.ts'
import { coverMoves } from './searchcoverage.ts'
import type { Change, WriteOptions } from './writeaccess.ts'

/** The parts that all units of work of one call share. */
export interface WriteContext {
  readonly env: Env
  /** The command and the actor of units of work that do not name others, and the terms of the call. */
  readonly by: Pick<CallContext, 'command' | 'actor' | 'terms'>
  readonly readers: CallReaders
  readonly operations: OperationWriter
}

/** A unit of work: runs in one transaction and becomes one operation. */
export class UnitOfWork<T> implements WorkOutcome<T> {
  readonly options: WriteOptions
  readonly moves: RefMove[] = []
  result?: T
  operation?: Operation
  /** Its line of the journal. Set together with its operation, when the transaction is committed. */
  line: JournalLine | undefined
  readonly #context: WriteContext
  readonly #work: (change: Change) => Awaitable<T>
  readonly #key: string
  readonly #coverage = new Map<string, Coverage[]>()
  #reversal: Reversal | undefined

  /** With a `key` its operation is joined with a preceding one of the same key. */
  constructor(
    context: WriteContext,
    options: WriteOptions,
    key: string,
    work: (change: Change) => Awaitable<T>,
  ) {
    this.#context = context
    this.options = options
    this.#key = key
    this.#work = work
  }

  /** Whether it moved grafts or tombstones, which readers cache. */
  get changesReaders(): boolean {
    return this.moves.some(({ name }) => name.startsWith(GRAFTS) || name.startsWith(TOMBSTONES))
  }

  /** Runs it in a transaction. The caller commits. */
  async runIn(backend: Backend, transaction: Transaction): Promise<void> {
    const reader = await this.#context.readers.of(backend, this.options)
    await this.#context.by.terms?.check(backend, reader, this.#context.env.now())
    const filter = filterExpunged(
      backend,
      transaction,
      await this.#context.readers.tombstones(backend, this.options),
    )
    this.result = await this.#work(this.#changeOf(reader, transaction, filter))
    const moves = filter.moves(this.moves)
    if (moves.length === 0) return
    await coverMoves(backend, transaction, moves, this.#coverage)
    transaction.moveRefs(moves)
    transaction.addOperation((next, commit) => this.#makeOperation(backend, moves, filter, next, commit))
  }

  #changeOf(reader: Reader, transaction: Transaction, { writer }: ExpungeFilter): Change {
    return {
      env: this.#context.env,
      reader,
      writer,
      keepList: (list) => transaction.keepList(list),
      keepCounts: (bytes) => transaction.keepCounts(bytes),
      move: (name, old, value) => this.moves.push(refMove(name, old, value)),
      reversal: (of) => {
        this.#reversal = of
      },
      cover: (session, coverage) =>
        this.#coverage.set(session, [...(this.#coverage.get(session) ?? []), coverage]),
    }
  }

  #makeOperation(
    backend: Backend,
    moves: readonly RefMove[],
    { erased }: ExpungeFilter,
    next: number,
    commit: number,
  ): Operation {
    const { env, operations } = this.#context
    const { terms } = this.#context.by
    const { command = this.#context.by.command, actor = this.#context.by.actor } = this.options
    const by = { time: env.now(), who: env.who(), actor, command: erased(command) }
    const more = { ...(this.#reversal && { reversal: this.#reversal }), ...defined({ key: terms?.key }) }
    const operation = operations.write(backend, next, this.#key, { ...by, moves, ...more })
    terms?.made(operation)
    this.line = { operation: operation.number, commit, refs: moves.map((m) => [m.name, m.new ?? null]) }
    return (this.operation = operation)
  }
}

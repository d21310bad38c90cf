import type { Awaitable } from '../model/async.ts'
import { defined } from '../model/json.ts'
import type { Operation, RefMove, Reversal } from '../model/operation.ts'
import { GRAFTS, TOMBSTONES } from '../model/refname.ts'
import type { Coverage } from '../model/search/searchindex.ts'
import { NO_TOMBSTONES } from '../model/secrets/expunged.ts'
import type { Backend, Transaction } from '../storage/backend.ts'
import type { JournalLine } from '../storage/journal.ts'
import type { CallContext } from './call.ts'
import type { Env } from './env.ts'
import { ExpungeFilter } from './expunge/expungefilter.ts'
import type { WorkOutcome } from './inflightcommits.ts'
import { type OperationWriter, refMove } from './oplog/operationlog.ts'
import type { CallReaders, Reader } from './reader.ts'
import { coverMoves } from './searchcoverage.ts'
import type { Change, WriteOptions, Writer } from './writeaccess.ts'

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
  /** All that the index learns, where the work reports that. */
  #allCoverage: { readonly session: string; readonly coverage: Coverage } | undefined
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
    const { readers, by, env } = this.#context
    const reader = await readers.of(backend, this.options)
    await by.terms?.check(backend, reader, env.now())
    const tombstones = await readers.cache.tombstones(backend, this.options)
    const isFiltered = tombstones !== NO_TOMBSTONES
    const filter = isFiltered ? new ExpungeFilter(backend, transaction, tombstones) : undefined
    const writer = filter?.writer ?? transaction
    this.result = await this.#work(this.#changeOf(reader, transaction, writer))
    const moves = filter ? filter.moves(this.moves) : this.moves
    if (moves.length === 0) return
    const all = this.#allCoverage
    if (all) writer.index.cover(all.session, all.coverage)
    else await coverMoves(backend, transaction, moves, this.#coverage)
    transaction.moveRefs(moves)
    transaction.addOperation((next, commit) => this.#makeOperation(backend, moves, filter, next, commit))
  }

  #changeOf(reader: Reader, transaction: Transaction, writer: Writer): Change {
    const { env, operations } = this.#context
    return {
      env,
      reader,
      writer,
      keepList: (list) => {
        // The list includes the newest operation, whose moves must not change any more.
        operations.close()
        transaction.keepList(list)
      },
      keepCounts: (bytes) => transaction.keepCounts(bytes),
      move: (name, old, value) => this.moves.push(refMove(name, old, value)),
      reversal: (of) => {
        this.#reversal = of
      },
      cover: (session, coverage) =>
        this.#coverage.set(session, [...(this.#coverage.get(session) ?? []), coverage]),
      coverAll: (session, coverage) => {
        this.#allCoverage = { session, coverage }
      },
    }
  }

  #makeOperation(
    backend: Backend,
    moves: readonly RefMove[],
    filter: ExpungeFilter | undefined,
    next: number,
    commit: number,
  ): Operation {
    const { env, operations } = this.#context
    const { terms } = this.#context.by
    const { command = this.#context.by.command, actor = this.#context.by.actor } = this.options
    const by = { time: env.now(), who: env.who(), actor, command: filter ? filter.erased(command) : command }
    const more = { ...(this.#reversal && { reversal: this.#reversal }), ...defined({ key: terms?.key }) }
    const operation = operations.write(backend, next, this.#key, { ...by, moves, ...more })
    terms?.made(operation)
    this.line = { operation: operation.number, commit, refs: moves.map((m) => [m.name, m.new ?? null]) }
    return (this.operation = operation)
  }
}

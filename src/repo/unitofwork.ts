import type { Awaitable } from '../model/awaitable.ts'
import type { EntryHandle } from '../model/node.ts'
import type { Oid } from '../model/oid.ts'
import type { Operation, RefMove, Turn } from '../model/operation.ts'
import { GRAFTS, graftedRoot, parseSessionRef, type SessionRef, TOMBSTONES } from '../model/refname.ts'
import type { Coverage } from '../model/searchindex.ts'
import type { Backend, Transaction } from '../storage/backend.ts'
import type { JournalLine } from '../storage/journal/journalline.ts'
import type { Change, WriteOptions } from './change.ts'
import type { Env } from './env.ts'
import { type ExpungeFilter, filterExpunged } from './erase/expungefilter.ts'
import { readGraft } from './grafts.ts'
import type { WorkOutcome } from './inflight.ts'
import { type OperationWriter, refMove } from './operation.ts'
import type { Reader } from './reader.ts'
import type { Readers } from './readers.ts'
import type { LogHead, SessionMeta } from './session.ts'

/** The parts that all units of work of one open store share. */
export interface WriteContext {
  readonly env: Env
  /** The command of units of work that do not name another one. */
  readonly command: string
  readonly readers: Readers
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
  #turn: Turn | undefined

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
    const filter = filterExpunged(backend, transaction, await this.#context.readers.tombstones(backend))
    this.result = await this.#work(this.#changeOf(reader, transaction, filter))
    const moves = filter.moves(this.moves)
    if (moves.length === 0) return
    await coverMoves(backend, transaction, moves, this.#coverage)
    transaction.moveRefs(moves)
    transaction.addOperation((next, commit) => this.#makeOperation(backend, moves, filter, next, commit))
  }

  #changeOf(reader: Reader, transaction: Transaction, { writer }: ExpungeFilter): Change {
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

  #makeOperation(
    backend: Backend,
    moves: readonly RefMove[],
    { said }: ExpungeFilter,
    next: number,
    commit: number,
  ): Operation {
    const { env, command, operations } = this.#context
    const by = { time: env.now(), who: env.who(), command: said(this.options.command ?? command) }
    const draft = { ...by, moves, ...(this.#turn && { turn: this.#turn }) }
    const operation = operations.write(backend, next, this.#key, draft)
    this.line = { operation: operation.number, commit, refs: moves.map((m) => [m.name, m.new ?? null]) }
    return (this.operation = operation)
  }
}

interface SessionCoverage {
  readonly paths: EntryHandle[]
  readonly names: string[]
  time: number | null
}

/**
 * Reports to the search index the entries that sessions reach after moves of their refs. `reported` holds the entries of
 * the sessions for which the work reported them itself; for the others the paths to the moved refs are reported.
 */
async function coverMoves(
  backend: Pick<Backend, 'find'>,
  transaction: { readonly index: Pick<Transaction['index'], 'cover'> },
  moves: readonly RefMove[],
  reported: ReadonlyMap<string, readonly Coverage[]>,
): Promise<void> {
  const sessions = new Map<string, SessionCoverage>()
  const covered = (session: string): SessionCoverage => {
    const known = sessions.get(session) ?? { paths: [], names: [], time: null }
    sessions.set(session, known)
    return known
  }
  const addPath = async (session: string, oid: Oid): Promise<void> => {
    const entry = await backend.find(oid)
    if (entry !== undefined) covered(session).paths.push(entry)
  }
  for (const { name, new: value } of moves) {
    const root = graftedRoot(name)
    const graft = root && readGraft(root, value)
    if (graft) await addPath(graft.session, graft.parent)
    const ref = value === undefined ? undefined : parseSessionRef(name)
    if (!ref) continue
    const { session, kind } = ref
    if (kind === 'labels') covered(session).names.push(ref.name as string)
    if (kind === 'meta') {
      const { title, created } = value as Partial<SessionMeta>
      if (title) covered(session).names.push(title)
      addTime(covered(session), created)
    }
    if (kind === 'source' || kind === 'native' || kind === 'natives' || kind === 'exports')
      addTime(covered(session), (value as LogHead).updated)
    if (!NAMES_ENTRY.has(kind) || reported.has(session)) continue
    const oid = kind === 'HEAD' ? (value as { readonly oid?: Oid | null }).oid : (value as Oid)
    if (oid) await addPath(session, oid)
  }
  for (const [session, coverage] of sessions) transaction.index.cover(session, coverage)
  for (const [session, all] of reported)
    for (const coverage of all) transaction.index.cover(session, coverage)
}

/** The kinds of refs that name an entry. */
const NAMES_ENTRY = new Set<SessionRef['kind']>(['HEAD', 'branches', 'labels'])

/** Raises the time of a session to a later one. Ignores values that are not finite numbers. */
function addTime(covered: SessionCoverage, time: number | null | undefined): void {
  if (Number.isFinite(time)) covered.time = Math.max(covered.time ?? Number.NEGATIVE_INFINITY, time as number)
}

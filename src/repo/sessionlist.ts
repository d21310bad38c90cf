import type { Awaitable } from '../model/async.ts'
import type { Operation, RefMove } from '../model/operation.ts'
import { ALL_SESSIONS, parseSessionRef, sessionPrefix } from '../model/refname.ts'
import type { ListState } from '../storage/backend.ts'
import { undefinedIfCorrupt } from '../storage/levelbackend/blockreader.ts'
import {
  type Columns,
  cellsAt,
  columnsOf,
  decodeList,
  encodeList,
  FIELDS,
  isSound,
  type ListField,
  type ListSource,
} from './listcolumns.ts'
import { listed } from './listedsession.ts'
import { listedSpending } from './listedspending.ts'
import type { Reader } from './reader.ts'
import { allTrunks, type SessionTrunk, trunksFrom } from './session.ts'
import type { Change, WriteOptions } from './writeaccess.ts'

/** The store that a list is of, as far as the list needs it. */
interface ListedStore {
  readonly atOperation: string | undefined
  readonly isDry: boolean
  readonly stopped: boolean
  read<T>(work: (reader: Reader) => Awaitable<T>): Promise<T>
  write<T>(writing: WriteOptions, work: (change: Change) => Awaitable<T>): Promise<T>
  runWhenIdle(name: string, task: () => Promise<void>): void
}

/** Below this many sessions, reading their refs is as fast as reading a list. */
const FEW = 32

/** The list is renewed after this many operations, or after one for each `PART` sessions if that is more. */
const OPERATIONS = 256
const PART = 32

/** The list is renewed, and not used, once one session in this many has moved. */
const MOVED = 8

/** Whether a list goes on without unsound refs: also in a write, which asks it only for what a name means. */
const passesIn = ({ passedOver }: Reader): boolean => passedOver !== undefined

/**
 * Returns fields of all sessions, from the cached list and the refs that moved after it, else from all refs. `passes` is
 * that of `sessionsFrom`.
 */
export async function listedIn<F extends ListField>(
  reader: Reader,
  fields: readonly F[],
  passes = passesIn(reader),
): Promise<Columns<F>> {
  return (await cachedIn(reader, fields, { passes })) ?? allListed(reader, fields, { passes })
}

/**
 * Returns the ids of the sessions of which the cached list differs from their refs. Throws `corrupt` if it is
 * malformed.
 */
export async function listProblems(reader: Reader): Promise<string[]> {
  const columns = await currentIn(reader, FIELDS, passesIn(reader), decodeList)
  const cached = new Map(columns?.id.map((id, i) => [id, JSON.stringify(cellsAt(columns, i))]))
  if (cached.size === 0) return []
  const wrong: string[] = []
  for await (const session of allTrunks(reader)) {
    const cells = cellsAt(columnsOf([sourceOf(session)], FIELDS), 0)
    if (cached.get(session.id) !== JSON.stringify(cells)) wrong.push(session.id)
    cached.delete(session.id)
  }
  return [...wrong, ...cached.keys()]
}

/** Returns what else is needed of a list, by the columns that were read of it. */
type More<F extends ListField> = (columns: Columns<F>) => readonly F[]

interface ListReading<F extends ListField> {
  readonly more?: More<F> | undefined
  readonly passes?: boolean
}

/**
 * Returns the same as `listedIn`, and what `more` asks for; undefined without a usable list. A malformed one counts as
 * none: refs say the same.
 */
const cachedIn = <F extends ListField>(
  reader: Reader,
  fields: readonly F[],
  { more = () => [], passes = passesIn(reader) }: ListReading<F | 'id'> = {},
): Promise<Columns<F> | undefined> =>
  currentIn(reader, fields, passes, (bytes, sessions, read) =>
    undefinedIfCorrupt(() => {
      const columns = decodeList(bytes, sessions, read)
      const others = more(columns)
      return others.length === 0 ? columns : { ...columns, ...decodeList(bytes, sessions, others) }
    }),
  )

async function currentIn<F extends ListField>(
  reader: Reader,
  fields: readonly F[],
  passes: boolean,
  decode: (
    bytes: Uint8Array,
    sessions: number,
    fields: readonly (F | 'id')[],
  ) => Columns<F | 'id'> | undefined,
): Promise<Columns<F> | undefined> {
  const list = await reader.cache.list()
  if (!list || list.sessions === 0) return undefined
  const moved = await movedSince(reader, list)
  const columns = moved && decode(list.bytes, list.sessions, [...new Set([...fields, 'id' as const])])
  if (!columns || moved.size === 0) return columns
  const rows: ListSource[] = []
  for (const id of moved)
    for await (const session of trunksFrom(reader, sessionPrefix(id), passes)) rows.push(sourceOf(session))
  return replaced(columns, moved, rows)
}

const sourceOf = (session: SessionTrunk): ListSource => ({
  ...listed(session),
  // Few lists need it, and of a long session it takes long.
  get spending() {
    return listedSpending(session)
  },
})

/** Returns columns without the cells of some sessions, and with those of other rows at the end. */
function replaced<F extends ListField>(
  columns: Columns<F | 'id'>,
  without: ReadonlySet<string>,
  rows: readonly ListSource[],
): Columns<F | 'id'> {
  const ids: readonly string[] = columns.id
  const fields = Object.keys(columns) as (F | 'id')[]
  const added = columnsOf(rows, fields)
  const merged = fields.map((field) => [
    field,
    [...columns[field].filter((_, i) => !without.has(ids[i] as string)), ...added[field]],
  ])
  return Object.fromEntries(merged) as Columns<F | 'id'>
}

async function allListed<F extends ListField>(
  reader: Reader,
  fields: readonly F[],
  { more, passes = passesIn(reader) }: ListReading<F> = {},
): Promise<Columns<F>> {
  const rows: ListSource[] = []
  for await (const session of trunksFrom(reader, ALL_SESSIONS, passes)) rows.push(sourceOf(session))
  const columns = columnsOf(rows, fields)
  return more ? { ...columns, ...columnsOf(rows, more(columns)) } : columns
}

/**
 * Returns the sessions whose refs moved after the list was made, by the operations since. Undefined where an operation
 * is missing, or where reading all refs is as fast.
 */
async function movedSince(
  reader: Reader,
  { operation, commits, sessions }: ListState,
): Promise<ReadonlySet<string> | undefined> {
  const moved = new Set<string>()
  const log = await reader.operationLog()
  // A list of later than the store would take the place of its refs for good.
  if (operation > log.latest || commits > log.commits) return undefined
  if (log.commits === commits) return moved
  if (log.latest - operation > sessions || log.dropped.operation > operation) return undefined
  for (let number = log.latest; number > operation; number--) {
    const known = await reader.operation(number)
    if (!known) return undefined
    addSessions(moved, known.moves)
    if (moved.size > sessions / MOVED) return undefined
  }
  return moved
}

function addSessions(to: Set<string>, moves: readonly RefMove[]): void {
  for (const { name } of moves) {
    const session = parseSessionRef(name)?.session
    if (session !== undefined) to.add(session)
  }
}

/**
 * Makes the list of sessions again and caches it: from all refs, or as `read` returns it. Of fewer than `few` sessions
 * none is kept.
 */
export async function renewList(
  repo: ListedStore,
  read: typeof listedIn = (reader, fields, passes) => allListed(reader, fields, { passes: passes === true }),
  few = FEW,
): Promise<void> {
  await repo.write({ bulk: true, plain: true }, async ({ reader, keepList }) => {
    // A list that leaves refs out would hide them from the commands that use it.
    const columns = await read(reader, FIELDS, false)
    const sessions = columns.id.length
    const isKept = sessions >= few && isSound(columns)
    const { latest, commits } = await reader.operationLog()
    keepList({
      operation: latest,
      commits,
      sessions: isKept ? sessions : 0,
      bytes: isKept ? encodeList(columns) : new Uint8Array(0),
    })
  })
}

/** The state of a list that was never made. */
const NEVER: ListState = { operation: 0, commits: 0, sessions: 0 }

/** Renews the list of sessions after many writes. */
export class SessionListRenewer {
  /** The sessions whose refs this process moved after it last renewed the list. */
  readonly #moved = new Set<string>()
  #isOld = false
  /** The newest operation that this process wrote. */
  #last: Operation | undefined
  /** Settles when the renewal in flight, if any, has ended. */
  #renewing: Promise<void> = Promise.resolve()

  /**
   * Returns fields of all sessions, and those that `more` asks for. Where no list could be used, one is made afterwards.
   */
  async read<F extends ListField>(
    repo: ListedStore,
    fields: readonly F[],
    more?: More<F | 'id'>,
  ): Promise<Columns<F | 'id'>> {
    const wanted = [...new Set([...fields, 'id' as const])]
    const cached = await repo.read((reader) => cachedIn(reader, wanted, { more }))
    if (cached) return cached
    const columns = await repo.read((reader) => allListed(reader, wanted, { more }))
    if (columns.id.length >= FEW && repo.atOperation === undefined && !repo.isDry) this.#request(repo)
    return columns
  }

  #request(repo: ListedStore): void {
    this.#isOld = true
    repo.runWhenIdle('list', () => (this.#renewing = this.#renew(repo)))
  }

  /** Records an operation that was written, and requests a renewal where many followed the list. */
  async wrote(repo: ListedStore, reader: Reader, operation: Operation): Promise<void> {
    const { number, moves } = operation
    const isKnown = number === this.#last?.number && moves.length === this.#last.moves.length
    this.#last = operation
    if (isKnown) return // Only refs that it had moved already were moved again.
    addSessions(this.#moved, moves)
    if (this.#isBehind(await reader.cache.listState(), number)) this.#request(repo)
  }

  #isBehind({ operation, sessions }: ListState = NEVER, latest: number): boolean {
    return (
      operation > latest ||
      this.#moved.size >= Math.max(FEW, sessions / MOVED) ||
      latest - operation >= Math.max(OPERATIONS, sessions / PART)
    )
  }

  async #renew(repo: ListedStore): Promise<void> {
    this.#isOld = false
    this.#moved.clear()
    await renewList(repo, listedIn)
  }

  /**
   * Completes a renewal before the store is closed, whether it is in flight or requested: a command has few quiet
   * moments.
   */
  async end(repo: ListedStore): Promise<void> {
    if (repo.stopped) return
    // The command has succeeded. A renewal that fails is tried again by the next command, which reports why.
    await this.#renewing.catch(() => undefined)
    if (this.#isOld) await this.#renew(repo).catch(() => undefined)
  }
}

import type { Awaitable } from '../model/async.ts'
import { decodeStored, encode } from '../model/canonical.ts'
import { isOid } from '../model/oid.ts'
import type { RefMove } from '../model/operation.ts'
import { parseSessionRef } from '../model/refname.ts'
import { iso } from '../model/time.ts'
import type { ListState } from '../storage/backend.ts'
import { wellFormed } from '../storage/ioerrors.ts'
import { undefinedIfCorrupt } from '../storage/levelbackend/blockreader.ts'
import { compressNow, decompress } from '../storage/levelbackend/compression.ts'
import { type Listed, listed } from './listedsession.ts'
import type { Reader } from './reader.ts'
import { allSessions, findSession } from './session.ts'
import type { Change, WriteOptions } from './writeaccess.ts'

/**
 * A session as a list keeps it: the same facts in cells that cost little to decode. Times are numbers, the counts of
 * tokens have a cell each, and tables need only the number of other branches (`sess ls` of 10,000 sessions: 40 ms less
 * than with the texts and the maps).
 */
export interface ListCells extends Omit<Listed, 'tokens' | 'created' | 'updated'> {
  /** Tokens of its model calls; null where its agent does not record them. */
  readonly input: number | null
  readonly output: number | null
  readonly cacheRead: number | null
  readonly cacheWrite: number | null
  readonly total: number | null
  /** In milliseconds since 1970. */
  readonly created: number | null
  readonly updated: number | null
  /** The number of its branches other than the current one. */
  readonly others: number
}

export type ListField = keyof ListCells

/** The fields that hold the tokens of a session. */
export const TOKEN_FIELDS = ['input', 'output', 'cacheRead', 'cacheWrite', 'total'] as const

/** Rows of a list by field: each column has one cell for each session. */
export type Columns<F extends ListField = ListField> = { readonly [K in F]: readonly ListCells[K][] }

function cellsOf({ tokens, created, updated, ...rest }: Listed): ListCells {
  const { input = null, output = null, cacheRead = null, cacheWrite = null, total = null } = tokens ?? {}
  const { branches, head } = rest
  const count = Object.keys(branches).length
  return {
    ...rest,
    input,
    output,
    cacheRead,
    cacheWrite,
    total,
    created: created === null ? null : Date.parse(created),
    updated: updated === null ? null : Date.parse(updated),
    others: head !== null && Object.hasOwn(branches, head) ? count - 1 : count,
  }
}

/** The times that a date can hold, in milliseconds before and after 1970. */
const MOST_TIME = 8.64e15

/** Returns whether a value is one that a cell of a column may hold. */
type CellCheck = (cell: unknown) => boolean

const isText: CellCheck = (cell) => typeof cell === 'string'
const isNumber: CellCheck = (cell) => Number.isFinite(cell)
const isTime: CellCheck = (cell) => typeof cell === 'number' && Math.abs(cell) <= MOST_TIME
const orNull =
  (check: CellCheck): CellCheck =>
  (cell) =>
    cell === null || check(cell)
const mapOf =
  (check: CellCheck): CellCheck =>
  (cell) =>
    typeof cell === 'object' &&
    cell !== null &&
    Object.getPrototypeOf(cell) === Object.prototype &&
    Object.values(cell).every(check)
const oids = mapOf((value) => typeof value === 'string' && isOid(value))

/** The check of each column. */
const CHECKS: { readonly [F in ListField]: CellCheck } = {
  id: isText,
  format: isText,
  title: orNull(isText),
  prompt: orNull(isText),
  cwd: orNull(isText),
  entries: isNumber,
  records: isNumber,
  prompts: isNumber,
  calls: isNumber,
  input: orNull(isNumber),
  output: orNull(isNumber),
  cacheRead: orNull(isNumber),
  cacheWrite: orNull(isNumber),
  total: orNull(isNumber),
  cost: orNull(isNumber),
  model: orNull(isText),
  branches: oids,
  labels: oids,
  set: mapOf(isText),
  head: orNull(isText),
  parent: orNull(isText),
  agents: oids,
  created: orNull(isTime),
  updated: orNull(isTime),
  others: isNumber,
  source: orNull(isText),
  state: (cell) => typeof cell === 'string' && isOid(cell),
}

/** All fields. */
export const FIELDS = Object.keys(CHECKS) as readonly ListField[]

const columnsOfCells = <F extends ListField>(cells: readonly ListCells[], fields: readonly F[]): Columns<F> =>
  Object.fromEntries(fields.map((field) => [field, cells.map((one) => one[field])])) as unknown as Columns<F>

/** Returns the columns of rows. */
export const columnsOf = <F extends ListField>(rows: readonly Listed[], fields: readonly F[]): Columns<F> =>
  columnsOfCells(rows.map(cellsOf), fields)

const cellsAt = (columns: Columns, index: number): ListCells =>
  Object.fromEntries(FIELDS.map((field) => [field, columns[field][index]])) as unknown as ListCells

/** Returns the row at an index, with its fields in the order in which they are shown. */
export function rowAt(columns: Columns, index: number): Listed {
  const {
    input,
    output,
    cacheRead,
    cacheWrite,
    total,
    created,
    updated,
    others: _,
    ...rest
  } = cellsAt(columns, index)
  const isCounted =
    input !== null && output !== null && cacheRead !== null && cacheWrite !== null && total !== null
  const { id, format, title, prompt, cwd, entries, records, prompts, calls, ...after } = rest
  const { cost, model, branches, labels, set, head, parent, agents, source, state } = after
  return {
    id,
    format,
    title,
    prompt,
    cwd,
    entries,
    records,
    prompts,
    calls,
    tokens: isCounted ? { input, output, cacheRead, cacheWrite, total } : null,
    cost,
    model,
    branches,
    labels,
    set,
    head,
    parent,
    agents,
    created: iso(created),
    updated: iso(updated),
    source,
    state,
  }
}

export const rowsOf = (columns: Columns): Listed[] => columns.id.map((_, i) => rowAt(columns, i))

/** Returns whether each cell of some columns is one that a list may keep. */
const isSound = (columns: Partial<Columns>): boolean =>
  Object.entries(columns).every(([field, cells]) => cells.every(CHECKS[field as ListField]))

/** Brotli's quality: a list is written again as sessions come. */
const QUALITY = 5

const utf8 = new TextEncoder()

/**
 * Encodes a list: a CBOR map of columns, each compressed on its own, so that it is read on its own. A column is JSON:
 * a command reads it once, and `JSON.parse` needs no warm-up (`sess ls` of 10,000 sessions: 60 ms less than with CBOR).
 */
export const encodeList = (columns: Columns): Uint8Array =>
  encode(
    Object.fromEntries(
      FIELDS.map(
        (field) => [field, compressNow(utf8.encode(JSON.stringify(columns[field])), QUALITY)] as const,
      ),
    ),
  )

const textOf = ({ buffer, byteOffset, length }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, length).toString()

/** Decodes some columns of a list of `sessions` sessions. Throws `corrupt` where a column is missing or not sound. */
export const decodeList = <F extends ListField>(
  bytes: Uint8Array,
  sessions: number,
  fields: readonly F[],
): Columns<F> =>
  wellFormed('the list of sessions', () => {
    const packed = decodeStored(bytes) as { readonly [field: string]: Uint8Array }
    const columns = Object.fromEntries(
      fields.map((field) => [field, JSON.parse(textOf(decompress(packed[field] as Uint8Array)))]),
    ) as unknown as Columns<F>
    const areWhole = fields.every(
      (field) => Array.isArray(columns[field]) && columns[field].length === sessions,
    )
    if (!areWhole || !isSound(columns)) throw new RangeError('a column is not of its kind')
    return columns
  })

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

/** Returns fields of all sessions, from the cached list and the refs that moved after it, else from all refs. */
export async function listedIn<F extends ListField>(
  reader: Reader,
  fields: readonly F[],
): Promise<Columns<F>> {
  return (await cachedIn(reader, fields)) ?? allListed(reader, fields)
}

/**
 * Returns the ids of the sessions of which the cached list differs from their refs. Throws `corrupt` if it is
 * malformed.
 */
export async function listProblems(reader: Reader): Promise<string[]> {
  const columns = await currentIn(reader, FIELDS, decodeList)
  const all = columns ? columns.id.map((_, i) => cellsAt(columns, i)) : []
  const cached = new Map(all.map((cells) => [cells.id, textOfCells(cells)]))
  if (cached.size === 0) return []
  const wrong: string[] = []
  for await (const session of allSessions(reader)) {
    if (cached.get(session.id) !== textOfCells(cellsOf(listed(session)))) wrong.push(session.id)
    cached.delete(session.id)
  }
  return [...wrong, ...cached.keys()]
}

const textOfCells = (cells: ListCells): string => JSON.stringify(FIELDS.map((field) => cells[field]))

/**
 * Returns the same as `listedIn`; undefined without a usable list. A malformed one counts as none: refs say the same.
 */
const cachedIn = <F extends ListField>(
  reader: Reader,
  fields: readonly F[],
): Promise<Columns<F> | undefined> =>
  currentIn(reader, fields, (...list) => undefinedIfCorrupt(() => decodeList(...list)))

async function currentIn<F extends ListField>(
  reader: Reader,
  fields: readonly F[],
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
  const rows: Listed[] = []
  for (const id of moved) {
    const session = await findSession(reader, id)
    if (session) rows.push(listed(session))
  }
  return replaced(columns, fields, moved, rows)
}

/** Returns columns without the cells of some sessions, and with those of other rows at the end. */
function replaced<F extends ListField>(
  columns: Columns<F | 'id'>,
  fields: readonly F[],
  without: ReadonlySet<string>,
  rows: readonly Listed[],
): Columns<F> {
  const ids: readonly string[] = columns.id
  const added = columnsOf(rows, fields)
  const merged = fields.map((field) => [
    field,
    [...columns[field].filter((_, i) => !without.has(ids[i] as string)), ...added[field]],
  ])
  return Object.fromEntries(merged) as Columns<F>
}

async function allListed<F extends ListField>(reader: Reader, fields: readonly F[]): Promise<Columns<F>> {
  const rows: Listed[] = []
  for await (const session of allSessions(reader)) rows.push(listed(session))
  return columnsOf(rows, fields)
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
  read: typeof listedIn = allListed,
  few = FEW,
): Promise<void> {
  await repo.write({ bulk: true, plain: true }, async ({ reader, keepList }) => {
    const columns = await read(reader, FIELDS)
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
  /** Settles when the renewal in flight, if any, has ended. */
  #renewing: Promise<void> = Promise.resolve()

  /** Returns fields of all sessions. Where no list could be used, one is made afterwards. */
  async read<F extends ListField>(repo: ListedStore, fields: readonly F[]): Promise<Columns<F | 'id'>> {
    const wanted = [...new Set([...fields, 'id' as const])]
    const cached = await repo.read((reader) => cachedIn(reader, wanted))
    if (cached) return cached
    const columns = await repo.read((reader) => allListed(reader, wanted))
    if (columns.id.length >= FEW && repo.atOperation === undefined && !repo.isDry) this.#request(repo)
    return columns
  }

  #request(repo: ListedStore): void {
    this.#isOld = true
    repo.runWhenIdle('list', () => (this.#renewing = this.#renew(repo)))
  }

  /** Records moves that were written, and requests a renewal where many followed the list. */
  async wrote(repo: ListedStore, reader: Reader, moves: readonly RefMove[]): Promise<void> {
    addSessions(this.#moved, moves)
    const { latest } = await reader.operationLog()
    if (this.#isBehind(await reader.cache.listState(), latest)) this.#request(repo)
  }

  #isBehind({ operation, sessions }: ListState = NEVER, latest: number): boolean {
    return (
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

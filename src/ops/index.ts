import { viewOf } from '../formats/registry.ts'
import { NodeSet } from '../graph/nodeset.ts'
import { type Awaitable, andThen } from '../model/awaitable.ts'
import { SessError } from '../model/errors.ts'
import { united } from '../model/ranges.ts'
import { type Said, saidIn } from '../model/said.ts'
import type { View } from '../model/view.ts'
import { type Backend, type Extent, groupStart, NO_ROW, type Row, type Transaction } from '../repo/backend.ts'
import { pathRange } from '../repo/extents.ts'
import { graftsIn } from '../repo/grafts/grafts.ts'
import { renewList } from '../repo/list/listing.ts'
import type { Repo } from '../repo/repo.ts'
import { allSessions, logsOf, type Session, tipOf, updatedOf } from '../repo/session.ts'

/** So many rows wait outside of the index, where a search reads them one by one, before they are taken into it. */
const WAITING = 512

/** Of a long import so many rows are gathered at once: what one segment of the index may tell of. */
const GATHERED = 30_720

/**
 * Keeps the index of words as entries come. What one transaction adds it is told as it comes; what waits from before is
 * read again when it is taken into the index.
 */
export class Indexer {
  readonly #backend: Backend
  readonly #transaction: Transaction
  /** All rows from here on are told. */
  readonly #told: Row

  private constructor(backend: Backend, transaction: Transaction, told: Row) {
    this.#backend = backend
    this.#transaction = transaction
    this.#told = told
  }

  /** Begins to index what a transaction adds from now on. */
  static async begin(backend: Backend, transaction: Transaction): Promise<Indexer> {
    return new Indexer(backend, transaction, await backend.next())
  }

  /** Tells what a new entry says. */
  tell(row: Row, view: View): void {
    if (row >= this.#told) this.#transaction.tell(row, saidIn(view))
  }

  /** Indexes what was told so far where it is much. To be called now and then in long transactions. */
  async relax(): Promise<void> {
    if ((await this.#backend.next()) - this.#transaction.indexed >= GATHERED) await this.end()
  }

  /** Indexes whole groups where so many rows wait, `most` rows of them. */
  async end(most = Number.POSITIVE_INFINITY): Promise<void> {
    const { indexed } = this.#transaction
    const to = groupStart(Math.min(await this.#backend.next(), indexed + most))
    if (to - indexed < WAITING) return
    await this.#tellAgain(indexed, Math.min(to, this.#told))
    await this.#transaction.index(to)
  }

  async #tellAgain(from: Row, to: Row): Promise<void> {
    for await (const row of this.#backend.rows(from, to)) this.#transaction.tell(row, await this.#saidAt(row))
  }

  /**
   * Gives what an entry says. One that is damaged says nothing, as it does to a search: `fsck` tells of it, and an append
   * to another session must not fail for it.
   */
  async #saidAt(row: Row): Promise<readonly Said[]> {
    try {
      const { type } = await this.#backend.node(row)
      return saidIn(viewOf(type, await this.#backend.body(row)))
    } catch (error) {
      if (error instanceof SessError && error.code === 'corrupt') return []
      throw error
    }
  }

  /** Tells all entries that are there again, and indexes them. The index was forgotten before. */
  async rebuild(): Promise<void> {
    for (let to = 0; to < this.#told; ) {
      to = Math.min(to + GATHERED, this.#told)
      await this.#tellAgain(this.#transaction.indexed, to)
      await this.#transaction.index(to)
    }
  }
}

const waitsMuch = (backend: Backend): Awaitable<boolean> =>
  andThen(backend.next(), (next) => andThen(backend.indexed(), (indexed) => next - indexed >= 2 * WAITING))

/** Takes some of what single appends have left into the index, where much has come together. */
export const indexWaiting = async (backend: Backend, transaction: Transaction): Promise<void> => {
  if (!(await waitsMuch(backend))) return
  await (await Indexer.begin(backend, transaction)).end(WAITING)
}

const written = new WeakSet<Repo>()

/** Does the same in pieces while nothing else is written; at once where a store was just opened, as for a single command. */
export function indexLater(repo: Repo, backend: Backend, transaction: Transaction): Awaitable<void> {
  const isFirst = !written.has(repo)
  written.add(repo)
  return andThen(waitsMuch(backend), (isMuch) => {
    // What is written when nothing waits would still empty the ledger, and sync for it.
    if (!isMuch) return
    if (isFirst) return indexWaiting(backend, transaction)
    repo.whenQuiet('index', () => indexQuietly(repo))
  })
}

/** Indexes a piece of what waits, and has the next one done where there is more. */
async function indexQuietly(repo: Repo): Promise<void> {
  await repo.write({ bulk: true }, async ({ backend, transaction }) => {
    const before = transaction.indexed
    await indexWaiting(backend, transaction)
    const { indexed } = transaction
    if (indexed > before && (await backend.next()) - indexed >= 2 * WAITING)
      repo.whenQuiet('index', () => indexQuietly(repo))
  })
}

/** Makes anew what is derived: the index of words, where the entries of each session are, what lists say of them. */
export async function reindex(repo: Repo): Promise<void> {
  await repo.write({ bulk: true, plain: true }, async ({ backend, transaction }) => {
    await transaction.forgetIndex()
    await (await Indexer.begin(backend, transaction)).rebuild()
    for await (const session of allSessions(backend))
      transaction.cover(session.id, await extentOf(backend, session))
    for await (const { session, parent } of graftsIn(backend))
      transaction.cover(session, { ranges: await pathRange(backend, parent), time: null, names: [] })
  })
  await renewList(repo)
}

/** Gives where the entries of a session are, by its logs and refs. */
async function extentOf(backend: Backend, session: Session): Promise<Extent> {
  const { meta, branches, labels } = session
  const rows = new NodeSet()
  for (const [log, count] of logsOf(session))
    for await (const [, { row }] of backend.spine(log, 0, count)) if (row !== NO_ROW) rows.add(row)
  let ranges = rows.ranges()
  const tip = tipOf(session)
  for (const oid of [...branches.values(), ...labels.values(), ...(tip === undefined ? [] : [tip])]) {
    const row = await backend.find(oid)
    if (row !== undefined && !rows.has(row)) ranges = united(ranges, await pathRange(backend, oid))
  }
  const names = [...(meta.title === null ? [] : [meta.title]), ...labels.keys()]
  return { ranges, time: updatedOf(session), names }
}

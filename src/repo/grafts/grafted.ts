import type { Oid } from '../../model/oid.ts'
import type { Utf8Room } from '../../model/utf8room.ts'
import type { Backend, Transaction } from '../../storage/backend.ts'
import type { Spine } from '../../storage/columns/spine.ts'
import type { Stretch } from '../../storage/columns/stretch.ts'
import type { Row, StoredEnvelope, StoredRecord } from '../../storage/record.ts'
import type { Node } from '../../storage/runs/run.ts'
import { GraftedTransaction } from './graftedtransaction.ts'
import { Joints, plainRow } from './joints.ts'
import { Through } from './through.ts'

/** Gives a backend as its grafts join it: the same where it has none. */
export async function grafted(backend: Backend): Promise<Backend> {
  const joints = await Joints.read(backend)
  return joints.none ? backend : new Grafted(backend, joints)
}

/** Gives a transaction for rows as a backend gives them. */
export const graftedTransaction = (backend: Backend, transaction: Transaction): Transaction =>
  backend instanceof Grafted ? backend.over(transaction) : transaction

/** Gives the records of a log, the newest first, under the rows under which they are stored: none of them is lifted. */
export const storedStretches = (backend: Backend, log: number, count: number): AsyncIterable<Stretch> =>
  (backend instanceof Grafted ? backend.now : backend).stretches(log, 0, count, true)

/**
 * A backend whose grafted roots have parents: all that nodes say of their paths goes on through these. Oids, bodies and
 * records are as they are stored. Where a parent was stored after what is grafted to it, entries have other rows here than
 * there; bounds of rows, and what the indexes tell, are those of storage.
 */
class Grafted extends Through {
  readonly #joints: Joints

  constructor(now: Backend, joints: Joints) {
    super(now)
    this.#joints = joints
  }

  override async find(oid: Oid): Promise<Row | undefined> {
    const row = await this.now.find(oid)
    return row === undefined ? undefined : this.#joints.lifted(row)
  }

  override async findAll(oids: Iterable<Oid>): Promise<ReadonlyMap<Oid, Row>> {
    const found = await this.now.findAll(oids)
    if (!this.#joints.lifts) return found
    const lifted: [Oid, Row][] = []
    for (const [oid, row] of found) lifted.push([oid, await this.#joints.lifted(row)])
    return new Map(lifted.sort(([, a], [, b]) => a - b))
  }

  override node(row: Row): ReturnType<Backend['node']> {
    const plain = plainRow(row)
    return this.#joints.mayReach(plain) ? this.#seen(plain) : this.now.node(plain)
  }

  async #seen(row: Row): Promise<Node> {
    return this.#joints.seen(await this.now.node(row))
  }

  override oid(row: Row): ReturnType<Backend['oid']> {
    return this.now.oid(plainRow(row))
  }

  override body(row: Row): ReturnType<Backend['body']> {
    return this.now.body(plainRow(row))
  }

  override filled(row: Row, envelope: StoredEnvelope): ReturnType<Backend['filled']> {
    return this.now.filled(plainRow(row), envelope)
  }

  override addFilled(room: Utf8Room, row: Row, envelope: StoredEnvelope): ReturnType<Backend['addFilled']> {
    return this.now.addFilled(room, plainRow(row), envelope)
  }

  override fetch(rows: readonly Row[]): Promise<void> {
    return this.now.fetch(rows.map(plainRow))
  }

  override digest(row: Row): ReturnType<Backend['digest']> {
    return this.now.digest(plainRow(row))
  }

  override records(...range: Parameters<Backend['records']>): AsyncIterable<[number, StoredRecord]> {
    return this.#rowsLifted(this.now.records(...range))
  }

  override spine(...range: Parameters<Backend['spine']>): AsyncIterable<[number, Spine]> {
    return this.#rowsLifted(this.now.spine(...range))
  }

  override stretches(...range: Parameters<Backend['stretches']>): AsyncIterable<Stretch> {
    const stretches = this.now.stretches(...range)
    return this.#joints.lifts ? this.#stretchesLifted(stretches) : stretches
  }

  async *#stretchesLifted(stretches: AsyncIterable<Stretch>): AsyncGenerator<Stretch> {
    for await (const stretch of stretches) {
      const spine: Spine[] = []
      for (const one of stretch.spine) spine.push(await this.#lifted(one))
      const records = (): StoredRecord[] =>
        stretch.records().map((record, i) => ({ ...record, ...(spine[i] as Spine) }))
      yield { start: stretch.start, spine, records }
    }
  }

  override async record(log: number, position: number): Promise<StoredRecord> {
    return this.#lifted(await this.now.record(log, position))
  }

  override async *rows(from?: Row, to?: Row): AsyncGenerator<Row> {
    for await (const row of this.now.rows(from, to)) yield await this.#joints.lifted(row)
  }

  #rowsLifted<R extends Spine>(records: AsyncIterable<[number, R]>): AsyncIterable<[number, R]> {
    return this.#joints.lifts ? this.#eachLifted(records) : records
  }

  async *#eachLifted<R extends Spine>(records: AsyncIterable<[number, R]>): AsyncGenerator<[number, R]> {
    for await (const [position, record] of records) yield [position, await this.#lifted(record)]
  }

  async #lifted<R extends Spine>(record: R): Promise<R> {
    const joints = this.#joints
    return { ...record, row: await joints.lifted(record.row), tip: await joints.lifted(record.tip) }
  }

  /** Gives a transaction that takes and gives rows as this backend does. */
  over(transaction: Transaction): Transaction {
    return this.#joints.lifts ? new GraftedTransaction(transaction, this.#joints) : transaction
  }
}

import { encode } from '../../../src/model/canonical.ts'
import { digestOf, type Links, oidOfEntry } from '../../../src/model/entry.ts'
import { SessError } from '../../../src/model/errors.ts'
import type { Json } from '../../../src/model/json.ts'
import type { Oid } from '../../../src/model/oid.ts'
import type { RefName } from '../../../src/model/refname.ts'
import type { Traits } from '../../../src/model/view.ts'
import { NO_WEIGHT, type Weight } from '../../../src/model/weight.ts'
import type { Backend, NewRecord, RefMove, RefValue, Transaction } from '../../../src/storage/backend.ts'
import { NO_ROW, type Row, type StoredRecord } from '../../../src/storage/record.ts'
import type { NewEntry } from '../../../src/storage/runs/packer.ts'
import type { RowLinks } from '../../../src/storage/runs/run.ts'

/** A backend on trial: empty when it is given. */
export interface Trial {
  readonly backend: Backend
  /** Closes the backend and gives what a new process would find; called only where the backend is durable. */
  readonly reopen: () => Promise<Backend>
  /** Lets everything go. */
  readonly close: () => Promise<void>
}

/** Opens an empty backend. */
export type Open = () => Promise<Trial>

/** A law of backends. `run` throws where it does not hold, and gives false where the backend need not obey it. */
export interface Law {
  readonly name: string
  readonly run: () => Promise<boolean>
}

/** What a law does with a backend; it may give false. */
export type Check = (trial: Trial) => Promise<boolean | void>

/** Makes a law of a check. */
export const law =
  (open: Open) =>
  (name: string, check: Check): Law => ({
    name,
    async run() {
      const trial = await open()
      try {
        return (await check(trial)) !== false
      } finally {
        await trial.close()
      }
    },
  })

/** What an entry says, its relatives by their rows. */
export interface Saying {
  readonly body: Json
  readonly type?: string
  readonly parents?: readonly Row[]
  readonly links?: RowLinks
  readonly traits?: Traits
  readonly weight?: Weight
}

/** Gives the oids of rows. */
export async function oidsAt(backend: Backend, rows: readonly Row[]): Promise<Oid[]> {
  const oids: Oid[] = []
  for (const row of rows) oids.push(await backend.oid(row))
  return oids
}

/** Gives an entry as a transaction takes it, under its true oid. */
export async function entryOf(backend: Backend, saying: Saying): Promise<NewEntry> {
  const { body, type = 'sess/message', parents = [], links = {}, traits = 0, weight = NO_WEIGHT } = saying
  const { firstKept, kept, target } = links
  const named: Links = {
    ...(firstKept === undefined ? {} : { firstKept: await backend.oid(firstKept) }),
    ...(kept === undefined ? {} : { kept: await oidsAt(backend, kept) }),
    ...(target === undefined ? {} : { target: await backend.oid(target) }),
  }
  const digest = digestOf(body)
  const oids = await oidsAt(backend, parents)
  const oid = oidOfEntry({ parents: oids, type, digest, links: named })
  return { oid, type, parents, links, digest, traits, weight, body }
}

/** Adds an entry and gives its row. */
export const say = async (backend: Backend, transaction: Transaction, saying: Saying): Promise<Row> =>
  transaction.add(await entryOf(backend, saying))

/** Adds a path of entries and gives their rows. */
export async function sayPath(
  backend: Backend,
  transaction: Transaction,
  bodies: readonly Json[],
  after?: Row,
): Promise<Row[]> {
  const rows: Row[] = []
  for (const body of bodies) {
    const before = rows.at(-1) ?? after
    rows.push(await say(backend, transaction, { body, parents: before === undefined ? [] : [before] }))
  }
  return rows
}

/** Tells whether an error says that a ref has moved. */
export const isConflict = (error: unknown): boolean => error instanceof SessError && error.code === 'conflict'

export const refName = (name: string): RefName => name as RefName

export const moveOf = (name: string, old: RefValue | undefined, value: RefValue | undefined): RefMove => ({
  name: refName(name),
  old,
  new: value,
})

/** A record of a source's unit that carries no entry, told by a text. */
export const recordOf = (text: string, row: Row = NO_ROW): NewRecord => ({
  row,
  tip: row,
  lead: Uint8Array.of(10),
  content: { shape: '1', values: [text], spelling: '' },
})

/** Appends records to a log and commits them. */
export async function appendAll(
  backend: Backend,
  log: number,
  from: number,
  texts: readonly string[],
  options: { readonly bulk?: boolean } = {},
): Promise<void> {
  const transaction = backend.begin(options)
  texts.forEach((text, i) => transaction.record(log, from + i, recordOf(text)))
  await transaction.commit()
}

/** Gives the positions and the texts of records that `recordOf` made. */
export async function textsOf(
  backend: Backend,
  records: AsyncIterable<[number, StoredRecord]>,
): Promise<[number, Json][]> {
  const texts: [number, Json][] = []
  for await (const [position, { content }] of records) {
    if ('raw' in content) throw new TypeError('the record is raw')
    texts.push([position, ((await backend.whole(content.values)) as readonly Json[])[0] as Json])
  }
  return texts
}

/** Gives all that an iteration gives. */
export async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const item of items) list.push(item)
  return list
}

/** Gives a value's canonical bytes as text: equal for equal values, the order of keys included. */
export const canonical = (value: Json): string => Buffer.from(encode(value)).toString('hex')

import { encode } from '../../../src/model/encoding/canonical.ts'
import { digestOf, mapLinks, oidOfEntry } from '../../../src/model/encoding/entry.ts'
import type { Oid } from '../../../src/model/encoding/oid.ts'
import { SessError } from '../../../src/model/errors.ts'
import type { Json } from '../../../src/model/json.ts'
import type { EntryHandle, NodeLinks } from '../../../src/model/node.ts'
import type { RefMove, RefValue } from '../../../src/model/operation.ts'
import type { LogId, LogRecord, NewRecord, RecordHeader, RecordRange } from '../../../src/model/record.ts'
import type { RefName } from '../../../src/model/refname.ts'
import { NO_WEIGHT, type Weight } from '../../../src/model/tokens.ts'
import type { Traits } from '../../../src/model/view.ts'
import type { Backend, NewEntry, PackingOptions, Transaction } from '../../../src/storage/backend.ts'

/** A backend under test, empty at first. */
export interface Trial {
  readonly backend: Backend
  /** Closes the backend and returns what a new process would open. Called only where the backend is durable. */
  readonly reopen: () => Promise<Backend>
  /** Releases everything. */
  readonly close: () => Promise<void>
}

/** Opens an empty backend. */
export type Open = () => Promise<Trial>

/** A law of backends. `run` throws where it does not hold, and returns false where the backend need not obey it. */
export interface Law {
  readonly name: string
  readonly run: () => Promise<boolean>
}

/** Checks a law with a backend; false means that the backend need not obey it. */
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

/** Both ways in which a transaction packs, with a word for the name of a law. */
export const PACKINGS: readonly (readonly [how: string, packing: PackingOptions])[] = [
  ['one by one', {}],
  ['in bulk', { bulk: true }],
]

/** An entry to be added; all but its body is optional. */
export interface Sample {
  readonly body: Json
  readonly type?: string
  readonly parents?: readonly EntryHandle[]
  readonly links?: NodeLinks
  readonly traits?: Traits
  readonly weight?: Weight
}

/** Returns the oids of entries. */
export async function oidsOf(backend: Backend, entries: readonly EntryHandle[]): Promise<Oid[]> {
  const oids: Oid[] = []
  for (const entry of entries) oids.push(await backend.oid(entry))
  return oids
}

/** Returns an entry as a transaction takes it, under its true oid. */
export async function newEntry(backend: Backend, sample: Sample): Promise<NewEntry> {
  const { body, type = 'sess/message', parents = [], links = {}, traits = 0, weight = NO_WEIGHT } = sample
  const digest = digestOf(body)
  const named = await mapLinks(links, (entry) => Promise.resolve(backend.oid(entry)))
  const oid = oidOfEntry({ parents: await oidsOf(backend, parents), type, digest, links: named })
  return { oid, type, parents, links, digest, traits, weight, body }
}

/** Adds an entry and returns its handle. */
export const addOne = async (
  backend: Backend,
  transaction: Transaction,
  sample: Sample,
): Promise<EntryHandle> => transaction.addEntry(await newEntry(backend, sample))

/** Adds a path of entries and returns their handles. */
export async function addPath(
  backend: Backend,
  transaction: Transaction,
  bodies: readonly Json[],
  parent?: EntryHandle,
): Promise<EntryHandle[]> {
  const entries: EntryHandle[] = []
  for (const body of bodies) {
    const before = entries.at(-1) ?? parent
    entries.push(await addOne(backend, transaction, { body, parents: before === undefined ? [] : [before] }))
  }
  return entries
}

/** Returns whether an error says that a ref has moved. */
export const isConflict = (error: unknown): boolean => error instanceof SessError && error.code === 'conflict'

export const refName = (name: string): RefName => name as RefName

export const moveOf = (name: string, old: RefValue | undefined, value: RefValue | undefined): RefMove => ({
  name: refName(name),
  old,
  new: value,
})

/** Returns a record that has a text as its value and carries an entry, if one is given. */
export const recordOf = (text: string, entry?: EntryHandle): NewRecord => ({
  entry,
  tip: entry,
  lead: Uint8Array.of(10),
  content: { shape: '1', values: [text], spelling: '' },
})

/** Appends records to a log and commits them. */
export async function appendAll(
  backend: Backend,
  log: LogId,
  from: number,
  texts: readonly string[],
  packing: PackingOptions = {},
): Promise<void> {
  const transaction = backend.begin(packing)
  for (const [i, text] of texts.entries()) transaction.appendRecord(log, from + i, recordOf(text))
  await transaction.commit()
}

/** Begins a log in a transaction of its own. */
export async function newLog(backend: Backend): Promise<LogId> {
  const transaction = backend.begin()
  const log = transaction.newLog()
  await transaction.commit()
  return log
}

type At<T> = readonly [position: number, item: T]

function inRange<T>(start: number, items: readonly T[], reverse = false): At<T>[] {
  const found = items.map((item, i) => [start + i, item] as const)
  return reverse ? found.reverse() : found
}

/** Returns the records of a range with their positions. */
export async function recordsOf(backend: Backend, log: LogId, range: RecordRange): Promise<At<LogRecord>[]> {
  const batches = await all(backend.readLog(log, range))
  return batches.flatMap(({ start, records }) => inRange(start, records(), range.reverse))
}

/** Returns the headers of a range with their positions, in a form that is compared. */
export async function headersOf(backend: Backend, log: LogId, range: RecordRange): Promise<At<unknown>[]> {
  const batches = await all(backend.readLog(log, range))
  return batches.flatMap(({ start, headers }) => inRange(start, headers.map(headerOf), range.reverse))
}

/** Returns a header in a form that is compared: a missing field is an undefined one. */
export const headerOf = ({ entry, tip, time, native, usage }: RecordHeader): readonly unknown[] => [
  entry,
  tip,
  time,
  native,
  usage,
]

/** Returns the positions and the texts of records that `recordOf` made. */
export async function textsOf(
  backend: Backend,
  log: LogId,
  from: number,
  to: number,
  reverse = false,
): Promise<At<Json>[]> {
  return (await recordsOf(backend, log, { from, to, reverse })).map(([position, { content }]) => {
    if ('raw' in content) throw new TypeError('the record is raw')
    return [position, content.values[0] as Json]
  })
}

/** Returns all that an iteration yields. */
export async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const item of items) list.push(item)
  return list
}

/** Returns a value's canonical bytes as text: equal for equal values, the order of keys included. */
export const canonical = (value: Json): string => Buffer.from(encode(value)).toString('hex')

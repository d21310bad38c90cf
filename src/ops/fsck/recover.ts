import { viewOf } from '../../formats/registry.ts'
import { inOrder } from '../../graph/order.ts'
import { collected } from '../../model/async.ts'
import { joined } from '../../model/bytes.ts'
import { digestOf, mapLinks, oidOfEntry } from '../../model/encoding/entry.ts'
import type { Oid } from '../../model/encoding/oid.ts'
import { SessError } from '../../model/errors.ts'
import type { Json } from '../../model/json.ts'
import type { EntryHandle, Node, NodeLinks } from '../../model/node.ts'
import type { BlobId, LogId, LogRecord, NewRecord } from '../../model/record.ts'
import { NO_TOMBSTONES, type Tombstones } from '../../model/secrets/expunged.ts'
import { minus, NO_WEIGHT, type Weight, weightOf } from '../../model/tokens.ts'
import { type Traits, traitsOf } from '../../model/view.ts'
import { isExpunged } from '../../repo/expunge/expungefilter.ts'
import { lookIn, type Reader } from '../../repo/reader.ts'
import { bytesOfRecord, readRecords } from '../../repo/records.ts'
import type { LogPrefixes } from '../../repo/session.ts'
import type { Writer } from '../../repo/writeaccess.ts'
import { NO_HASH, nextHash } from '../import/logtarget.ts'
import { unlessDamaged } from './impact.ts'

/** The facts about an entry that are computed from its body. */
interface Meaning {
  readonly traits: Traits
  /** The weight of the entry alone. */
  readonly weight: Weight
}

/**
 * Copies entries, logs and blobs that this store lacks from another store, within one transaction. Nothing that the other
 * store says of an entry is believed: digest and oid are computed again from what it gives, and traits and weight from
 * the body. Only a body that was expunged, according to `tombstones`, may differ from its digest.
 */
export class Recovery {
  readonly #here: Reader
  readonly #there: Reader
  readonly #writer: Writer
  readonly #tombstones: Tombstones
  /** The handles here by the handles there. */
  readonly #handles = new Map<EntryHandle, EntryHandle>()
  /** The new logs, with the numbers of their records, by the names of the logs whose place they take. */
  readonly #logs = new Map<LogId, LogPrefixes[number]>()
  /** The number of entries that were recovered. */
  entries = 0

  constructor(here: Reader, there: Reader, writer: Writer, tombstones: Tombstones = NO_TOMBSTONES) {
    this.#here = here
    this.#there = there
    this.#writer = writer
    this.#tombstones = tombstones
  }

  /** Recovers an entry with its ancestors. Returns whether this store has it then: not where another one was given for it. */
  async entry(oid: Oid): Promise<boolean> {
    if ((await this.#here.find(oid)) !== undefined) return true
    const recovered = await unlessDamaged(async () => {
      const handle = await this.#there.find(oid)
      return handle === undefined ? undefined : this.#handle(handle)
    })
    return recovered !== undefined && (await this.#here.oid(recovered)) === oid
  }

  /**
   * Returns the handle here of an entry there, after recovering it with its ancestors. Throws `corrupt` where one of them
   * is not what its oid says.
   */
  async #handle(handle: EntryHandle): Promise<EntryHandle | undefined> {
    const missing = new Set<EntryHandle>()
    const open = [handle]
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (this.#handles.has(at) || missing.has(at)) continue
      const known = await this.#here.find(await this.#there.oid(at))
      if (known === undefined) {
        missing.add(at)
        open.push(...(await this.#there.node(at)).parents)
      } else this.#handles.set(at, known)
    }
    for (const at of await inOrder(missing, lookIn(this.#there))) await this.#add(at)
    return this.#handles.get(handle)
  }

  async #add(handle: EntryHandle): Promise<void> {
    const node = await this.#there.node(handle)
    const { type, digest, links } = node
    const here = (at: EntryHandle): EntryHandle => this.#handles.get(at) as EntryHandle
    for (const at of linked(links)) if (!this.#handles.has(at)) await this.#known(at)
    const parents = node.parents.map(here)
    const linksHere = await mapLinks(links, here)
    const parentOids: Oid[] = []
    for (const parent of parents) parentOids.push(await this.#here.oid(parent))
    const oid = oidOfEntry({
      parents: parentOids,
      type,
      digest,
      links: await mapLinks(linksHere, (at) => this.#here.oid(at)),
    })
    const body = await this.#there.body(handle)
    const isSame = digestOf(body) === digest
    if (oid !== (await this.#there.oid(handle)) || !(isSame || isExpunged(this.#tombstones, digest, body)))
      throw new SessError('corrupt', `the entry ${oid} of the other store is not what its oid says`)
    const meant = isSame ? meaningOf(type, body) : await this.#meaningThere(node)
    this.#handles.set(
      handle,
      this.#writer.addEntry({ oid, type, parents, links: linksHere, digest, body, ...meant }),
    )
    this.entries++
    await this.#writer.flush()
  }

  /** Returns the traits and the own weight that the other store says: of a body that was expunged nothing else tells. */
  async #meaningThere({ traits, weight, parents: [first] }: Node): Promise<Meaning> {
    const before = first === undefined ? NO_WEIGHT : (await this.#there.node(first)).weight
    return { traits, weight: minus(weight, before) }
  }

  async #known(handle: EntryHandle): Promise<void> {
    const known = await this.#here.find(await this.#there.oid(handle))
    if (known !== undefined) this.#handles.set(handle, known)
  }

  /**
   * Recovers the first records of a log, and returns the log that has them: the same one, extended from its end here, or a
   * new one where this store has other records in it.
   */
  async prefix(log: LogId, count: number): Promise<LogId> {
    const [known, length] = this.#logs.get(log) ?? [undefined, 0]
    if (known !== undefined && length >= count) return known
    const whole = known === undefined ? await this.#wholeUpTo(log, count) : length
    const to = known ?? (whole === undefined ? this.#writer.newLog() : log)
    for await (const [position, record] of readRecords(this.#there, log, whole ?? 0, count)) {
      this.#writer.appendRecord(to, position, await this.#record(record))
      await this.#writer.flush()
    }
    this.#logs.set(log, [to, Math.max(whole ?? 0, count)])
    return to
  }

  /**
   * Returns the number of records that a log has here; undefined where some of them are damaged, or differ from those
   * there: a store that was set back to an older copy of itself may have written others since.
   */
  async #wholeUpTo(log: LogId, count: number): Promise<number | undefined> {
    const length = await this.#here.logLength(log)
    if (!(await hasRecords(this.#here, log, length))) return undefined
    return (await this.#hasSame(log, Math.min(length, count))) ? length : undefined
  }

  /** Returns whether the first records of a log are the same here and there. */
  async #hasSame(log: LogId, count: number): Promise<boolean> {
    const theirs = readRecords(this.#there, log, 0, count)
    for await (const [, record] of readRecords(this.#here, log, 0, count)) {
      const other = await theirs.next()
      if (other.done) return false
      const [, their] = other.value
      if (!(await traceOf(this.#here, record)).equals(await traceOf(this.#there, their))) return false
    }
    return true
  }

  async #record(record: LogRecord): Promise<NewRecord> {
    const here = async (at: EntryHandle | undefined): Promise<EntryHandle | undefined> =>
      at === undefined ? undefined : this.#handle(at)
    const { content } = record
    return {
      ...record,
      entry: await here(record.entry),
      tip: await here(record.tip),
      content:
        'raw' in content
          ? { raw: await collected(bytesOfRecord(this.#there, { ...record, content, lead: NOTHING })) }
          : content,
    }
  }

  /** Recovers bytes. Returns whether this store has them then: not where a part of them is expunged here. */
  async blob(id: BlobId): Promise<boolean> {
    if (await hasBlob(this.#here, id)) return true
    const bytes = await unlessDamaged(() => this.#there.readBlob(id))
    return bytes !== undefined && this.#writer.putBlob(bytes) === id
  }
}

/** Returns whether a store has bytes, and they can be read. */
export const hasBlob = async (reader: Reader, id: BlobId): Promise<boolean> =>
  (await unlessDamaged(() => reader.readBlob(id))) !== undefined

/** Returns whether a log has a number of records, all of them readable, with entries that the store has. */
export const hasRecords = async (reader: Reader, log: LogId, count: number): Promise<boolean> =>
  (await wholeRecords(reader, log, count)) === count

/** Returns how many of the first records of a log are readable, with entries that the store has. */
export async function wholeRecords(reader: Reader, log: LogId, count: number): Promise<number> {
  let whole = 0
  await unlessDamaged(async () => {
    for await (const [, record] of readRecords(reader, log, 0, count)) {
      for await (const _ of bytesOfRecord(reader, record)) continue
      // A record whose entry is missing is damaged too: a recovered entry has another handle.
      for (const entry of [record.entry, record.tip])
        if (entry !== undefined && (await reader.find(await reader.oid(entry))) === undefined) return
      whole++
    }
  })
  return whole
}

/** Returns the running hash over the first records of logs, which are named as in a head: the newest first. */
export async function runningHash(reader: Reader, logs: LogPrefixes): Promise<string> {
  let hash = NO_HASH
  for (const [log, count] of logs.toReversed())
    for await (const [, record] of readRecords(reader, log, 0, count)) {
      const oid = record.entry === undefined ? null : await reader.oid(record.entry)
      hash = nextHash(hash, oid, record, joined(await collected(bytesOfRecord(reader, record))))
    }
  return hash
}

/** Returns a text of everything in a record that its log's hash covers. */
async function traceOf(reader: Reader, record: LogRecord): Promise<Buffer> {
  const oid = record.entry === undefined ? '' : await reader.oid(record.entry)
  const envelope = Buffer.from(JSON.stringify([oid, record.time, record.native]))
  return Buffer.concat([envelope, ...(await collected(bytesOfRecord(reader, record)))])
}

const NOTHING = new Uint8Array(0)

/** Returns the traits and the weight of an entry, as its body has them. */
function meaningOf(type: string, body: Json): Meaning {
  const view = viewOf(type, body)
  return { traits: traitsOf(view), weight: weightOf(view) }
}

const linked = ({ firstKept, kept = [], target }: NodeLinks): EntryHandle[] =>
  [firstKept, ...kept, target].filter((handle) => handle !== undefined)

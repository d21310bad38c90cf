import { collected } from '../../model/async.ts'
import { joined } from '../../model/bytes.ts'
import { isObject, type Json } from '../../model/json.ts'
import { type CommitPoint, type RefValue, sameValue } from '../../model/operation.ts'
import { isLogId, type LogId } from '../../model/record.ts'
import { parseSessionRef, type RefName, tombstoneOf } from '../../model/refname.ts'
import { kindOf, type References, referencesOf, refProblem } from '../../model/refs/table.ts'
import type { Tombstones } from '../../model/secrets/expunged.ts'
import { tombstoneRefs, tombstonesOf } from '../../repo/expunge/tombstones.ts'
import { type Reader, withSoundRefs } from '../../repo/reader.ts'
import { bytesOfRecord, readRecords } from '../../repo/records.ts'
import type { Change, Repo } from '../../repo/repo.ts'
import {
  type ExportHead,
  type LogHead,
  type LogPrefixes,
  type NativeHead,
  refValue,
  type SessionMeta,
  type SourceHead,
} from '../../repo/session.ts'
import { sourceBytes } from '../export/sourcebytes.ts'
import { digestOfLog } from '../import/comparesource.ts'
import { unlessDamaged } from './impact.ts'
import { hasBlob, hasRecords, Recovery, runningHash, wholeRecords } from './recover.ts'
import { type KnownValue, refHistory } from './refhistory.ts'

/** A ref that was moved because its value is lost, or because the journal has a later one. */
export interface RepairedRef {
  readonly name: RefName
  readonly old: RefValue | null
  readonly new: RefValue | null
}

/** The result of a repair of refs. */
export interface Repaired {
  readonly refs: readonly RepairedRef[]
  /**
   * The refs whose newest known value is lost. They have an earlier value now, or none; the metadata of a fork whose shared
   * records are lost names fewer of them.
   */
  readonly lost: readonly RefName[]
  /** The number of entries that were recovered from another store or from source files. */
  readonly entries: number
}

/** A store that may have the content that was lost. */
interface OtherStore {
  readonly repo: Repo
  /** Whether it is a state of the store that is repaired: its refs have values of this store's refs then. */
  readonly isBackup: boolean
}

/**
 * Sets each ref to its newest value, by the journal, the operation log and backups of the store, whose content can be
 * read. Lost content is recovered from `others`, except for what was expunged from one of the stores.
 */
export async function repairRefs(
  repo: Repo,
  others: readonly OtherStore[],
  known: CommitPoint,
): Promise<Repaired> {
  return withReaders(others, [], async (sources) => {
    await repairTombstones(repo, sources, known)
    const backups = sources.filter(({ isBackup }) => isBackup).map(({ reader }) => reader)
    return repo.write({ bulk: true, plain: true, repairs: true }, async (change) => {
      const tombstones = await tombstonesOf(withSoundRefs(change.reader))
      const repairing = new RefRepair(change, sources, tombstones)
      const history = await refHistory(repo.dir, change.reader, known, backups)
      for (const [name, values] of inTurn(history)) await repairing.repair(name, values)
      return repairing.result
    })
  })
}

/** Returns whether the journal or the operation log has a newer value of a ref than the database. */
export const refsAreOld = (repo: Repo, known: CommitPoint): Promise<boolean> =>
  repo.read(async (reader) => {
    for (const [name, [newest]] of await refHistory(repo.dir, reader, known))
      if (!sameValue(newest?.value, await reader.ref(name))) return true
    return false
  })

/** A store that is read for lost content. */
interface Source {
  readonly reader: Reader
  readonly isBackup: boolean
}

/** Runs work with the readers of several stores. */
async function withReaders<T>(
  others: readonly OtherStore[],
  sources: readonly Source[],
  work: (sources: readonly Source[]) => Promise<T>,
): Promise<T> {
  const [first, ...rest] = others
  if (!first) return work(sources)
  const { repo, isBackup } = first
  // Entries are recovered as they are stored, without grafts.
  return repo.read((reader) => withReaders(rest, [...sources, { reader, isBackup }], work), { plain: true })
}

/** Restores tombstones that the journal or other stores have and this store lacks. */
async function repairTombstones(repo: Repo, sources: readonly Source[], known: CommitPoint): Promise<void> {
  await repo.write({ repairs: true }, async ({ reader, move }) => {
    const tombstones = new Map<RefName, RefValue>()
    for (const [name, [newest]] of await refHistory(repo.dir, reader, known))
      if (tombstoneOf(name) && newest?.value !== undefined && refProblem(name, newest.value) === undefined)
        tombstones.set(name, newest.value)
    for (const there of sources)
      for (const [name, value] of tombstoneRefs(await tombstonesOf(withSoundRefs(there.reader))))
        tombstones.set(name, value)
    for (const [name, value] of tombstones)
      if ((await reader.ref(name)) === undefined) move(name, undefined, value)
  })
}

/** Returns refs in the order of their repair: metadata comes last, because that of a fork names the logs of others. */
const inTurn = (refs: ReadonlyMap<RefName, KnownValue[]>): [RefName, KnownValue[]][] =>
  [...refs].sort(([a], [b]) => Number(isMeta(a)) - Number(isMeta(b)))

const isMeta = (name: RefName): boolean => parseSessionRef(name)?.kind === 'meta'

/** The value of a ref that names a log. */
type AnyHead = LogHead & Partial<NativeHead & SourceHead & Pick<ExportHead, 'written'>>

/** Returns the logs of a head, the newest first. */
const logsOf = ({ log, count, earlier = [], written }: AnyHead): LogPrefixes => [
  [log, count],
  ...earlier,
  ...(written ? [written] : []),
]

/** A store with the copier of what is recovered from it. */
interface RecoverySource extends Source {
  readonly recovery: Recovery
}

/** Moves refs to their newest values that can be read, within one transaction. */
class RefRepair {
  readonly #change: Change
  readonly #sources: readonly RecoverySource[]
  /** The logs that were recovered under another name, and how many records they have at least. */
  readonly #renamed = new Map<LogId, LogPrefixes[number]>()
  /** How many of the first records of logs are whole, of those that were looked for. */
  readonly #whole = new Map<LogId, { readonly count: number; readonly whole: number }>()
  readonly #refs: RepairedRef[] = []
  readonly #lost: RefName[] = []

  constructor(change: Change, sources: readonly Source[], tombstones: Tombstones) {
    const { reader, writer } = change
    this.#change = change
    this.#sources = sources.map((source) => ({
      ...source,
      recovery: new Recovery(reader, source.reader, writer, tombstones),
    }))
  }

  get result(): Repaired {
    const entries = this.#sources.reduce((sum, { recovery }) => sum + recovery.entries, 0)
    return { refs: this.#refs, lost: this.#lost, entries }
  }

  /** Moves a ref to the first of its values, the newest first, whose content is there or can be recovered. */
  async repair(name: RefName, values: readonly KnownValue[]): Promise<void> {
    const { reader, move } = this.#change
    const now = await reader.ref(name)
    const newest = values[0]?.value
    let value: RefValue | undefined
    // The last value that was tried: before the first one there was none.
    let tried: RefValue | undefined
    for (const one of [...values, { value: undefined }]) {
      tried = one.value
      value = tried === undefined ? undefined : await this.#usable(name, tried)
      if (tried === undefined || value !== undefined) break
    }
    if (!sameValue(tried, newest)) this.#lost.push(name)
    // A value that is lost is noted as left behind even if the ref does not move, so that it is lost only once.
    if (!sameValue(value, now) || !sameValue(tried, newest)) move(name, now, value)
    if (!sameValue(value, now)) this.#refs.push({ name, old: now ?? null, new: value ?? null })
  }

  /**
   * Returns a value once this store has everything that it names; undefined where something is lost, and where it has not
   * the form of its kind.
   */
  async #usable(name: RefName, value: RefValue): Promise<RefValue | undefined> {
    if (refProblem(name, value) !== undefined) return undefined
    const isLogHead = kindOf(name)?.isLogHead === true
    const { oids, logs, blobs } = referencesOf(name, value)
    const isTip = !isMeta(name) && !isLogHead
    for (const oid of oids) if (!(await this.#entry(oid)) && isTip) return undefined
    if (!isLogHead) return (await this.#haveBlobs(blobs)) ? this.#withLogs(name, value, logs) : undefined
    if (await this.#isHere(logs, blobs)) return value
    for (const source of this.#sources) {
      const head = await this.#headFrom(source, name, value as AnyHead)
      if (head) return head
    }
    return undefined
  }

  async #entry(oid: Parameters<Recovery['entry']>[0]): Promise<boolean> {
    if ((await this.#change.reader.find(oid)) !== undefined) return true
    for (const { recovery } of this.#sources) if (await recovery.entry(oid)) return true
    return false
  }

  /** Returns whether this store has blobs, after recovering those that it lacks. */
  async #haveBlobs(blobs: References['blobs']): Promise<boolean> {
    for (const blob of blobs) {
      let isHere = await hasBlob(this.#change.reader, blob)
      for (const { recovery } of this.#sources) isHere ||= await recovery.blob(blob)
      if (!isHere) return false
    }
    return true
  }

  async #isHere(logs: References['logs'], blobs: References['blobs']): Promise<boolean> {
    const { reader } = this.#change
    for (const [log, count] of logs) if (!(await hasRecords(reader, log, count))) return false
    for (const blob of blobs) if (!(await hasBlob(reader, blob))) return false
    return true
  }

  /**
   * Returns the metadata of a session; of a fork, with the logs that have the records of the shared path now, each as far
   * as it can be read.
   */
  async #withLogs(name: RefName, value: RefValue, logs: References['logs']): Promise<RefValue> {
    const names = new Map<LogId, LogId>()
    const counts = new Map<LogId, number>()
    for (const [log, count] of logs) {
      const [now, whole] = await this.#mostOf(log, count)
      if (now !== log) names.set(log, now)
      if (whole < count) counts.set(log, whole)
    }
    if (counts.size > 0) this.#lost.push(name)
    return renamed(withCounts(value, counts), names)
  }

  /**
   * Returns the log with the most of the first records of a log, and how many it has: that log itself, one that was
   * recovered in its place, or one that is recovered now.
   */
  async #mostOf(log: LogId, count: number): Promise<LogPrefixes[number]> {
    let most: LogPrefixes[number] = [log, await this.#wholeHere(log, count)]
    const known = this.#renamed.get(log)
    if (known && Math.min(known[1], count) > most[1]) most = [known[0], Math.min(known[1], count)]
    for (const { reader: there, recovery } of this.#sources) {
      if (most[1] === count) break
      const whole = await wholeRecords(there, log, count)
      if (whole > most[1]) most = [await recovery.prefix(log, whole), whole]
    }
    if (most[0] !== log) this.#renamed.set(log, most)
    return most
  }

  /** Returns how many of the first records of a log are whole here. Many forks may share a damaged log. */
  async #wholeHere(log: LogId, count: number): Promise<number> {
    const known = this.#whole.get(log)
    if (known && (known.whole < known.count || count <= known.count)) return Math.min(known.whole, count)
    const whole = await wholeRecords(this.#change.reader, log, count)
    this.#whole.set(log, { count, whole })
    return whole
  }

  /**
   * Returns a head with the logs that have its records now, recovered from another store. Returns undefined where that
   * lacks them, or has others: only the exact state that the ref had counts, however far the other store's log goes.
   */
  async #headFrom(source: RecoverySource, name: RefName, head: AnyHead): Promise<RefValue | undefined> {
    const { reader: there, isBackup } = source
    const found = await there.ref(name)
    const isHead = found !== undefined && refProblem(name, found) === undefined
    const theirs = isHead ? (found as AnyHead) : undefined
    // The hash is that of the records before something was expunged from them.
    const isOf = async (logs: LogPrefixes): Promise<boolean> =>
      head.expunged
        ? isBackup || hasBytesOf(there, theirs, head)
        : (await runningHash(there, logs)) === head.hash
    const logs = logsOf(head)
    for (const candidate of [logs, theirs && matching(logsOf(theirs), logs)])
      if (candidate && (await areWhole(there, candidate)) && (await isOf(candidate)))
        return this.#headWith(source, head, candidate, theirs)
    // The log may hold equal bytes in another reading.
    const isRead = theirs?.bytes === head.bytes && (await hasBytesOf(there, theirs, head))
    return theirs && isRead && (await areWhole(there, logsOf(theirs)))
      ? this.#headWith(source, theirs, logsOf(theirs), theirs)
      : undefined
  }

  /** Returns a head after recovering what it names, its records from the given logs of another store. */
  async #headWith(
    source: RecoverySource,
    head: AnyHead,
    logs: LogPrefixes,
    theirs: AnyHead | undefined,
  ): Promise<RefValue | undefined> {
    if (!(await this.#recoverBlobs(source, head, logs, theirs))) return undefined
    const names = new Map<LogId, LogId>()
    for (const [i, [former]] of logsOf(head).entries()) {
      const [log, count] = logs[i] as LogPrefixes[number]
      const now = await source.recovery.prefix(log, count)
      if (now === former) continue
      names.set(former, now)
      this.#renamed.set(former, [now, count])
    }
    return renamed(head, names)
  }

  /** Recovers the tail of a source, its numbered branches, and the compressed file that it came from. Returns whether this store has them then. */
  async #recoverBlobs(
    { reader: there, recovery }: RecoverySource,
    { tail = [], packed = [], numbered = [], bytes = 0 }: AnyHead,
    logs: LogPrefixes,
    theirs: AnyHead | undefined,
  ): Promise<boolean> {
    for (const blob of [...packed, ...numbered]) if (!(await recovery.blob(blob))) return false
    for (const blob of tail) {
      if (await recovery.blob(blob)) continue
      // The file may have grown since, so that its tail has become a record.
      const rest =
        tail.length === 1 && theirs?.bytes ? await bytesAfter(there, logs, theirs, bytes) : undefined
      if (!rest || this.#change.writer.putBlob(rest) !== blob) return false
    }
    return true
  }
}

/** Returns the metadata of a fork with the numbers of records that logs have which lack some. */
function withCounts(value: RefValue, counts: ReadonlyMap<LogId, number>): RefValue {
  const meta = value as SessionMeta
  if (counts.size === 0 || !meta.fork) return value
  const base = meta.fork.base.map(([log, count]) => [log, Math.min(count, counts.get(log) ?? count)] as const)
  return refValue({ ...meta, fork: { ...meta.fork, base } })
}

/** Returns a value with other names of logs. */
function renamed(value: Json, names: ReadonlyMap<LogId, LogId>): Json {
  if (isLogId(value)) return names.get(value) ?? value
  if (Array.isArray(value)) return (value as Json[]).map((part) => renamed(part, names))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, renamed(part, names)]))
}

/** Returns logs with the numbers of records that others have; undefined where they cannot have these records. */
function matching(logs: LogPrefixes, others: LogPrefixes): LogPrefixes | undefined {
  const isAlike = logs.every(([, count], i) => {
    const other = others[i]?.[1] ?? -1
    return i === 0 ? count >= other && other >= 0 : count === other
  })
  return isAlike && logs.length === others.length
    ? logs.map(([log], i) => [log, others[i]?.[1] as number] as const)
    : undefined
}

/**
 * Returns whether a source in another store begins with the bytes that were read into a log of this one. A ref may come
 * from somebody else and name a file of the user, whose content must not get into the store.
 */
const hasBytesOf = async (
  there: Reader,
  theirs: AnyHead | undefined,
  { bytes, sha256 }: AnyHead,
): Promise<boolean> =>
  bytes !== undefined &&
  theirs?.bytes !== undefined &&
  theirs.bytes >= bytes &&
  (await digestOfLog(there, theirs as SourceHead, bytes)) === sha256

async function areWhole(reader: Reader, logs: LogPrefixes): Promise<boolean> {
  for (const [log, count] of logs) if (!(await hasRecords(reader, log, count))) return false
  return true
}

/** Returns the bytes of a source after the records of logs, up to its first `end` bytes; undefined where it is damaged. */
const bytesAfter = (
  reader: Reader,
  logs: LogPrefixes,
  source: AnyHead,
  end: number,
): Promise<Uint8Array | undefined> =>
  unlessDamaged(async () => {
    let start = 0
    for (const [log, count] of logs)
      for await (const [, record] of readRecords(reader, log, 0, count))
        for await (const chunk of bytesOfRecord(reader, record)) start += chunk.length
    const bytes = joined(await collected(sourceBytes(reader, source as SourceHead, end)))
    return bytes.subarray(start)
  })

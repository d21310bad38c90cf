import type { Json } from '../../model/json.ts'
import { isOid, type Oid } from '../../model/oid.ts'
import type { CommitPoint, RefValue } from '../../model/operation.ts'
import type { LogId } from '../../model/record.ts'
import { parseSessionRef, type RefName, tombstoneOf } from '../../model/refname.ts'
import { tombstoneRefs, tombstonesOf } from '../../repo/expunge/tombstones.ts'
import { journalled } from '../../repo/journalcheck.ts'
import type { Reader } from '../../repo/reader.ts'
import type { Repo } from '../../repo/repo.ts'
import {
  type Head,
  type NativeHead,
  nativeLogs,
  refValue,
  type SessionMeta,
  type SourceHead,
} from '../../repo/session.ts'
import type { Writer } from '../../repo/writeaccess.ts'
import { importPaths } from '../import/import.ts'
import { unlessDamaged } from './impact.ts'
import { hasRecords, Recovery } from './recover.ts'

/** A ref that was moved because its value is lost, or because the journal has a later one. */
export interface RepairedRef {
  readonly name: RefName
  readonly old: RefValue | null
  readonly new: RefValue | null
}

/** The result of a repair of refs. */
export interface Repaired {
  readonly refs: readonly RepairedRef[]
  /** The refs whose newest known value is lost. They have an earlier value now, or none. */
  readonly lost: readonly RefName[]
  /** The number of entries that were recovered from another store or from source files. */
  readonly entries: number
}

/** A value that a ref had after an operation and a commit. */
interface KnownValue {
  readonly operation: number
  readonly commit: number
  readonly value: RefValue | undefined
}

/**
 * Sets each ref to its newest value, by the journal and the operation log, whose content can be read. Lost content is
 * recovered from `others`, which are open stores, except for what was expunged from one of the stores.
 */
export async function repairRefs(repo: Repo, others: readonly Repo[], known: CommitPoint): Promise<Repaired> {
  return nested(others, [], async (backends) => {
    await repairTombstones(repo, backends, known)
    return repo.write({ bulk: true }, async (change) => {
      const { reader, writer } = change
      const brought = backends.map((there) => new Recovery(reader, there, writer))
      const refs: RepairedRef[] = []
      const lost: RefName[] = []
      const moved = new Map<LogId, LogId>()
      for (const [name, told] of metadataLast(await history(repo, reader, known))) {
        const now = await reader.ref(name)
        const { value, isNewest } = await newestUsable({
          reader,
          writer,
          name,
          told,
          backends,
          brought,
          moved,
        })
        if (!isNewest) lost.push(name)
        if (isSame(value, now)) continue
        change.move(name, now, value)
        refs.push({ name, old: now ?? null, new: value ?? null })
      }
      return { refs, lost, entries: brought.reduce((sum, { entries }) => sum + entries, 0) }
    })
  })
}

/** Restores tombstones that the journal or other stores have and this store lacks. */
async function repairTombstones(repo: Repo, backends: readonly Reader[], known: CommitPoint): Promise<void> {
  await repo.write({}, async ({ reader, move }) => {
    const tombstones = new Map<RefName, RefValue>()
    for (const [name, [newest]] of await history(repo, reader, known))
      if (tombstoneOf(name) && newest?.value !== undefined) tombstones.set(name, newest.value)
    for (const there of backends)
      for (const [name, value] of tombstoneRefs(await tombstonesOf(there))) tombstones.set(name, value)
    for (const [name, value] of tombstones)
      if ((await reader.ref(name)) === undefined) move(name, undefined, value)
  })
}

/** Runs work with the readers of several stores. */
async function nested<T>(
  repos: readonly Repo[],
  backends: readonly Reader[],
  work: (backends: readonly Reader[]) => Promise<T>,
): Promise<T> {
  const [repo, ...rest] = repos
  return repo ? repo.read((reader) => nested(rest, [...backends, reader], work)) : work(backends)
}

/**
 * Returns the known values of each ref, the newest first: those of the database, of its operations and of the journal. The
 * present value of the database comes first, except where the journal has later commits or where the value is known to be
 * an earlier one.
 */
async function history(repo: Repo, reader: Reader, known: CommitPoint): Promise<Map<RefName, KnownValue[]>> {
  const all = new Map<RefName, KnownValue[]>()
  const valuesOf = (name: RefName): KnownValue[] => {
    const told = all.get(name) ?? []
    all.set(name, told)
    return told
  }
  for (const { operation, commit, refs } of journalled(repo.dir))
    for (const [name, value] of refs) valuesOf(name).push({ operation, commit, value: value ?? undefined })
  const last = (await reader.operationLog()).latest
  for (let operation = 1; operation <= last; operation++)
    for (const { name, new: value } of (await reader.operation(operation))?.moves ?? []) {
      const told = valuesOf(name)
      const same = told.find((one) => one.operation === operation && isSame(one.value, value))
      told.push({ operation, commit: same?.commit ?? known.commit, value })
    }
  for (const told of all.values()) told.sort(byTime)
  for await (const [name, value] of reader.refs('')) {
    const told = valuesOf(name)
    const { operation, commit } = told.findLast((one) => isSame(one.value, value)) ?? known
    // The sort is stable: the present value follows its equals, and precedes them once the list is reversed.
    told.push({ operation, commit, value })
    told.sort(byTime)
  }
  for (const told of all.values()) told.reverse()
  return all
}

const byTime = (a: KnownValue, b: KnownValue): number =>
  a.operation - b.operation || compared(a.commit, b.commit)

const compared = (a: number, b: number): number => (a === b ? 0 : a - b)

const isSame = (a: RefValue | undefined, b: RefValue | undefined): boolean =>
  JSON.stringify(a ?? null) === JSON.stringify(b ?? null)

interface RefRepair {
  readonly reader: Reader
  readonly writer: Writer
  readonly name: RefName
  readonly told: readonly KnownValue[]
  readonly backends: readonly Reader[]
  readonly brought: readonly Recovery[]
  /** The logs that were recovered under another name. */
  readonly moved: Map<LogId, LogId>
}

/** Returns refs with the metadata of sessions after their logs: that of a fork names logs of others. */
const metadataLast = (refs: ReadonlyMap<RefName, KnownValue[]>): [RefName, KnownValue[]][] =>
  [...refs].sort(([a], [b]) => Number(isMeta(a)) - Number(isMeta(b)))

const isMeta = (name: RefName): boolean => parseSessionRef(name)?.kind === 'meta'

async function newestUsable(
  choice: RefRepair,
): Promise<{ readonly value: RefValue | undefined; readonly isNewest: boolean }> {
  const newest = choice.told[0]?.value
  const kind = parseSessionRef(choice.name)?.kind
  for (const { value } of choice.told) {
    const isNewest = isSame(value, newest)
    if (value === undefined) return { value, isNewest }
    const oid = oidIn(kind, value)
    if (oid !== undefined) {
      if (await found(choice, oid)) return { value, isNewest }
    } else if (kind === 'source' || kind === 'native' || kind === 'exports' || kind === 'files') {
      const head = await logOf(choice, value as SourceHead)
      if (head !== undefined) return { value: head, isNewest }
    } else if (kind === 'meta')
      return { value: await withForkBase(choice, value as unknown as SessionMeta), isNewest }
    else return { value, isNewest }
  }
  return { value: undefined, isNewest: newest === undefined }
}

/** Returns the entry that the value of a ref names, or undefined for kinds of refs that name none. */
function oidIn(kind: string | undefined, value: RefValue): Oid | undefined {
  const named = kind === 'HEAD' ? ('oid' in (value as Head) ? (value as { oid: Json }).oid : null) : value
  return kind !== 'meta' && kind !== undefined && typeof named === 'string' && isOid(named)
    ? named
    : undefined
}

async function found({ reader, brought }: RefRepair, oid: Oid): Promise<boolean> {
  if ((await reader.find(oid)) !== undefined) return true
  for (const from of brought) if (await from.entry(oid)) return true
  return false
}

/** Returns a log head whose log is complete in this store, recovered if necessary; undefined where it is lost. */
async function logOf(
  { reader, backends, brought, moved, name }: RefRepair,
  head: SourceHead,
): Promise<RefValue | undefined> {
  if ((await isWhole(reader, head)) && (await isKept(reader, head))) return head
  for (const [i, there] of backends.entries()) {
    const theirs = (await there.ref(name)) as (SourceHead & NativeHead) | undefined
    if (
      !theirs ||
      theirs.count < head.count ||
      'written' in theirs ||
      !(await isWhole(there, theirs)) ||
      !(await isKept(there, theirs))
    )
      continue
    const from = brought[i] as Recovery
    await from.blobs([...(theirs.tail ?? []), ...(theirs.packed ?? [])])
    const { earlier: _, ...rest } = theirs
    const recovered = await from.log(theirs)
    moved.set(head.log, recovered.log)
    return { ...rest, ...recovered }
  }
  return undefined
}

/** Returns the metadata of a session; of a fork, with the logs that have the records of the shared path now. */
async function withForkBase(
  { reader, backends, brought, moved }: RefRepair,
  meta: SessionMeta,
): Promise<RefValue> {
  if (!meta.fork) return refValue(meta)
  const base: [LogId, number][] = []
  for (const [log, count] of meta.fork.base) {
    let now = moved.get(log) ?? log
    if (now === log && !(await hasRecords(reader, log, count)))
      for (const [i, there] of backends.entries())
        if (now === log && (await hasRecords(there, log, count)))
          now = await (brought[i] as Recovery).prefix(log, count)
    base.push([now, count])
  }
  return refValue({ ...meta, fork: { ...meta.fork, base } })
}

/** Returns whether the tail of a source, and the compressed file that it came from, can be read. */
const isKept = async (reader: Reader, { tail = [], packed = [] }: Partial<SourceHead>): Promise<boolean> =>
  (await unlessDamaged(async () => {
    for (const blob of [...tail, ...packed]) await reader.readBlob(blob)
    return true
  })) ?? false

/** Returns whether the logs of a head have all records that it counts. */
async function isWhole(reader: Reader, head: SourceHead | NativeHead): Promise<boolean> {
  for (const [log, count] of nativeLogs(head)) if (!(await hasRecords(reader, log, count))) return false
  return true
}

/** Imports the files that sessions came from into a temporary store, as far as they still exist. */
export async function readSources(repo: Repo, scratch: Repo): Promise<void> {
  const paths = new Set<string>()
  const take = (name: RefName, value: RefValue | null): void => {
    if (parseSessionRef(name)?.kind !== 'meta' || value === null) return
    const { path } = value as { readonly path?: string }
    if (path !== undefined) paths.add(path)
  }
  // The journal has the paths of sessions that the database lost.
  for (const { refs } of journalled(repo.dir)) for (const [name, value] of refs) take(name, value)
  await repo.read(async (reader) => {
    for await (const [name, value] of reader.refs('sessions/')) take(name, value)
  })
  if (paths.size > 0) await importPaths(scratch, [...paths])
}

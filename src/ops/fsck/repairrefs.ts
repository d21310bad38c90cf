import type { Json } from '../../model/json.ts'
import { isOid, type Oid } from '../../model/oid.ts'
import type { CommitPoint, RefValue } from '../../model/operation.ts'
import { parseSessionRef, type RefName, tombstoneOf } from '../../model/refname.ts'
import { tombstoneRefs, tombstonesOf } from '../../repo/expunge/tombstones.ts'
import { journalled } from '../../repo/journalcheck.ts'
import type { Reader } from '../../repo/reader.ts'
import { bytesOfRecord, readRecords } from '../../repo/records.ts'
import type { Repo } from '../../repo/repo.ts'
import { type Head, type NativeHead, nativeLogs, type SourceHead } from '../../repo/session.ts'
import type { Writer } from '../../repo/writeaccess.ts'
import { importPaths } from '../import/import.ts'
import { Recovery } from './recover.ts'

/** A ref that was moved because what it named is lost, or because the journal knew it better. */
export interface RepairedRef {
  readonly name: RefName
  readonly old: RefValue | null
  readonly new: RefValue | null
}

/** What came of repairing what refs name. */
export interface Repaired {
  readonly refs: readonly RepairedRef[]
  /** The refs whose newest known value is lost; what they are now, if anything, is an earlier one. */
  readonly lost: readonly RefName[]
  /** How many entries were brought back from another store or from source files. */
  readonly entries: number
}

/** A value that a ref had, and after which operation and commit. */
interface KnownValue {
  readonly operation: number
  readonly commit: number
  readonly value: RefValue | undefined
}

/**
 * Gives each ref the newest value that it is known to have had and that can be read: as the journal and the operation log
 * tell. What is lost is first brought back from `others`, stores that are open, where they have it; but for what was
 * removed for good, from them or from here, which is told before.
 */
export async function repairRefs(repo: Repo, others: readonly Repo[], known: CommitPoint): Promise<Repaired> {
  return nested(others, [], async (backends) => {
    await repairTombstones(repo, backends, known)
    return repo.write({ bulk: true }, async (change) => {
      const { reader, writer } = change
      const brought = backends.map((there) => new Recovery(reader, there, writer))
      const refs: RepairedRef[] = []
      const lost: RefName[] = []
      for (const [name, told] of await history(repo, reader, known)) {
        const now = await reader.ref(name)
        const { value, isNewest } = await newestUsable({
          reader,
          writer,
          name,
          told,
          backends,
          brought,
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

/** Brings back tombstones that the journal or other stores have and this one lacks. */
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

/** Runs work with the databases of several stores at hand. */
async function nested<T>(
  repos: readonly Repo[],
  backends: readonly Reader[],
  work: (backends: readonly Reader[]) => Promise<T>,
): Promise<T> {
  const [repo, ...rest] = repos
  return repo ? repo.read((reader) => nested(rest, [...backends, reader], work)) : work(backends)
}

/**
 * Returns of each ref the values that it is known to have had, the newest first: what the database says, what its
 * operations say, what the journal says. The database wins but over what the journal says of later commits, and over
 * later values where its own is an earlier one that is known.
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
    // After those of its time, so that it comes before them once reversed.
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
}

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
    } else return { value, isNewest }
  }
  return { value: undefined, isNewest: newest === undefined }
}

/** Gives the entry that a ref's value names, or undefined where such refs name none. */
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

/** Returns a head whose log is whole here, brought back if need be; undefined where it is lost. */
async function logOf(
  { reader, backends, brought, name }: RefRepair,
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
    return { ...rest, ...(await from.log(theirs)) }
  }
  return undefined
}

/** Tells whether the tail of a source, and the compressed file that it came from, can be read. */
async function isKept(reader: Reader, { tail = [], packed = [] }: Partial<SourceHead>): Promise<boolean> {
  try {
    for (const blob of [...tail, ...packed]) await reader.readBlob(blob)
    return true
  } catch (error) {
    if (isCorrupt(error)) return false
    throw error
  }
}

/** Tells whether a log has all records that its head counts, and they the entries that they name. */
async function isWhole(reader: Reader, head: SourceHead | NativeHead): Promise<boolean> {
  for (const [log, count] of nativeLogs(head)) {
    let position = 0
    try {
      for await (const [at, record] of readRecords(reader, log, 0, count)) {
        const { entry: handle } = record
        if (at !== position++) return false
        for await (const _ of bytesOfRecord(reader, record)) continue
        if (handle !== undefined && (await reader.find(await reader.oid(handle))) === undefined) return false
      }
    } catch (error) {
      if (isCorrupt(error)) return false
      throw error
    }
    if (position !== count) return false
  }
  return true
}

const isCorrupt = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'corrupt'

/** Reads the files that sessions came from into a store that forgets them, where the files still are. */
export async function readSources(repo: Repo, scratch: Repo): Promise<void> {
  const paths = new Set<string>()
  const take = (name: RefName, value: RefValue | null): void => {
    if (parseSessionRef(name)?.kind !== 'meta' || value === null) return
    const { path } = value as { readonly path?: string }
    if (path !== undefined) paths.add(path)
  }
  // The journal knows of sessions that the database has lost.
  for (const { refs } of journalled(repo.dir)) for (const [name, value] of refs) take(name, value)
  await repo.read(async (reader) => {
    for await (const [name, value] of reader.refs('sessions/')) take(name, value)
  })
  if (paths.size > 0) await importPaths(scratch, [...paths])
}

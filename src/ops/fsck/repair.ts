import type { Json } from '../../model/json.ts'
import { isOid, type Oid } from '../../model/oid.ts'
import type { RefValue } from '../../model/operation.ts'
import { parseSessionRef, type RefName, tombstoneOf } from '../../model/refname.ts'
import type { Writer } from '../../repo/change.ts'
import { journalled } from '../../repo/journal.ts'
import { readRecords } from '../../repo/logreading.ts'
import type { Reader } from '../../repo/reader.ts'
import { bytesOfRecord } from '../../repo/records.ts'
import type { Repo } from '../../repo/repo.ts'
import { type Head, type NativeHead, piecesOf, type SourceHead } from '../../repo/session.ts'
import { tombstoneRefs, tombstonesOf } from '../../repo/tombstones.ts'
import { importPaths } from '../import.ts'
import { BringBack } from './bringback.ts'

/** A ref that was moved because what it named is lost, or because the journal knew it better. */
export interface RepairedRef {
  readonly name: RefName
  readonly old: RefValue | null
  readonly new: RefValue | null
}

/** What came of repairing what refs name. */
export interface Repaired {
  readonly refs: readonly RepairedRef[]
  /** How many entries were brought back from another store or from source files. */
  readonly entries: number
}

/** A value that a ref had, and after which operation. */
interface Told {
  readonly operation: number
  readonly value: RefValue | undefined
}

/**
 * Gives each ref the newest value that it is known to have had and that can be read: as the journal and the operation log
 * tell. What is lost is first brought back from `others`, stores that are open, where they have it; but for what was
 * removed for good, from them or from here, which is told before.
 */
export async function repairRefs(repo: Repo, others: readonly Repo[]): Promise<Repaired> {
  return nested(others, [], async (backends) => {
    await repairTombstones(repo, backends)
    return repo.write({ bulk: true }, async (change) => {
      const { reader, writer } = change
      const brought = backends.map((there) => new BringBack(reader, there, writer))
      const refs: RepairedRef[] = []
      for (const [name, told] of await history(repo, reader)) {
        const now = await reader.ref(name)
        const value = await newestUsable({ reader, writer, name, told, backends, brought })
        if (JSON.stringify(value ?? null) === JSON.stringify(now ?? null)) continue
        change.move(name, now, value)
        refs.push({ name, old: now ?? null, new: value ?? null })
      }
      return { refs, entries: brought.reduce((sum, { entries }) => sum + entries, 0) }
    })
  })
}

/** Brings back tombstones that the journal or other stores have and this one lacks. */
async function repairTombstones(repo: Repo, backends: readonly Reader[]): Promise<void> {
  await repo.write({}, async ({ reader, move }) => {
    const known = new Map<RefName, RefValue>()
    for (const [name, [newest]] of await history(repo, reader))
      if (tombstoneOf(name) && newest?.value !== undefined) known.set(name, newest.value)
    for (const there of backends)
      for (const [name, value] of tombstoneRefs(await tombstonesOf(there))) known.set(name, value)
    for (const [name, value] of known)
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

/** Gives of each ref all values that it is known to have had, the newest first. */
async function history(repo: Repo, reader: Reader): Promise<Map<RefName, Told[]>> {
  const all = new Map<RefName, Told[]>()
  const tell = (name: RefName, told: Told): void => {
    const known = all.get(name)
    if (known) known.push(told)
    else all.set(name, [told])
  }
  for await (const [name, value] of reader.refs('')) tell(name, { operation: 0, value })
  const last = (await reader.operationLog()).latest
  for (let number = 1; number <= last; number++)
    for (const { name, new: value } of (await reader.operation(number))?.moves ?? [])
      tell(name, { operation: number, value })
  for (const { operation, refs } of journalled(repo.dir))
    for (const [name, value] of refs) tell(name, { operation, value: value ?? undefined })
  // Of one operation the last that was told counts: the journal has a line for each of its commits.
  for (const told of all.values()) told.reverse().sort((a, b) => b.operation - a.operation)
  return all
}

interface Choice {
  readonly reader: Reader
  readonly writer: Writer
  readonly name: RefName
  readonly told: readonly Told[]
  readonly backends: readonly Reader[]
  readonly brought: readonly BringBack[]
}

async function newestUsable(choice: Choice): Promise<RefValue | undefined> {
  const kind = parseSessionRef(choice.name)?.kind
  for (const { value } of choice.told) {
    if (value === undefined) return undefined
    const oid = oidIn(kind, value)
    if (oid !== undefined) {
      if (await found(choice, oid)) return value
    } else if (kind === 'source' || kind === 'native' || kind === 'exports' || kind === 'files') {
      const head = await logOf(choice, value as unknown as SourceHead)
      if (head !== undefined) return head
    } else return value
  }
  return undefined
}

/** Gives the entry that a ref's value names, or undefined where such refs name none. */
function oidIn(kind: string | undefined, value: RefValue): Oid | undefined {
  const named =
    kind === 'HEAD' ? ('oid' in (value as unknown as Head) ? (value as { oid: Json }).oid : null) : value
  return kind !== 'meta' && kind !== undefined && typeof named === 'string' && isOid(named)
    ? named
    : undefined
}

async function found({ reader, brought }: Choice, oid: Oid): Promise<boolean> {
  if ((await reader.find(oid)) !== undefined) return true
  for (const from of brought) if (await from.entry(oid)) return true
  return false
}

/** Gives a head whose log is whole here, of another number where it was brought back; undefined where it is lost. */
async function logOf(
  { reader, backends, brought, name }: Choice,
  head: SourceHead,
): Promise<RefValue | undefined> {
  const value = head as unknown as RefValue
  if (await isWhole(reader, head)) return value
  for (const [i, there] of backends.entries()) {
    const theirs = (await there.ref(name)) as unknown as (SourceHead & NativeHead) | undefined
    if (!theirs || theirs.count < head.count || 'written' in theirs || !(await isWhole(there, theirs)))
      continue
    const from = brought[i] as BringBack
    const { earlier: _, ...rest } = theirs
    const count = piecesOf(theirs).reduce((sum, [, n]) => sum + n, 0)
    const tail = theirs.tail && { tail: await from.pieces(theirs.tail) }
    return { ...rest, log: await from.log(theirs), count, ...tail } as unknown as RefValue
  }
  return undefined
}

/** Tells whether a log has all records that its head counts, and they the entries that they name. */
async function isWhole(reader: Reader, head: SourceHead | NativeHead): Promise<boolean> {
  for (const [log, count] of piecesOf(head)) {
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
  await repo.read(async (reader) => {
    for await (const [name, value] of reader.refs('sessions/'))
      if (parseSessionRef(name)?.kind === 'meta') {
        const { path } = value as { readonly path?: string }
        if (path !== undefined) paths.add(path)
      }
  })
  if (paths.size > 0) await importPaths(scratch, [...paths])
}

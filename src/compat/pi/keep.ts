import type { Oid } from '../../model/encoding/oid.ts'
import { headRef, leafRef } from '../../model/refname.ts'
import type { LeafValue } from '../../model/refs/values.ts'
import { importPaths } from '../../ops/import/import.ts'
import { sessionOfPath } from '../../ops/import/sourcenotes.ts'
import { findRef } from '../../repo/findref.ts'
import type { Reader } from '../../repo/reader.ts'
import { RecordFinder, readHeaders } from '../../repo/records.ts'
import type { Change, Repo } from '../../repo/repo.ts'
import {
  findSession,
  type Head,
  headValue,
  MAIN,
  refValue,
  type SessionState,
  type SourceHead,
  tipOf,
} from '../../repo/session.ts'

/** The leaf of the session in a file: the id of its record, or null, and the size of the file at that moment. */
export interface LeafPlace {
  readonly path: string
  readonly record: string | null
  readonly bytes: number
}

/**
 * Returns where a session was left: the id of a record of its file, null before the first; undefined where the last line
 * of the file is the leaf. A HEAD that was moved in the store counts, unless the file has grown since it was read.
 */
export function leafOf(
  repo: Repo,
  { path, bytes }: Omit<LeafPlace, 'record'>,
): Promise<string | null | undefined> {
  return repo.read(async (reader) => {
    const session = await sessionAt(reader, path)
    const source = session?.source
    if (!session || !source) return undefined
    const leaf = await findRef(reader, leafRef(session.id))
    const tip = tipOf(session) ?? null
    const isOurs = leaf !== undefined && (leaf.tip === undefined || leaf.tip === tip)
    if (isOurs) return leaf.bytes === bytes ? leaf.record : undefined
    if (source.bytes !== bytes || !session.hasHead) return undefined
    if (tip === null) return null
    return tip === source.branches[MAIN] ? undefined : recordOf(reader, source, tip)
  })
}

const sessionAt = async (reader: Reader, path: string): Promise<SessionState | undefined> => {
  const id = await sessionOfPath(reader, path)
  return id === undefined ? undefined : findSession(reader, id)
}

/** Returns the id of the newest record that carries an entry. */
async function recordOf(reader: Reader, { log, count }: SourceHead, oid: Oid): Promise<string | undefined> {
  const handle = await reader.find(oid)
  const finder = new RecordFinder(reader, [[log, count]])
  try {
    return handle === undefined ? undefined : (await finder.find(handle))?.native
  } finally {
    await finder.close()
  }
}

/**
 * Stores the position of a session, durably, in one operation; the file is read only where the store does not know it yet.
 * HEAD follows at once, or once the file is caught up with.
 */
export async function keepLeaf(repo: Repo, place: LeafPlace): Promise<void> {
  if (!(await repo.read((reader) => sessionAt(reader, place.path)))) await importFile(repo, place.path)
  await repo.write({}, (change) => moveRefs(change, place))
}

/** Takes what is new of a file into the store; throws what kept it from being read. */
async function importFile(repo: Repo, path: string, coalesce?: string): Promise<void> {
  const { refused } = await importPaths(repo, [path], coalesce === undefined ? {} : { coalesce })
  if (refused[0]) throw refused[0].error
}

/**
 * Imports the new lines of a file into the store, and moves its session to the position of its agent: called once the
 * file is read, for it may move meanwhile.
 */
export async function catchUp(
  repo: Repo,
  path: string,
  placeNow: () => LeafPlace | undefined,
): Promise<void> {
  const coalesce = `follow ${path}`
  await importFile(repo, path, coalesce)
  await repo.write({ coalesce }, async (change) => {
    const place = placeNow()
    if (place) await moveRefs(change, place)
  })
}

/** Moves the refs of a session's position: HEAD too, where the store has read the entry that it is on. */
async function moveRefs({ reader, move }: Change, { path, record, bytes }: LeafPlace): Promise<void> {
  const session = await sessionAt(reader, path)
  if (!session) return
  const { id, source } = session
  const at = source?.bytes === bytes ? await headAt(reader, source, record) : undefined
  if (at && JSON.stringify(at.head) !== JSON.stringify(session.head))
    move(headRef(id), headValue(session), refValue(at.head))
  const old = await findRef(reader, leafRef(id))
  const leaf: LeafValue | undefined = at?.isLast ? undefined : { record, bytes, ...(at && { tip: at.tip }) }
  if (JSON.stringify(old) !== JSON.stringify(leaf)) move(leafRef(id), old, leaf)
}

/** A record of a log: its HEAD and its tip, and whether it is the last one. */
interface RecordPosition {
  readonly head: Head
  readonly tip: Oid | null
  readonly isLast: boolean
}

/** Returns where a record is; undefined where the log does not have it. */
async function headAt(
  reader: Reader,
  { log, count, branches }: SourceHead,
  record: string | null,
): Promise<RecordPosition | undefined> {
  if (record === null) return { head: { oid: null }, tip: null, isLast: false }
  for await (const [position, { native, tip: handle }] of readHeaders(reader, log, 0, count, true)) {
    if (native !== record) continue
    const tip = handle === undefined ? null : await reader.oid(handle)
    const isMain = tip !== null && tip === branches[MAIN]
    return {
      head: isMain ? { branch: MAIN } : { oid: tip },
      tip,
      isLast: isMain && position === count - 1,
    }
  }
  return undefined
}

/** The data of the thread that holds the store: the store's folder, and the flag of its replies. */
export interface StoreThreadData {
  readonly dir: string
  /** Set to 1 once the answer is sent. */
  readonly flag: Int32Array
}

/** A request to the thread: for the leaf that was kept, to keep one, or to follow a file when there is time. */
export interface StoreRequest {
  readonly ask: 'leaf' | 'keep' | 'follow'
  /** The number of a request that is waited for. */
  readonly number?: number
  readonly place: LeafPlace
}

/** The reply to `leaf` and `keep`: a leaf as `leafOf` returns it, or the reason why there is none. */
export interface StoreReply {
  readonly leaf?: string | null | undefined
  readonly failed?: string
  /** The number of the request. */
  readonly number?: number | undefined
}

/** A message of the thread: the number of requests that are done once the queue is empty, or an error. */
export interface StoreNotice {
  readonly done?: number
  readonly failed?: string
}

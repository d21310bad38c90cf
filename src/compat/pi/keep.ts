import type { Oid } from '../../model/oid.ts'
import { headRef, leafRef } from '../../model/refname.ts'
import { sessionOfPath } from '../../ops/import/notes.ts'
import { importPaths } from '../../ops/import.ts'
import { readHeaders } from '../../repo/logreading.ts'
import type { Reader } from '../../repo/reader.ts'
import { RecordFinder } from '../../repo/records.ts'
import type { Change, Repo } from '../../repo/repo.ts'
import {
  findSession,
  type Head,
  headValue,
  MAIN,
  refValue,
  type Session,
  type SourceHead,
  tipOf,
} from '../../repo/session.ts'

/** Where a session stands in a file: the id of a record or null, when the file had so many bytes. */
export interface Place {
  readonly path: string
  readonly record: string | null
  readonly bytes: number
}

/** What the ref of a leaf holds. */
type Leaf = {
  /** The id of its record; null before the first. */
  readonly record: string | null
  /** How long the file was: once it is longer its last line is the leaf. */
  readonly bytes: number
  /** The entry that HEAD was moved to for it, null for none; absent until it was. */
  readonly tip?: string | null
}

/**
 * Gives where a session was left: the id of a record of its file, null before the first; undefined where the last line
 * of the file is to say so. A HEAD that was moved in the store counts, unless the file has grown since it was read.
 */
export function leafOf(
  repo: Repo,
  { path, bytes }: Omit<Place, 'record'>,
): Promise<string | null | undefined> {
  return repo.read(async (reader) => {
    const session = await sessionAt(reader, path)
    const source = session?.source
    if (!session || !source) return undefined
    const leaf = await leafIn(reader, session.id)
    const tip = tipOf(session) ?? null
    const isOurs = leaf !== undefined && (leaf.tip === undefined || leaf.tip === tip)
    if (isOurs) return leaf.bytes === bytes ? leaf.record : undefined
    if (source.bytes !== bytes || !session.hasHead) return undefined
    if (tip === null) return null
    return tip === source.branches[MAIN] ? undefined : recordOf(reader, source, tip)
  })
}

const sessionAt = async (reader: Reader, path: string): Promise<Session | undefined> => {
  const id = await sessionOfPath(reader, path)
  return id === undefined ? undefined : findSession(reader, id)
}

/** Gives the leaf that was kept: refs of this kind are written here only. */
const leafIn = async (reader: Reader, session: string): Promise<Leaf | undefined> =>
  (await reader.ref(leafRef(session))) as Leaf | undefined

/** Gives the id of the newest record that carries an entry. */
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
 * Keeps where a session stands, durably, in one operation; the file is read only where the store does not know it yet.
 * HEAD follows at once, or once the file is caught up with.
 */
export async function keepLeaf(repo: Repo, place: Place): Promise<void> {
  if (!(await repo.read((reader) => sessionAt(reader, place.path)))) await importFile(repo, place.path)
  await repo.write({}, (change) => stand(change, place))
}

/** Takes what is new of a file into the store; throws what kept it from being read. */
async function importFile(repo: Repo, path: string, coalesce?: string): Promise<void> {
  const { refused } = await importPaths(repo, [path], coalesce === undefined ? {} : { coalesce })
  if (refused[0]) throw refused[0].error
}

/**
 * Takes what is new of a file into the store, and makes its session stand where its agent stands: asked for once the
 * file is read, for it may move meanwhile.
 */
export async function catchUp(repo: Repo, path: string, placeNow: () => Place | undefined): Promise<void> {
  const coalesce = `follow ${path}`
  await importFile(repo, path, coalesce)
  await repo.write({ coalesce }, async (change) => {
    const place = placeNow()
    if (place) await stand(change, place)
  })
}

/** Moves the refs that say where a session stands: HEAD too, where the store has read what the place is in. */
async function stand({ reader, move }: Change, { path, record, bytes }: Place): Promise<void> {
  const session = await sessionAt(reader, path)
  if (!session) return
  const { id, source } = session
  const at = source?.bytes === bytes ? await headAt(reader, source, record) : undefined
  if (at && JSON.stringify(at.head) !== JSON.stringify(session.head))
    move(headRef(id), headValue(session), refValue(at.head))
  const old = await leafIn(reader, id)
  const leaf: Leaf | undefined = at?.isLast ? undefined : { record, bytes, ...(at && { tip: at.tip }) }
  if (JSON.stringify(old) !== JSON.stringify(leaf)) move(leafRef(id), old, leaf)
}

/** Where a record is: the HEAD and the tip that stand for it, and whether it is the last. */
interface At {
  readonly head: Head
  readonly tip: Oid | null
  readonly isLast: boolean
}

/** Gives where a record is; undefined where the log does not have it. */
async function headAt(
  reader: Reader,
  { log, count, branches }: SourceHead,
  record: string | null,
): Promise<At | undefined> {
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

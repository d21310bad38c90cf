import type { Oid } from '../model/encoding/oid.ts'
import { headRef, leafRef } from '../model/refname.ts'
import type { LeafValue } from '../model/refs/values.ts'
import { findRef } from '../repo/findref.ts'
import type { Reader } from '../repo/reader.ts'
import { RecordFinder, readHeaders } from '../repo/records.ts'
import type { Change, Repo } from '../repo/repo.ts'
import {
  findTrunk,
  type Head,
  headValue,
  MAIN,
  refValue,
  type SessionTrunk,
  type SourceHead,
  tipOf,
} from '../repo/session.ts'
import { importPaths } from './import/import.ts'
import { sessionOfPath } from './import/sourcenotes.ts'

/** The position of an agent in the file of a session, which the file itself does not say. */
export interface AgentPosition {
  readonly path: string
  /** The native id of the record that the agent continues; null before the first. */
  readonly record: string | null
  /** The size of the file in bytes at that moment: once it is larger, its last record is the position. */
  readonly bytes: number
}

/**
 * Returns the native id of the record at which an agent left the session of a file, null before the first; undefined
 * where that is the last record. A HEAD that was moved in the store counts, unless the file has grown since it was read.
 */
export function findPosition(
  repo: Repo,
  { path, bytes }: Omit<AgentPosition, 'record'>,
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

const sessionAt = async (reader: Reader, path: string): Promise<SessionTrunk | undefined> => {
  const id = await sessionOfPath(reader, path)
  return id === undefined ? undefined : findTrunk(reader, id)
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
 * Stores the position of an agent, durably, in one operation, which is joined with those before it that have the same
 * `coalesce`. The file is imported only where the store does not know it yet. HEAD follows if the store has read the file
 * up to that size. Throws what keeps the file from being read.
 */
export async function setPosition(
  repo: Repo,
  position: AgentPosition,
  options: { readonly coalesce?: string } = {},
): Promise<void> {
  const move = (): Promise<boolean> => repo.write(options, (change) => moveRefs(change, position))
  if (await move()) return
  const { refused } = await importPaths(repo, [position.path], options)
  if (refused[0]) throw refused[0].error
  await move()
}

/**
 * Moves the refs of a session's position: HEAD too, where the store has read the entry that it is on. Returns whether the
 * store knows the file.
 */
async function moveRefs({ reader, move }: Change, { path, record, bytes }: AgentPosition): Promise<boolean> {
  const session = await sessionAt(reader, path)
  if (!session) return false
  const { id, source } = session
  const at = source?.bytes === bytes ? await headAt(reader, source, record) : undefined
  if (at && JSON.stringify(at.head) !== JSON.stringify(session.head))
    move(headRef(id), headValue(session), refValue(at.head))
  const old = await findRef(reader, leafRef(id))
  const leaf: LeafValue | undefined = at?.isLast ? undefined : { record, bytes, ...(at && { tip: at.tip }) }
  if (JSON.stringify(old) !== JSON.stringify(leaf)) move(leafRef(id), old, leaf)
  return true
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

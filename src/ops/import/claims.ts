import {
  type Claim,
  type ClaimOrder,
  compareBegun,
  compareClaims,
  layoutOf,
  stemOf,
} from '../../formats/core/claim.ts'
import { isAncestor } from '../../graph/walk.ts'
import { fileRef, metaRef, sourceLogRef } from '../../model/refname.ts'
import { findRef } from '../../repo/findref.ts'
import { lookIn, type Reader } from '../../repo/reader.ts'
import { readHeaders } from '../../repo/records.ts'
import type { Change } from '../../repo/repo.ts'
import { findSession, MAIN, type SourceHead } from '../../repo/session.ts'
import { sourceBytes } from '../export/sourcebytes.ts'
import { type ImportedSession, isConversation } from './conversations.ts'
import { IdMover, type MovedId } from './moveid.ts'
import type { Imported } from './result.ts'
import { SessionIds } from './sessionids.ts'
import { silentNote } from './sourcenotes.ts'

/** The sessions that an import read from files with the id of another session, by that id. */
export type Contested = ReadonlyMap<string, readonly string[]>

/**
 * Assigns each of some ids to the session whose file has the best claim to it: the one that has it, or one that was read
 * now. Files in which nobody speaks become files of that session, unless every file was to be imported. Returns the
 * sessions whose ids changed.
 */
export async function settleIds(
  change: Change,
  contested: Contested,
  { files, all }: { readonly files: readonly Imported[]; readonly all: boolean },
): Promise<readonly MovedId[]> {
  const mover = new IdMover(change)
  for (const [native, readNow] of contested) {
    const owner = await importedSession(change.reader, native, native)
    if (!owner) continue
    // A conversation takes the files of all in which nobody speaks. Others were compared with the owner when they were read.
    const ids = owner.source.claim?.silent ? await sessionsUnder(change.reader, native) : readNow
    const claimants = [owner]
    for (const id of new Set(ids)) {
      const session = id === native ? undefined : await importedSession(change.reader, id, native)
      if (session) claimants.push(session)
    }
    if (claimants.length < 2) continue
    const best = await bestOf(change.reader, owner, claimants)
    if (best.session !== owner) await mover.exchange(owner, best.session, best.continues)
    for (const one of isConversation(best.session) && !all ? claimants : [])
      if (one !== best.session && one.source.claim?.silent) await mover.demote(one, best.session, owner)
  }
  await mover.end()
  await noteMoved(change, mover.moved, files)
  return mover.moved
}

/** Corrects the notes of files whose sessions got another id, so that an import of unchanged files reads none of them. */
async function noteMoved(
  { reader, writer }: Change,
  moved: readonly MovedId[],
  files: readonly Imported[],
): Promise<void> {
  for (const { path, before, now, file } of moved) {
    const paths = files
      .filter((one) => one.session === before && one.exported === undefined)
      .map((one) => one.path)
    for (const at of new Set([...paths, ...(path === null ? [] : [path])])) {
      const note = await reader.cache.source(at)
      if (note?.session !== before || note.exported !== undefined) continue
      if (file === undefined) writer.noteSource(at, { ...note, session: now }, sourceLogRef(now))
      else writer.noteSource(at, silentNote({ note, silent: now, session: now, file }), fileRef(now, file))
    }
  }
}

/** Returns the ids of all sessions that may have been imported under an id. */
async function sessionsUnder(reader: Reader, native: string): Promise<readonly string[]> {
  const ids: string[] = []
  for await (const id of new SessionIds(reader).from(native)) ids.push(id)
  return ids
}

/** Returns a session if it was imported under an id. */
async function importedSession(
  reader: Reader,
  id: string,
  native: string,
): Promise<ImportedSession | undefined> {
  const meta = await findRef(reader, metaRef(id))
  if (!meta || (id !== native && meta.native !== native)) return undefined
  const session = await findSession(reader, id)
  return session?.source && { ...session, source: session.source }
}

interface Best {
  readonly session: ImportedSession
  /** Whether its file continues that of the session that has the id. */
  readonly continues: boolean
}

async function bestOf(
  reader: Reader,
  owner: ImportedSession,
  claimants: readonly ImportedSession[],
): Promise<Best> {
  let best: Best = { session: owner, continues: false }
  for (const one of claimants) {
    if (one === best.session) continue
    const order = await compareSessions(reader, best.session, one)
    if (order?.better === 'second') best = { session: one, continues: order.why === 'continues' }
  }
  return best
}

/** Compares the claims of two sessions to the id of both. Undefined where the one that has it keeps it. */
async function compareSessions(
  reader: Reader,
  first: ImportedSession,
  second: ImportedSession,
): Promise<ClaimOrder | undefined> {
  const [one, other] = [await claimOf(reader, first), await claimOf(reader, second)]
  const order = compareClaims(one, other)
  if (order?.why === 'conversation') return order
  // A file that its agent began again under the same id leaves the id with what was said in it before.
  if (first.meta.path !== null && first.meta.path === second.meta.path) return undefined
  return (
    order ??
    (await comparePaths(reader, first, second)) ??
    compareBegun(one, other) ??
    (await compareBytes(reader, first.source, second.source))
  )
}

/** The number of records in which the time of the first one is looked for. */
const BEGINNING = 1000

async function claimOf(reader: Reader, { source, meta }: ImportedSession): Promise<Claim> {
  const { silent = false, subagent = false } = source.claim ?? {}
  const path = meta.path ?? ''
  let began: number | null = null
  for await (const [, { time }] of readHeaders(reader, source.log, 0, Math.min(source.count, BEGINNING))) {
    if (time === undefined) continue
    began = time
    break
  }
  return {
    silent,
    subagent,
    base: source.origin?.session,
    began,
    name: stemOf(path),
    layout: layoutOf(path, source.bundled ?? false),
  }
}

/** Compares two sessions of which one has the whole conversation of the other, and more. */
async function comparePaths(
  reader: Reader,
  first: ImportedSession,
  second: ImportedSession,
): Promise<ClaimOrder | undefined> {
  const [one, other] = [first.source.branches[MAIN], second.source.branches[MAIN]]
  if (one === undefined || other === undefined || one === other) return undefined
  const [upper, lower] = [await reader.find(one), await reader.find(other)]
  if (upper === undefined || lower === undefined) return undefined
  const look = lookIn(reader)
  if (await isAncestor(upper, lower, look)) return { better: 'second', why: 'continues' }
  if (await isAncestor(lower, upper, look)) return { better: 'first', why: 'continues' }
  return undefined
}

/** Orders two files that nothing else tells apart by the first byte in which they differ, which stays as they grow. */
async function compareBytes(
  reader: Reader,
  first: SourceHead,
  second: SourceHead,
): Promise<ClaimOrder | undefined> {
  const [one, other] = [new Bytes(sourceBytes(reader, first)), new Bytes(sourceBytes(reader, second))]
  try {
    for (;;) {
      const [left, right] = [await one.rest(), await other.rest()]
      if (!left || !right) return undefined
      const size = Math.min(left.length, right.length)
      const order = Buffer.compare(left.subarray(0, size), right.subarray(0, size))
      if (order !== 0) return { better: order < 0 ? 'first' : 'second', why: 'older' }
      one.skip(size)
      other.skip(size)
    }
  } finally {
    await one.close()
    await other.close()
  }
}

/** Bytes that arrive in chunks. */
class Bytes {
  readonly #chunks: AsyncGenerator<Uint8Array>
  #rest: Uint8Array = new Uint8Array(0)

  constructor(chunks: AsyncGenerator<Uint8Array>) {
    this.#chunks = chunks
  }

  /** Returns the next bytes; undefined at the end. */
  async rest(): Promise<Uint8Array | undefined> {
    while (this.#rest.length === 0) {
      const next = (await this.#chunks.next()) as IteratorResult<Uint8Array, undefined>
      if (next.done) return undefined
      this.#rest = next.value
    }
    return this.#rest
  }

  skip(size: number): void {
    this.#rest = this.#rest.subarray(size)
  }

  async close(): Promise<void> {
    await this.#chunks.return(undefined)
  }
}

import { collected } from '../model/async.ts'
import type { Oid } from '../model/encoding/oid.ts'
import { blobRef, OUTPUTS, sessionPrefix } from '../model/refname.ts'
import { findRef, walkRefs } from '../repo/findref.ts'
import type { Change, Repo } from '../repo/repo.ts'
import { resolveSession } from '../repo/revision.ts'
import { allTrunks, type SessionTrunk, tipOf } from '../repo/session.ts'
import { blobName } from '../sources/sidecarfiles.ts'

/** A session that was removed. */
export interface Removed {
  readonly session: string
  readonly title: string | null
  /** Its former tip, or null. */
  readonly tip: Oid | null
  /** The path that it was imported from, or null. */
  readonly source: string | null
}

/**
 * Removes sessions in one operation: all their refs. Entries and logs stay, for undo and for forks. Throws `no-session` if one
 * is missing; then removes none.
 */
export async function removeSessions(repo: Repo, sessions: readonly string[]): Promise<Removed[]> {
  return repo.write({}, async (change) => {
    const { reader, move } = change
    const found = new Map<string, SessionTrunk>()
    for (const name of sessions) {
      const session = await resolveSession(reader, name)
      found.set(session.id, session)
    }
    for (const id of found.keys()) {
      for (const [name, value] of await collected(reader.refs(sessionPrefix(id))))
        move(name, value, undefined)
    }
    await changeBlobOwners(change, found)
    await removeOutputs(change, found)
    return [...found.values()].map((session) => ({
      session: session.id,
      title: session.meta.title,
      tip: tipOf(session) ?? null,
      source: session.meta.path,
    }))
  })
}

/** Removes the refs of outputs whose files go with their sessions. */
async function removeOutputs({ reader, move }: Change, gone: ReadonlyMap<string, unknown>): Promise<void> {
  for (const [name, value] of await collected(walkRefs(reader, OUTPUTS)))
    if (gone.has(value.session)) move(name, value, undefined)
}

/** Makes other sessions the owners of the blobs of removed sessions, if they have them. */
async function changeBlobOwners(
  { reader, move }: Change,
  gone: ReadonlyMap<string, SessionTrunk>,
): Promise<void> {
  const orphans = new Map<string, string>()
  for (const { files } of gone.values())
    for (const [name, { sha256 }] of files) if (name === blobName(sha256)) orphans.set(name, sha256)
  if (orphans.size === 0) return
  const heirs = new Map<string, string>()
  for await (const { id, files } of allTrunks(reader))
    for (const name of gone.has(id) ? [] : files.keys()) if (!heirs.has(name)) heirs.set(name, id)
  for (const [name, sha256] of orphans) {
    const ref = blobRef(sha256)
    const owner = await findRef(reader, ref)
    if (!owner || !gone.has(owner.session)) continue
    const heir = heirs.get(name)
    move(ref, owner, heir === undefined ? undefined : { session: heir })
  }
}

import { dirname } from 'node:path'
import { SessError } from '../model/errors.ts'
import { isWithin } from '../model/paths.ts'
import { currentRef } from '../model/refname.ts'
import { findRef } from './findref.ts'
import type { Reader } from './reader.ts'
import { findSessionByPrefix, findTrunk, getTrunk, type SessionTrunk } from './session.ts'
import { listedIn } from './sessionlist.ts'

/**
 * The reason why a session is current: `$SESS_SESSION` names it, somebody switched to it in the folder or above, or it
 * is the newest one of the folder.
 */
export type CurrentBecause = 'named' | 'switched' | 'newest'

/** The session that `@`, `HEAD` and commands without a session mean, and the folder that it is current in. */
export interface CurrentSession {
  readonly session: SessionTrunk
  readonly because: CurrentBecause
  readonly folder: string
}

/**
 * Returns the current session: the one that `$SESS_SESSION` names, else of the nearest folder, from the reader's upward, that
 * has sessions or was switched in: the session that somebody switched to there, else the newest. Undefined where no
 * folder has one. Throws `no-session` where the variable names none.
 */
export async function findCurrent(reader: Reader): Promise<CurrentSession | undefined> {
  const name = reader.current?.named
  if (name !== undefined) {
    const session = (await findTrunk(reader, name)) ?? (await findSessionByPrefix(reader, name))
    if (session) return { session, because: 'named', folder: folderOf(reader) }
    throw new SessError('no-session', name, { detail: 'the variable SESS_SESSION names it' })
  }
  let newest: ReadonlyMap<string, string> | undefined
  for (const folder of foldersFrom(folderOf(reader))) {
    const session = await switchedIn(reader, folder)
    if (session) return { session, because: 'switched', folder }
    newest ??= await newestByFolder(reader)
    const id = newest.get(folder)
    if (id !== undefined) return { session: await getTrunk(reader, id), because: 'newest', folder }
  }
  return undefined
}

/** Returns the current session, and notes where it was merely the newest. Throws `no-session` where there is none. */
export async function currentSession(reader: Reader): Promise<SessionTrunk> {
  const current = await findCurrent(reader)
  if (current) return noteIfUnchosen(reader, current)
  throw new SessError('no-session', folderOf(reader), {
    typed: '',
    detail: 'none was switched to or held there or above',
    remedy: { kind: 'choose-current-session' },
  })
}

/** Returns the current session that a name resolved to; if nobody chose it, notes that in the reader. */
export function noteIfUnchosen(
  { current }: Reader,
  { session, because, folder }: CurrentSession,
): SessionTrunk {
  if (current && because === 'newest') current.taken = { id: session.id, title: session.meta.title, folder }
  return session
}

/**
 * Returns the folder that a switch makes a session current in: the nearest one, from the reader's upward, that has
 * sessions or was switched in, else the reader's itself.
 */
export async function currentFolder(reader: Reader): Promise<string> {
  const newest = await newestByFolder(reader)
  for (const folder of foldersFrom(folderOf(reader)))
    if (newest.has(folder) || (await reader.ref(currentRef(folder))) !== undefined) return folder
  return folderOf(reader)
}

/** A backend as it is, of which no work asks for a current session, has no folder. */
const folderOf = ({ cwd = '/' }: Reader): string => cwd

async function switchedIn(reader: Reader, folder: string): Promise<SessionTrunk | undefined> {
  const value = await findRef(reader, currentRef(folder))
  // A session that was removed since is no longer current.
  return value && findTrunk(reader, value.session)
}

/** Yields a folder and those above it, the nearest first. */
function* foldersFrom(folder: string): Generator<string> {
  for (let at = folder; ; at = dirname(at)) {
    yield at
    if (dirname(at) === at) return
  }
}

/**
 * Returns the folders in which a session may be current: its last one, and those that are in no other folder of it. From a
 * subfolder that it merely visited, the search upward finds it where newer sessions are, too.
 */
const ownFolders = (folders: readonly string[], last: string | null): readonly string[] =>
  folders.length < 2
    ? folders
    : folders.filter(
        (folder) => folder === last || !folders.some((other) => other !== folder && isWithin(folder, other)),
      )

/** Returns for each folder that sessions were held in the id of the newest one. */
async function newestByFolder(reader: Reader): Promise<ReadonlyMap<string, string>> {
  const newest = new Map<string, { readonly id: string; readonly updated: number }>()
  const sessions = await listedIn(reader, ['id', 'cwd', 'folders', 'updated', 'silent'])
  for (const [i, folders] of sessions.folders.entries()) {
    if (sessions.silent[i]) continue
    const [id, updated] = [sessions.id[i] as string, sessions.updated[i] ?? 0]
    for (const folder of ownFolders(folders, sessions.cwd[i] ?? null)) {
      const best = newest.get(folder)
      if (!best || updated > best.updated || (updated === best.updated && id < best.id))
        newest.set(folder, { id, updated })
    }
  }
  return new Map([...newest].map(([folder, { id }]) => [folder, id]))
}

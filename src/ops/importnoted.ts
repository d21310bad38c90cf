import type { Repo } from '../repo/repo.ts'
import { findTrunk, type SessionTrunk } from '../repo/session.ts'
import type { FoundFile } from '../sources/files.ts'
import { importPaths } from './import/import.ts'
import type { Refused } from './import/result.ts'
import { sessionJustRead } from './import/sourcenotes.ts'

/** A session of a file that was imported, with what names it. */
export interface NotedSession {
  readonly path: string
  readonly session: string
  readonly title: string | null
  /** The current branch; null where HEAD is at an entry. */
  readonly branch: string | null
}

/** The sessions of some files, and the files that could not be read. */
export interface NotedImport {
  readonly sessions: readonly NotedSession[]
  readonly refused: readonly Refused[]
}

/** Imports what is new in files that an agent was said to have written. Throws as `importPaths`. */
export async function importNoted(repo: Repo, files: readonly FoundFile[]): Promise<NotedImport> {
  const known: Pick<NotedSession, 'path' | 'session'>[] = []
  const changed: FoundFile[] = []
  await repo.read(async (reader) => {
    for (const file of files) {
      const session = await sessionJustRead(reader, file.path, file)
      if (session === undefined) changed.push(file)
      else known.push({ path: file.path, session })
    }
  })
  const { files: imported, refused } =
    changed.length > 0 ? await importPaths(repo, changed, { givesWay: true }) : { files: [], refused: [] }
  const sessions = await repo.read(async (reader) => {
    const named: NotedSession[] = []
    for (const { path, session } of [...known, ...imported]) {
      const state = await findTrunk(reader, session)
      if (state) named.push({ path, session, title: state.meta.title, branch: branchOf(state) })
    }
    return named
  })
  return { sessions, refused }
}

const branchOf = ({ head }: SessionTrunk): string | null =>
  'branch' in head && typeof head.branch === 'string' ? head.branch : null

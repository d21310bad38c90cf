import { SessError } from '../model/errors.ts'
import { moved } from '../model/paths.ts'
import { metaRef } from '../model/refname.ts'
import type { Repo } from '../repo/repo.ts'
import { allTrunks, foldersOf, refValue } from '../repo/session.ts'
import { absolute } from '../sources/files.ts'

/** A session whose project folder moved, with the former and the present folder. */
export interface MovedSession {
  readonly session: string
  readonly title: string | null
  readonly before: string
  readonly cwd: string
}

/**
 * Records that a project folder moved: changes the folder of its sessions, and of those of folders below it, in one
 * operation. Later imports map the former folder to the new one. Throws `no-folder` if no session belongs to it.
 */
export async function moveFolder(repo: Repo, from: string, to: string): Promise<MovedSession[]> {
  const [old, next] = [absolute(repo.env.cwd, from), absolute(repo.env.cwd, to)]
  return repo.write({}, async ({ reader, move }) => {
    const done: MovedSession[] = []
    for await (const { id, meta } of allTrunks(reader)) {
      const known = foldersOf(meta)
      const now = (folder: string): string => moved(folder, old, next) ?? folder
      const before =
        meta.cwd !== null && now(meta.cwd) !== meta.cwd ? meta.cwd : known.find((one) => now(one) !== one)
      if (before === undefined) continue
      const about = {
        ...(meta.cwd !== null && { cwd: now(meta.cwd) }),
        ...(meta.folders && { folders: [...new Set(known.map(now))] }),
        moved: [...(meta.moved ?? []), [old, next] as const],
      }
      move(metaRef(id), refValue(meta), refValue({ ...meta, ...about }))
      done.push({ session: id, title: meta.title, before, cwd: now(before) })
    }
    if (done.length === 0) throw new SessError('no-folder', old)
    return done
  })
}

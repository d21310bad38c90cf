import type { Oid } from '../model/oid.ts'
import { branchRef, headRef, metaRef, nativeLogRef } from '../model/refname.ts'
import { uuid7 } from '../repo/env.ts'
import type { Repo } from '../repo/repo.ts'
import { resolve } from '../repo/revision.ts'
import { type Base, logsOf, MAIN, type Meta, type NativeHead, refValue } from '../repo/session.ts'
import { emptyTarget } from './intake.ts'

/** How a fork is made. */
export interface ForkOptions {
  /** That of the session that is forked unless said. */
  readonly title?: string
}

/** A session that was made, and the entry that it stands on. */
export interface Forked {
  readonly session: string
  readonly tip: Oid
}

/**
 * Makes a session that shares the path of an entry. Copies nothing: its cost does not depend on the history. Throws
 * what `resolve` throws.
 */
export async function fork(repo: Repo, revision: string, { title }: ForkOptions = {}): Promise<Forked> {
  return repo.write({}, async (change) => {
    const { backend, transaction } = change
    const at = await resolve(backend, revision, repo.env.cwd)
    const id = uuid7(repo.env)
    const now = repo.env.now()
    const meta: Meta = {
      format: 'sess',
      title: title ?? at.session?.meta.title ?? null,
      cwd: at.session?.meta.cwd ?? repo.env.cwd,
      created: now,
      native: null,
      path: null,
    }
    const { depth } = await backend.node(at.row)
    const base: Base = at.session ? logsOf(at.session) : []
    const { hash, ...empty } = emptyTarget(transaction.newLog())
    const head: NativeHead = { ...empty, hash, entries: depth + 1, updated: now, base }
    change.move(metaRef(id), undefined, refValue(meta))
    change.move(headRef(id), undefined, refValue({ branch: MAIN }))
    change.move(branchRef(id, MAIN), undefined, at.oid)
    change.move(nativeLogRef(id), undefined, refValue(head))
    return { session: id, tip: at.oid }
  })
}

import type { Oid } from '../model/oid.ts'
import { branchRef, labelRef, metaRef } from '../model/refname.ts'
import type { Backend } from '../repo/backend.ts'
import { uuid7 } from '../repo/env.ts'
import type { Repo } from '../repo/repo.ts'
import { type Resolved, resolve } from '../repo/revision.ts'
import { logsOf, MAIN, type Meta, refValue } from '../repo/session.ts'
import { announced } from './events.ts'
import { labelsOnPath } from './label.ts'

/** How a fork is made. */
export interface ForkOptions {
  /** None unless said. */
  readonly title?: string
}

/** A session that was made, and the entry that it stands on. */
export interface Forked {
  readonly session: string
  readonly tip: Oid
}

/** A session that is to be made: what it is forked from, and the entry that it is to stand on. */
export interface Forking {
  readonly from: string | null
  readonly tip: Oid
}

/**
 * Makes a session that shares the path of an entry, and keeps the labels on it. Copies nothing: its cost does not
 * depend on the history. Throws what `resolve` throws.
 */
export function fork(repo: Repo, revision: string, { title }: ForkOptions = {}): Promise<Forked> {
  const plan = async (backend: Backend): Promise<Plan> => {
    const at = await resolve(backend, revision, repo.env.cwd)
    return { at, event: { from: at.session?.id ?? null, tip: at.oid } }
  }
  return announced(repo, 'fork', plan, async ({ backend, move }, { at }) => {
    const id = uuid7(repo.env)
    const { depth } = await backend.node(at.row)
    const meta: Meta = {
      format: 'sess',
      title: title?.toWellFormed() ?? null,
      cwd: at.session?.meta.cwd ?? repo.env.cwd,
      created: repo.env.now(),
      native: null,
      path: null,
      ...(at.session?.meta.prompt !== undefined && { prompt: at.session.meta.prompt }),
      fork: { base: at.session ? logsOf(at.session) : [], entries: depth + 1 },
    }
    move(metaRef(id), undefined, refValue(meta))
    move(branchRef(id, MAIN), undefined, at.oid)
    for (const [label, oid] of at.session ? await labelsOnPath(backend, at.session, at.row) : [])
      move(labelRef(id, label), undefined, oid)
    return { session: id, tip: at.oid }
  })
}

interface Plan {
  readonly at: Resolved
  readonly event: Forking
}

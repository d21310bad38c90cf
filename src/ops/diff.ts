import { mergeBase } from '../graph/mergebase.ts'
import { path } from '../graph/walk.ts'
import type { Oid } from '../model/oid.ts'
import type { Backend, Row } from '../repo/backend.ts'
import { RecordFinder } from '../repo/records.ts'
import type { Repo } from '../repo/repo.ts'
import { type Resolved, resolve } from '../repo/revision.ts'
import { logsOf } from '../repo/session.ts'
import { type LogEntry, logEntry } from './log.ts'

/** Where two branches part and what each side said since, in path order. */
export interface Diff {
  readonly base: Oid | null
  readonly left: readonly LogEntry[]
  readonly right: readonly LogEntry[]
}

/** Compares two revisions from their merge base on. */
export async function diff(repo: Repo, left: string, right: string): Promise<Diff> {
  return repo.read(async (backend) => {
    const [a, b] = [await resolve(backend, left, repo.env.cwd), await resolve(backend, right, repo.env.cwd)]
    const base = await mergeBase(a.row, b.row, (row) => backend.node(row))
    return {
      base: base === undefined ? null : await backend.oid(base),
      left: await since(backend, a, base),
      right: await since(backend, b, base),
    }
  })
}

async function since(backend: Backend, at: Resolved, base: Row | undefined): Promise<LogEntry[]> {
  const finder = new RecordFinder(backend, at.session ? logsOf(at.session) : [])
  const entries: LogEntry[] = []
  try {
    for await (const row of path(at.row, (node) => backend.node(node))) {
      if (row === base) break
      entries.push(await logEntry(backend, row, at.session, await finder.find(row)))
    }
  } finally {
    await finder.close()
  }
  return entries.reverse()
}

/** Gives the best common ancestor of two revisions, or null where there is none. */
export async function mergeBaseOf(repo: Repo, left: string, right: string): Promise<Oid | null> {
  return repo.read(async (backend) => {
    const [a, b] = [await resolve(backend, left, repo.env.cwd), await resolve(backend, right, repo.env.cwd)]
    const base = await mergeBase(a.row, b.row, (row) => backend.node(row))
    return base === undefined ? null : backend.oid(base)
  })
}

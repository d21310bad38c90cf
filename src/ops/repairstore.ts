import type { Env } from '../repo/env.ts'
import { renewJournal } from '../repo/journal.ts'
import { type Rebuilt, rebuildDatabase } from '../repo/rebuild.ts'
import { Repo } from '../repo/repo.ts'
import { type Fsck, type FsckOptions, fsck } from './fsck.ts'
import { reindex } from './index.ts'
import { type Repaired, readSources, repairRefs } from './repair.ts'

/** How a store is repaired. */
export interface RepairOptions extends FsckOptions {
  readonly env: Env
  /** The command as typed. */
  readonly command: string
  /** The folder of another store, which may have what is lost: a backup, or a copy. */
  readonly from?: string
  /** Only look. */
  readonly dryRun?: boolean
}

/** What was wrong with a store, and what came of repairing it. */
export interface Repair {
  readonly before: Fsck
  /** Null where nothing was wrong, or nothing was to be changed. */
  readonly done: (Omit<Rebuilt, 'broken' | 'entries'> & Repaired & { readonly after: Fsck }) | null
}

/**
 * Repairs a store: makes its database anew of all that is sound in it, looks for what is lost in another store and in the
 * files that sessions came from, gives each ref the newest value that can be read, and makes the indexes and the journal
 * anew. What was there before is set aside, never changed. Throws `busy` where the store is written meanwhile.
 */
export async function repairStore(
  dir: string,
  { env, command, from, dryRun = false, ...options }: RepairOptions,
): Promise<Repair> {
  const opened = (folder: string, more: object = {}): Promise<Repo> =>
    Repo.open(folder, { env, command, tolerant: true, ...more })
  const before = await using([await opened(dir)], ([repo]) => fsck(repo as Repo, options))
  if (before.ok || dryRun) return { before, done: null }
  const { broken: _, entries: __, ...rebuilt } = await rebuildDatabase(dir, env.now())
  const others = from === undefined ? [] : [await opened(from)]
  const sources = await opened(`${dir}/sources`, { create: true, dryRun: true })
  return using([await opened(dir, { single: true }), sources, ...others], async ([repo, ...rest]) => {
    const store = repo as Repo
    await readSources(store, sources)
    const repaired = await repairRefs(store, rest.reverse())
    await reindex(store)
    await store.read((backend) => renewJournal(dir, backend))
    return { before, done: { ...rebuilt, ...repaired, after: await fsck(store, options) } }
  })
}

/** Runs work with stores that are closed after it, whatever becomes of it. */
async function using<T>(repos: readonly Repo[], work: (repos: readonly Repo[]) => Promise<T>): Promise<T> {
  try {
    return await work(repos)
  } finally {
    for (const repo of repos) await repo.close()
  }
}

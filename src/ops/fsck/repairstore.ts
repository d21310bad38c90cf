import type { Env } from '../../repo/env.ts'
import { isAhead, renewJournal } from '../../repo/journalcheck.ts'
import { type Rebuilt, rebuildDatabase } from '../../repo/rebuilddatabase.ts'
import {
  type FolderProblem,
  folderProblems,
  knownIdentity,
  type RepairedFolder,
  repairFolder,
  takeIdentity,
} from '../../repo/repairfolder.ts'
import { Repo, type RepoOptions } from '../../repo/repo.ts'
import { reindex } from '../indexing.ts'
import { findingAt } from './finding.ts'
import { type Fsck, type FsckOptions, fsck, NOTHING_CHECKED } from './fsck.ts'
import { type Repaired, readSources, repairRefs } from './repairrefs.ts'

/** How a store is repaired. */
export interface StoreRepair extends FsckOptions {
  readonly env: Env
  /** The command as typed. */
  readonly command: string
  /** The folder of another store, such as a backup or a copy, that may have the lost content. */
  readonly from?: string
  /** Only check. */
  readonly dryRun?: boolean
}

/** The findings of a check of a store, and the result of its repair. */
export interface Repair {
  readonly before: Fsck
  /** Null where there were no findings, or for a dry run. */
  readonly done: (RebuiltParts & Repaired & { readonly after: Fsck }) | null
}

/** The parts of a store that were rebuilt. */
interface RebuiltParts extends Omit<Rebuilt, 'aside' | 'known'> {
  /** The files of the folder that were rewritten. */
  readonly written: readonly string[]
  /** The quarantine folder with the former files; null where none was needed. */
  readonly aside: string | null
}

/**
 * Repairs a store: rewrites the files of its folder, rebuilds its database from everything intact, recovers lost content
 * from another store and from the files that sessions came from, sets each ref to the newest value that can be read, and
 * rebuilds the indexes and the journal. The former files are quarantined, never changed. Throws `busy` if another process
 * writes the store meanwhile.
 */
export async function repairStore(dir: string, options: StoreRepair): Promise<Repair> {
  const opened = openerOf(options)
  const { from } = options
  // Determined first, because opening the store writes its identity.
  const lacksIdentity = from !== undefined && !knownIdentity(dir)
  const repair = await repaired(dir, opened, options)
  if (lacksIdentity && repair.done?.written.includes('sess.json')) await takeIdentity(dir, from, opened)
  return repair
}

type Opener = (folder: string, more?: RepoOptions) => Promise<Repo>

const openerOf =
  ({ env, command }: StoreRepair): Opener =>
  (folder, more = {}) =>
    Repo.open(folder, { env, command, tolerant: true, ...more })

async function repaired(
  dir: string,
  opened: Opener,
  { env, from, dryRun = false, ...options }: StoreRepair,
): Promise<Repair> {
  const problems = folderProblems(dir)
  if (problems.length > 0 && dryRun) return { before: withProblems(problems, NOTHING_CHECKED), done: null }
  const { written, aside } = dryRun ? UNREPAIRED : repairFolder(dir, problems, env)
  const looked = await using([await opened(dir)], ([repo]) => fsck(repo as Repo, options))
  const before = withProblems(problems, looked)
  if (looked.ok && !before.ok) return { before, done: { ...NOT_REBUILT, written, aside, after: looked } }
  if (before.ok || dryRun) return { before, done: null }
  if (
    before.findings.every(({ code }) => code === 'journal' || code === 'folder') &&
    !(await isCut(dir, opened))
  ) {
    const after = await using([await opened(dir)], async ([repo]) => {
      await (repo as Repo).write({}, ({ reader }) => renewJournal(dir, reader))
      return fsck(repo as Repo, options)
    })
    return { before, done: { ...NOT_REBUILT, written, aside, after } }
  }
  const { known, ...rebuilt } = await rebuildDatabase(dir, env.now())
  const others = from === undefined ? [] : [await opened(from)]
  const sources = await opened(`${dir}/sources`, { create: true, dryRun: true })
  return using([await opened(dir, { single: true }), sources, ...others], async ([repo, ...rest]) => {
    const store = repo as Repo
    await readSources(store, sources)
    const mended = await repairRefs(store, rest.reverse(), known)
    await reindex(store)
    await store.read((reader) => renewJournal(dir, reader))
    return { before, done: { ...rebuilt, written, ...mended, after: await fsck(store, options) } }
  })
}

/** Returns whether the journal has commits that the database lost. */
const isCut = async (dir: string, opened: Opener): Promise<boolean> =>
  using([await opened(dir)], ([repo]) => (repo as Repo).read((backend) => isAhead(dir, backend)))

const UNREPAIRED: RepairedFolder = { written: [], aside: null }

const NOT_REBUILT = { pairs: 0, dropped: 0, operations: [], refs: [], lost: [], entries: 0 } as const

/** Returns the result of a check with the problems of the folder before its findings. */
function withProblems(problems: readonly FolderProblem[], found: Fsck): Fsck {
  const findings = problems.map(({ file, problem }) => findingAt('folder', file, problem))
  return { ...found, ok: found.ok && problems.length === 0, findings: [...findings, ...found.findings] }
}

/** Runs work with stores, and closes them afterwards. */
async function using<T>(repos: readonly Repo[], work: (repos: readonly Repo[]) => Promise<T>): Promise<T> {
  try {
    return await work(repos)
  } finally {
    for (const repo of repos) await repo.close()
  }
}

import type { Actor, CommitPoint } from '../../model/operation.ts'
import type { Env } from '../../repo/env.ts'
import { isAhead, renewJournal } from '../../repo/journalcheck.ts'
import { beganAlike, shareHistory } from '../../repo/oplog/sharedhistory.ts'
import { type Rebuilt, rebuildDatabase } from '../../repo/rebuilddatabase.ts'
import {
  type FolderProblem,
  folderProblems,
  knownIdentity,
  repairFolder,
  takeIdentity,
} from '../../repo/repairfolder.ts'
import { Repo, type RepoOptions } from '../../repo/repo.ts'
import { forgetRepair, recordRepair } from '../../repo/unfinishedrepair.ts'
import { reindex } from '../indexing.ts'
import { expungeAgain } from '../secrets/expunge.ts'
import { findingAt } from './finding.ts'
import { type Fsck, type FsckOptions, fsck, NOTHING_CHECKED } from './fsck.ts'
import { unlessDamaged } from './impact.ts'
import { readSources } from './readsources.ts'
import { type Repaired, refsAreOld, repairRefs } from './repairrefs.ts'
import { forgetWrongUsage } from './usage.ts'

/** How a store is repaired. */
export interface StoreRepair extends FsckOptions {
  readonly env: Env
  /** The command as typed, and whether a person typed it, which is the default. */
  readonly command: string
  readonly actor?: Actor
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
interface RebuiltParts extends Pick<Rebuilt, 'pairs' | 'dropped' | 'operations'> {
  /** The files of the folder that were rewritten. */
  readonly written: readonly string[]
  /** The quarantine folder with the former files; null where none was needed. */
  readonly aside: string | null
}

/**
 * Repairs a store: rewrites the files of its folder, rebuilds its database from everything intact, recovers lost content
 * from another store and from the files that sessions came from, sets each ref to the newest value that can be read, and
 * rebuilds the indexes and the journal. The former files are quarantined, never changed. Throws `busy` if another process
 * writes the store meanwhile. A repair that was killed can be repeated.
 */
export async function repairStore(dir: string, repairing: StoreRepair): Promise<Repair> {
  const { from } = repairing
  const opened = openerOf(repairing)
  if (from === undefined) return repairFrom(dir, undefined, opened, repairing)
  return during(opened(from), async (other) => {
    // Nothing is changed where the other store cannot be read.
    await other.read(() => undefined)
    return repairFrom(dir, other, opened, repairing)
  })
}

async function repairFrom(
  dir: string,
  other: Repo | undefined,
  opened: Opener,
  { env, dryRun = false, onProgress, contexts }: StoreRepair,
): Promise<Repair> {
  const check = (repo: Repo): Promise<Fsck> =>
    fsck(repo, { ...(onProgress && { onProgress }), ...(contexts && { contexts }) })
  const checkBefore = (): Promise<Fsck> =>
    during(opened(dir), async (repo) => withLaterWrites(await check(repo), repo, other))

  const problems = folderProblems(dir)
  if (dryRun) {
    const found = problems.length > 0 ? NOTHING_CHECKED : await checkBefore()
    return { before: withProblems(problems, found), done: null }
  }
  // Determined first, because opening the store writes its identity.
  const isNamed = knownIdentity(dir) !== undefined
  const { written, aside } = repairFolder(dir, problems, env)
  const isRenamed = !isNamed && written.includes('sess.json')
  const looked = await checkBefore()
  const before = withProblems(problems, looked)
  if (before.ok) return { before, done: null }
  if (looked.ok) {
    if (isRenamed && other) await takeIdentity(dir, other, opened)
    return { before, done: { ...UNTOUCHED, written, aside, after: looked } }
  }

  const isSound =
    isReadable(looked) && !(await during(opened(dir), (repo) => repo.read((reader) => isAhead(dir, reader))))
  const rebuilt = isSound ? undefined : await rebuildDatabase(dir, env.now())
  if (isRenamed && other) await takeIdentity(dir, other, opened)
  const refs = await during(opened(dir, { single: true }), async (repo) => {
    const known = rebuilt?.known ?? (await presentOf(repo))
    if (!rebuilt && !(await refsAreOld(repo, known))) return NOTHING_LOST
    return repairContent(repo, known, other, opened)
  })
  const lost = [...new Set([...(rebuilt?.lost ?? []), ...refs.lost])]
  if (rebuilt) recordRepair(dir, { ...rebuilt, lost })
  const after = await during(opened(dir), async (repo) => {
    if (rebuilt) await unlessDamaged(() => expungeAgain(repo))
    if (rebuilt || refs.refs.length > 0) {
      await reindex(repo)
      await forgetWrongUsage(repo)
    }
    await repo.write({}, ({ reader }) => renewJournal(dir, reader))
    if (rebuilt) forgetRepair(dir)
    const checked = await check(repo)
    const loss = rebuilt && unnamedLoss(rebuilt, checked)
    return loss === undefined ? checked : withFinding(checked, loss)
  })
  const { pairs, dropped, operations } = rebuilt ?? UNTOUCHED
  const parts = { pairs, dropped, operations, aside: rebuilt?.aside ?? aside, written }
  return { before, done: { ...parts, ...refs, lost, after } }
}

/** Returns what is lost of a damaged database that nothing names; undefined where the journal was whole. */
function unnamedLoss({ isEmpty, torn, damaged }: Rebuilt, { checked }: Fsck): string | undefined {
  if (isEmpty && checked.entries + checked.sessions === 0) return 'nothing in it could be read'
  if (torn) return 'its journal has lost its end too: what was written last may be missing'
  return damaged > 0
    ? `its journal has damaged lines too, ${damaged}: what they held may be missing`
    : undefined
}

/** Returns whether a check found no damage outside of the journal. */
const isReadable = ({ findings }: Fsck): boolean => findings.every(({ code }) => code === 'journal')

/** Adds a finding where another store is a later state of this one: the database has lost its end. */
async function withLaterWrites(found: Fsck, repo: Repo, other: Repo | undefined): Promise<Fsck> {
  if (!other || !isReadable(found)) return found
  const later = await repo.read((mine) =>
    other.read(async (theirs) => {
      const isSameStore = (await beganAlike(mine, theirs)) && (await shareHistory(mine, theirs))
      return isSameStore ? (await theirs.operationLog()).commits - (await mine.operationLog()).commits : 0
    }),
  )
  if (later <= 0) return found
  return withFinding(found, `the other store has ${later} later writes`)
}

/** Adds a finding of the database as a whole. */
const withFinding = (found: Fsck, message: string): Fsck => ({
  ...found,
  ok: false,
  findings: [...found.findings, findingAt('database', 'the database', message)],
})

type Opener = (folder: string, more?: RepoOptions) => Promise<Repo>

const openerOf =
  ({ env, command, actor = 'person' }: StoreRepair): Opener =>
  (folder, more = {}) =>
    Repo.open(folder, { env, command, actor, tolerant: true, ...more })

/** Recovers lost content from another store, where one is named, and from source files, and repairs the refs. */
const repairContent = (
  repo: Repo,
  known: CommitPoint,
  other: Repo | undefined,
  opened: Opener,
): Promise<Repaired> =>
  during(opened(`${repo.dir}/sources`, { create: true, dryRun: true }), async (sources) => {
    await readSources(repo, sources)
    const backup = other && { repo: other, isBackup: other.identity.id === repo.identity.id }
    return repairRefs(repo, [...(backup ? [backup] : []), { repo: sources, isBackup: false }], known)
  })

/** Returns the newest operation and commit of a database. */
const presentOf = (repo: Repo): Promise<CommitPoint> =>
  repo.read(async (reader) => {
    const { latest, commits } = await reader.operationLog()
    return { operation: latest, commit: commits }
  })

const NOTHING_LOST: Repaired = { refs: [], lost: [], entries: 0 }

const UNTOUCHED = { ...NOTHING_LOST, pairs: 0, dropped: 0, operations: [] } as const

/** Returns the result of a check with the problems of the folder before its findings. */
function withProblems(problems: readonly FolderProblem[], found: Fsck): Fsck {
  const findings = problems.map(({ file, problem }) => findingAt('folder', file, problem))
  return { ...found, ok: found.ok && problems.length === 0, findings: [...findings, ...found.findings] }
}

/** Runs work with a store that is being opened, and closes it afterwards. */
async function during<T>(opening: Promise<Repo>, work: (repo: Repo) => Promise<T>): Promise<T> {
  const repo = await opening
  try {
    return await work(repo)
  } finally {
    await repo.close()
  }
}

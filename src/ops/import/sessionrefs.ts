import type { Facts } from '../../formats/core/format.ts'
import { countsOf } from '../../formats/registry.ts'
import type { Oid } from '../../model/encoding/oid.ts'
import type { GitFacts } from '../../model/gitfacts.ts'
import { withModel, withWhole } from '../../model/logtotals.ts'
import type { EntryHandle } from '../../model/node.ts'
import { moved } from '../../model/paths.ts'
import { branchRef, labelRef, metaRef } from '../../model/refname.ts'
import type { Usage } from '../../model/view.ts'
import type { Change } from '../../repo/repo.ts'
import {
  EMPTY_META,
  foldersOf,
  MAIN,
  refValue,
  type SessionMeta,
  type SessionState,
  type SourceHead,
  type SourceOrigin,
} from '../../repo/session.ts'
import { branchesOf } from './branches.ts'
import type { Ingester } from './ingester.ts'
import type { LogTarget } from './logtarget.ts'

/** The branch of the source's tip where a user has moved `main`. */
const SOURCE = 'source'
/** That branch, and its names where a user has a branch `source`. */
const SOURCES = /^source(?:-[0-9a-f]{8})?$/

/** A session that an import makes or moves on; `known` as it was before. */
interface ImportedSession {
  readonly id: string
  readonly known: SessionState | undefined
}

/**
 * Returns the facts of a source as the metadata of a session. Facts that it does not state stay as they were, and so does
 * a title that the user gave.
 */
export function aboutSource(
  { title, cwd, parent, continuedIn, folders, git, pullRequests }: Facts,
  known: SessionState | undefined,
): Pick<SessionMeta, SourceFact> {
  const now = cwd === undefined ? (known?.meta.cwd ?? null) : folderNow(cwd.toWellFormed(), known)
  const isElsewhere = known !== undefined && known.meta.cwd !== null && now !== known.meta.cwd
  const before = folders ?? (isElsewhere ? foldersOf(known.meta) : undefined)
  return {
    title: (known?.meta.renamed ? undefined : title?.toWellFormed()) ?? known?.meta.title ?? null,
    cwd: now,
    ...(before && { folders: foldersNow([...before, ...(cwd === undefined ? [] : [cwd])], known) }),
    ...(git && { git: wellFormed(git) }),
    ...(pullRequests && { pullRequests: pullRequests.map((request) => request.toWellFormed()) }),
    ...(parent !== undefined && { parent: parent.toWellFormed() }),
    ...(continuedIn !== undefined && { continuedIn: continuedIn.toWellFormed() }),
  }
}

/**
 * Returns the facts of stored bytes that are read again. They do not show a folder that import found by the place of the
 * file or in a sidecar file: it stays.
 */
export function aboutStored(facts: Facts, known: SessionState): Pick<SessionMeta, SourceFact> {
  const about = aboutSource(facts, known)
  const { cwd } = known.meta
  const named = foldersNow(facts.folders ?? (facts.cwd === undefined ? [] : [facts.cwd]), known)
  if (cwd === null || named.includes(cwd)) return about
  return { ...about, cwd, folders: [...new Set([...(about.folders ?? []), ...foldersOf(known.meta)])] }
}

/** The facts of a session that its source states. */
type SourceFact = 'title' | 'cwd' | 'folders' | 'git' | 'pullRequests' | 'parent' | 'continuedIn'

/** Returns the current paths of folders, each once. */
const foldersNow = (folders: readonly string[], known: SessionState | undefined): readonly string[] => [
  ...new Set(folders.map((folder) => folderNow(folder.toWellFormed(), known))),
]

const wellFormed = (git: GitFacts): GitFacts =>
  Object.fromEntries(
    Object.entries(git).map(([fact, value]) => [
      fact,
      typeof value === 'string' ? value.toWellFormed() : value.map((one) => one.toWellFormed()),
    ]),
  )

/** Returns the current path of a folder that a source names: the user may have recorded that it moved. */
const folderNow = (cwd: string, known: SessionState | undefined): string =>
  (known?.meta.moved ?? []).reduce((folder, [from, to]) => moved(folder, from, to) ?? folder, cwd)

interface NewMeta extends ImportedSession {
  readonly meta: Pick<
    SessionMeta,
    SourceFact | 'format' | 'agents' | 'asks' | 'spawned' | 'run' | 'created' | 'prompt' | 'page' | 'fork'
  >
  /** The id that its own system gave it. */
  readonly native: string
  /** Where its source is now. */
  readonly path: string
}

/** Sets the metadata of a session. */
export function writeMeta(change: Change, { id, known, native, path, ...about }: NewMeta): void {
  const meta: SessionMeta = {
    ...(known?.meta ?? EMPTY_META),
    ...about.meta,
    native: native === id ? null : native,
    path,
  }
  if (!known || JSON.stringify(known.meta) !== JSON.stringify(meta))
    change.move(metaRef(id), known && refValue(known.meta), refValue(meta))
}

/** Sets facts of a session whose own file has nothing new: those of its sidecar files, or of the place to which it moved. */
export function updateFacts(change: Change, known: SessionState, facts: Facts, path = known.meta.path): void {
  const { id, meta } = known
  if (Object.keys(facts).length === 0 && path === meta.path) return
  const created = facts.created ?? meta.created
  const spawned = facts.spawns && { ...meta.spawned, ...Object.fromEntries(facts.spawns) }
  const about = { ...meta, ...aboutSource(facts, known), created, ...(spawned && { spawned }) }
  writeMeta(change, { id, known, meta: about, native: meta.native ?? id, path: path ?? '' })
}

type BranchTips = { readonly [name: string]: Oid }

interface BranchMoves extends ImportedSession {
  /** The branches of the source now, and as the import before this one left them. */
  readonly now: BranchTips
  readonly before: BranchTips
  /** Tips whose branches stay although the source has them no more. */
  readonly kept?: ReadonlySet<Oid>
}

/**
 * Moves the branches that import made and that nobody has moved since. The others stay; where `main` is one of them,
 * the branch `source` points to the tip of the source.
 */
export function moveBranches(change: Change, { id, known, now, before, kept }: BranchMoves): void {
  for (const name of new Set([...Object.keys(now), ...Object.keys(before)])) {
    const at = known?.branches.get(name)
    const next = now[name]
    if (at === before[name]) {
      if (next === undefined && name !== MAIN && at !== undefined && kept?.has(at)) continue
      if (next !== at) change.move(branchRef(id, name), at, next)
    } else if (name === MAIN && next !== undefined) {
      const branches = known?.branches ?? new Map<string, Oid>()
      const source = sourceBranch(branches, before[MAIN], next)
      const current = branches.get(source)
      if (current !== next) change.move(branchRef(id, source), current, next)
    }
  }
}

/** Returns the branch for the source's tip: the one on which import left it, else one that is not the user's own. */
function sourceBranch(branches: ReadonlyMap<string, Oid>, before: Oid | undefined, next: Oid): string {
  for (const [name, oid] of branches) if (oid === before && SOURCES.test(name)) return name
  return branches.has(SOURCE) ? `${SOURCE}-${next.slice(0, 8)}` : SOURCE
}

interface LabelMoves extends ImportedSession {
  /** The entries that the user has labelled in the source. */
  readonly labels: ReadonlyMap<string, EntryHandle>
}

/** Adds the labels of a source that its session does not have. */
export async function moveLabels(change: Change, { id, known, labels }: LabelMoves): Promise<void> {
  for (const [label, handle] of labels)
    if (handle !== undefined && !known?.labels.has(label))
      change.move(labelRef(id, label), undefined, await change.reader.oid(handle))
}

/** The result of reading a source, with what is known from elsewhere. */
interface SourceReading {
  readonly ingester: Ingester
  readonly target: LogTarget
  readonly reading: number
  /** The SHA-256 of its bytes. */
  readonly digest: string
  /** Identifies how it begins: see `startOf`. */
  readonly start?: string | undefined
  /** Where it begins, if it refers to its history. */
  readonly origin?: SourceOrigin | undefined
  /** The usage of all its model calls together, from a sidecar file. */
  readonly usage?: Usage | undefined
  /** The model, where no entry names one. */
  readonly model?: string | undefined
  /** The branches as import last set them. */
  readonly before: { readonly [name: string]: Oid }
}

/** Returns the head of a source's log, without the fields that do not follow from its bytes. */
export async function sourceHead(
  { reader, writer }: Change,
  { ingester, target, reading, digest, start, origin, usage, model, before }: SourceReading,
): Promise<SourceHead> {
  const { sourceEntries } = ingester
  const { version } = ingester.facts
  const unknown = ingester.unknown.found
  const totals = await sourceEntries.summary(reader)
  const { usage: own = {}, reported } = ingester.facts
  return {
    log: target.log,
    count: ingester.records - (target.first ?? 0),
    entries: sourceEntries.entries.size,
    hash: ingester.hash,
    updated: ingester.times.updated,
    reading,
    bytes: ingester.bytes,
    sha256: digest,
    ...(start !== undefined && { start }),
    tail: ingester.tail.map((bytes) => writer.putBlob(bytes)),
    branches: await branchesOf(reader, ingester, before),
    salvaged: ingester.salvaged,
    ...(origin && { origin }),
    ...(sourceEntries.unresolvedParents > 0 && { lacking: sourceEntries.unresolvedParents }),
    ...(version !== undefined && { version: version.toWellFormed() }),
    ...(unknown && { unknown }),
    ...(sourceEntries.hasSuperseded && { superseded: true }),
    summary: {
      ...withWhole(withModel(totals, model), countsOf(usage ?? own), ingester.times.updated),
      ...(reported && { reported }),
    },
  }
}

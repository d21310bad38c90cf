import type { Facts } from '../../formats/core/format.ts'
import { moved } from '../../model/folder.ts'
import type { EntryHandle } from '../../model/node.ts'
import type { Oid } from '../../model/oid.ts'
import { branchRef, labelRef, metaRef } from '../../model/refname.ts'
import type { Reader } from '../../repo/reader.ts'
import type { Change } from '../../repo/repo.ts'
import { EMPTY_META, MAIN, refValue, type Session, type SessionMeta } from '../../repo/session.ts'
import type { Ingester } from './ingester.ts'

/** The branch on which the source's tip stands where a user has moved `main`. */
const SOURCE = 'source'
/** That, and its names where a user has a branch `source`. */
const SOURCES = /^source(?:-[0-9a-f]{8})?$/

/** A session that an import makes or moves on; `known` as it was before. */
interface Imports {
  readonly id: string
  readonly known: Session | undefined
}

/**
 * Returns what a source says of its session, as refs can hold it. What it does not say stays as it was known, and so does
 * a title that the user gave.
 */
export const aboutSource = (
  { title, cwd, parent }: Facts,
  known: Session | undefined,
): Pick<SessionMeta, 'title' | 'cwd' | 'parent'> => ({
  title: (known?.meta.renamed ? undefined : title?.toWellFormed()) ?? known?.meta.title ?? null,
  cwd: cwd === undefined ? (known?.meta.cwd ?? null) : folderNow(cwd.toWellFormed(), known),
  ...(parent !== undefined && { parent: parent.toWellFormed() }),
})

/** Returns the sub-agents that a source's session started, by name or by what they were asked, each with the entry that did. */
export async function subagentsIn(
  reader: Reader,
  read: Pick<Ingester, 'facts' | 'entries'>,
): Promise<Pick<SessionMeta, 'agents' | 'asks'>> {
  const named = async (
    entries: Facts['subagents'] = new Map(),
  ): Promise<{ [name: string]: Oid } | undefined> => {
    const oids: [string, Oid][] = []
    for (const [name, handle] of entries)
      oids.push([name.toWellFormed(), await reader.oid(read.entries.of(handle))])
    return oids.length > 0 ? Object.fromEntries(oids) : undefined
  }
  const [agents, asks] = [await named(read.facts.subagents), await named(read.facts.subagentPrompts)]
  return { ...(agents && { agents }), ...(asks && { asks }) }
}

/** Returns where a folder is that a source names: its user may have said since that it moved. */
const folderNow = (cwd: string, known: Session | undefined): string =>
  (known?.meta.moved ?? []).reduce((folder, [from, to]) => moved(folder, from, to) ?? folder, cwd)

interface NewMeta extends Imports {
  readonly meta: Pick<
    SessionMeta,
    'format' | 'title' | 'cwd' | 'parent' | 'agents' | 'asks' | 'created' | 'prompt'
  >
  /** The id that its own system gave it. */
  readonly native: string
  readonly path: string
}

/** Sets the metadata of a session. */
export function writeMeta(change: Change, { id, known, native, path, ...about }: NewMeta): void {
  const meta: SessionMeta = {
    ...(known?.meta ?? EMPTY_META),
    ...about.meta,
    native: native === id ? null : native,
    path: known?.meta.path ?? path,
  }
  if (!known || JSON.stringify(known.meta) !== JSON.stringify(meta))
    change.move(metaRef(id), known && refValue(known.meta), refValue(meta))
}

/** Sets the facts from a session's sidecar files when its own file has nothing new. */
export function updateFacts(change: Change, known: Session, facts: Facts): void {
  const { id, meta } = known
  if (Object.keys(facts).length === 0) return
  const created = facts.created ?? meta.created
  const about = { ...meta, ...aboutSource(facts, known), created }
  writeMeta(change, { id, known, meta: about, native: meta.native ?? id, path: meta.path ?? '' })
}

type Branches = { readonly [name: string]: Oid }

interface Moves extends Imports {
  /** The branches of the source now, and as the import before this one left them. */
  readonly now: Branches
  readonly before: Branches
}

/**
 * Moves the branches that import made and that nobody has moved since. The rest stay; where `main` is among them,
 * the branch `source` says where the source is.
 */
export function moveBranches(change: Change, { id, known, now, before }: Moves): void {
  for (const name of new Set([...Object.keys(now), ...Object.keys(before)])) {
    const at = known?.branches.get(name)
    const next = now[name]
    if (at === before[name]) {
      if (next !== at) change.move(branchRef(id, name), at, next)
    } else if (name === MAIN && next !== undefined) {
      const branches = known?.branches ?? new Map<string, Oid>()
      const source = sourceBranch(branches, before[MAIN], next)
      const stood = branches.get(source)
      if (stood !== next) change.move(branchRef(id, source), stood, next)
    }
  }
}

/** Returns the branch for the source's tip: the one on which import left it, else one that is not the user's own. */
function sourceBranch(branches: ReadonlyMap<string, Oid>, before: Oid | undefined, next: Oid): string {
  for (const [name, oid] of branches) if (oid === before && SOURCES.test(name)) return name
  return branches.has(SOURCE) ? `${SOURCE}-${next.slice(0, 8)}` : SOURCE
}

interface Labels extends Imports {
  /** The entries that the user has labelled in the source. */
  readonly labels: ReadonlyMap<string, EntryHandle>
}

/** Returns a session the labels of its source that it does not have yet. */
export async function moveLabels(change: Change, { id, known, labels }: Labels): Promise<void> {
  for (const [label, handle] of labels)
    if (handle !== undefined && !known?.labels.has(label))
      change.move(labelRef(id, label), undefined, await change.reader.oid(handle))
}

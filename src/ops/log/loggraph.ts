import { groupBranches } from '../../graph/groupbranches.ts'
import { simplifyGraph } from '../../graph/simplify.ts'
import { isOnPath } from '../../graph/walk.ts'
import type { GraphFilter } from '../../model/filter.ts'
import type { EntryHandle } from '../../model/node.ts'
import { COMPACTS } from '../../model/view.ts'
import type { Reader } from '../../repo/reader.ts'
import type { Repo } from '../../repo/repo.ts'
import { PathRecords } from '../entries.ts'
import {
  type Drawn,
  drawnEntry,
  type Edge,
  edgeTo,
  type Heading,
  isMarked,
  type Scene,
  sceneOf,
  shortIn,
} from '../graphentry.ts'
import { listed } from '../list.ts'
import { handlesOf, selectionOf } from '../log.ts'
import { drawing } from '../tree.ts'
import { isDrawn } from './between.ts'

export interface LogGraphOptions {
  /** Draw each entry of all branches of the session once. */
  readonly all?: boolean
  readonly filter?: GraphFilter
  /** Tell of each oid how many digits name it alone. */
  readonly digits?: boolean
}

/**
 * Draws the entries that a revision or a range reaches, children before parents, what parts from a path right before
 * the entry that it parts from. Begins with a heading. Throws as `log`.
 */
export async function* logGraph(
  repo: Repo,
  revision: string,
  { all = false, filter = 'all', digits = false }: LogGraphOptions = {},
): AsyncGenerator<Heading | Drawn> {
  yield* repo.stream(async function* (reader) {
    const selection = await selectionOf(reader, revision, all, repo.env.cwd)
    const { tips, excluded, session } = selection
    const sessions = session ? [session] : []
    const finder = new PathRecords(reader, session)
    const scene = { ...(await sceneOf(repo, reader, sessions, session)), finder, digits }
    try {
      if (excluded.length === 0 && filter !== 'labeled-only')
        yield* drawing(reader, { sessions, scene, filter, tips: await withNamed(reader, tips, scene) })
      else {
        const handles: EntryHandle[] = []
        for await (const handle of handlesOf(reader, selection))
          if (await isShown(reader, handle, scene, filter)) handles.push(handle)
        yield* graphOf(reader, handles, scene)
      }
    } finally {
      await finder.close()
    }
  })
}

/** Returns tips and what refs name on the path of the first of them. */
async function withNamed(
  reader: Reader,
  tips: readonly EntryHandle[],
  { names }: Scene,
): Promise<EntryHandle[]> {
  const handles = new Set(tips)
  const [tip] = tips
  for (const handle of tip === undefined ? [] : names.keys())
    if (await isOnPath(handle, tip as EntryHandle, (node) => reader.node(node))) handles.add(handle)
  return [...handles]
}

async function isShown(
  reader: Reader,
  handle: EntryHandle,
  { names }: Scene,
  filter: GraphFilter,
): Promise<boolean> {
  const refs = names.get(handle) ?? []
  if (filter === 'labeled-only') return refs.some(isMarked)
  if (refs.length > 0 || (await reader.node(handle)).traits & COMPACTS) return true
  return isDrawn(reader, handle, filter)
}

/** Draws any entries as a graph, joined over what is left out between them; the newest of the first path is drawn straight. */
export async function* graphOf(
  reader: Reader,
  handles: readonly EntryHandle[],
  scene: Scene,
): AsyncGenerator<Heading | Drawn> {
  const [tip] = handles
  if (tip === undefined) return
  const { look } = scene
  const found = await simplifyGraph(handles, look)
  const below = new Map<EntryHandle, readonly EntryHandle[]>()
  for (const [handle, parents] of found) below.set(handle, await firstParentFirst(reader, handle, parents))
  const straight = new Set<EntryHandle>()
  for (let handle: EntryHandle | undefined = tip; handle !== undefined; handle = below.get(handle)?.[0])
    straight.add(handle)
  const above = new Map<EntryHandle, EntryHandle[]>()
  for (const handle of handles)
    for (const parent of below.get(handle) ?? []) {
      const children = above.get(parent)
      if (!children) above.set(parent, [handle])
      else if (straight.has(handle)) children.unshift(handle)
      else children.push(handle)
    }
  const roots = handles.filter((handle) => below.get(handle)?.length === 0)
  yield {
    sessions: scene.session ? [listed(scene.session)] : [],
    short: shortIn(scene),
    main: await reader.oid(tip),
  }
  for (const handle of groupBranches(roots, (node) => above.get(node) ?? [])) {
    const edges: Edge[] = []
    for (const [place, parent] of (below.get(handle) ?? []).entries())
      edges.push(
        place === 0 && (await isOnPath(parent, handle, (node) => reader.node(node)))
          ? await edgeTo(reader, handle, parent)
          : { oid: await reader.oid(parent), elided: null },
      )
    const open = edges.length === 0 && (await look(handle)).parents.length > 0
    yield drawnEntry(reader, handle, edges, scene, open)
  }
}

/** Puts the one that lies on an entry's own path before the others. */
async function firstParentFirst(
  reader: Reader,
  handle: EntryHandle,
  parents: readonly EntryHandle[],
): Promise<readonly EntryHandle[]> {
  if (parents.length < 2) return parents
  for (const parent of parents)
    if (await isOnPath(parent, handle, (node) => reader.node(node)))
      return [parent, ...parents.filter((other) => other !== parent)]
  return parents
}

import { grouped } from '../../graph/grouped.ts'
import { simplified } from '../../graph/simplified.ts'
import { isOnPath } from '../../graph/walk.ts'
import type { Filter } from '../../model/filter.ts'
import { COMPACTS } from '../../model/view.ts'
import type { Backend, Row } from '../../repo/backend.ts'
import type { Repo } from '../../repo/repo.ts'
import { PathRecords } from '../context/pathrecords.ts'
import { listed } from '../list.ts'
import { rowsOf, selectionOf } from '../log.ts'
import { drawing } from '../tree.ts'
import { isDrawn } from './between.ts'
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
} from './drawn.ts'

export interface LogGraphOptions {
  /** Draw each entry of all branches of the session once. */
  readonly all?: boolean
  readonly filter?: Filter
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
  yield* repo.stream(async function* (backend) {
    const selection = await selectionOf(backend, revision, all, repo.env.cwd)
    const { tips, excluded, session } = selection
    const sessions = session ? [session] : []
    const finder = new PathRecords(backend, session)
    const scene = { ...(await sceneOf(repo, backend, sessions, session)), finder, digits }
    try {
      if (excluded.length === 0 && filter !== 'labeled-only')
        yield* drawing(backend, { sessions, scene, filter, tips: await withNamed(backend, tips, scene) })
      else {
        const rows: Row[] = []
        for await (const row of rowsOf(backend, selection))
          if (await isShown(backend, row, scene, filter)) rows.push(row)
        yield* graphOf(backend, rows, scene)
      }
    } finally {
      await finder.close()
    }
  })
}

/** Gives tips and what refs name on the path of the first of them. */
async function withNamed(backend: Backend, tips: readonly Row[], { names }: Scene): Promise<Row[]> {
  const rows = new Set(tips)
  const [tip] = tips
  for (const row of tip === undefined ? [] : names.keys())
    if (await isOnPath(row, tip as Row, (node) => backend.node(node))) rows.add(row)
  return [...rows]
}

async function isShown(backend: Backend, row: Row, { names }: Scene, filter: Filter): Promise<boolean> {
  const refs = names.get(row) ?? []
  if (filter === 'labeled-only') return refs.some(isMarked)
  if (refs.length > 0 || (await backend.node(row)).traits & COMPACTS) return true
  return isDrawn(backend, row, filter)
}

/** Draws any entries as a graph, joined over what is left out between them; the newest of the first path is drawn straight. */
export async function* graphOf(
  backend: Backend,
  rows: readonly Row[],
  scene: Scene,
): AsyncGenerator<Heading | Drawn> {
  const [tip] = rows
  if (tip === undefined) return
  const { look } = scene
  const found = await simplified(rows, look)
  const below = new Map<Row, readonly Row[]>()
  for (const [row, parents] of found) below.set(row, await firstParentFirst(backend, row, parents))
  const straight = new Set<Row>()
  for (let row: Row | undefined = tip; row !== undefined; row = below.get(row)?.[0]) straight.add(row)
  const above = new Map<Row, Row[]>()
  for (const row of rows)
    for (const parent of below.get(row) ?? []) {
      const children = above.get(parent)
      if (!children) above.set(parent, [row])
      else if (straight.has(row)) children.unshift(row)
      else children.push(row)
    }
  const roots = rows.filter((row) => below.get(row)?.length === 0)
  yield {
    sessions: scene.session ? [listed(scene.session)] : [],
    short: shortIn(scene),
    main: await backend.oid(tip),
  }
  for (const row of grouped(roots, (node) => above.get(node) ?? [])) {
    const edges: Edge[] = []
    for (const [place, parent] of (below.get(row) ?? []).entries())
      edges.push(
        place === 0 && (await isOnPath(parent, row, (node) => backend.node(node)))
          ? await edgeTo(backend, row, parent)
          : { oid: await backend.oid(parent), elided: null },
      )
    const open = edges.length === 0 && (await look(row)).parents.length > 0
    yield drawnEntry(backend, row, edges, scene, open)
  }
}

/** Puts the one that lies on an entry's own path before the others. */
async function firstParentFirst(
  backend: Backend,
  row: Row,
  parents: readonly Row[],
): Promise<readonly Row[]> {
  if (parents.length < 2) return parents
  for (const parent of parents)
    if (await isOnPath(parent, row, (node) => backend.node(node)))
      return [parent, ...parents.filter((other) => other !== parent)]
  return parents
}

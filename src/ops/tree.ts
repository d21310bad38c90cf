import { grouped } from '../graph/grouped.ts'
import { type Chain, Skeleton } from '../graph/skeleton.ts'
import { SessError } from '../model/errors.ts'
import type { Filter } from '../model/filter.ts'
import { COMPACTS } from '../model/view.ts'
import { type Backend, NEAR, NO_ROW, type Row } from '../repo/backend.ts'
import type { Repo } from '../repo/repo.ts'
import { resolveSession } from '../repo/revision.ts'
import { MAIN, type Session, tipOf } from '../repo/session.ts'
import { listed } from './list.ts'
import { drawnBetween } from './log/between.ts'
import {
  type Drawn,
  drawnEntry,
  type Edge,
  edgeTo,
  type Heading,
  isMarked,
  type LookAt,
  type Scene,
  sceneOf,
  shortIn,
} from './log/drawn.ts'
import { familiesOf } from './log/families.ts'

export interface TreeOptions {
  readonly filter?: Filter
  /** Tell of each oid how many digits name it alone. */
  readonly digits?: boolean
}

/** Which sessions are drawn: those held in a folder, or all. */
export interface ForestOptions extends TreeOptions {
  /** The folder; the store's own unless said, null for all. */
  readonly cwd?: string | null
}

/**
 * Draws a session: its heading, then its entries, children before parents, what parts from a path right before the
 * entry that it parts from. Takes time by what is drawn, not by how much was said. Throws `no-session` or
 * `empty-session`.
 */
export async function* tree(
  repo: Repo,
  session: string,
  { filter = 'default', digits = false }: TreeOptions = {},
): AsyncGenerator<Heading | Drawn> {
  yield* repo.stream(async function* (backend) {
    const found = await resolveSession(backend, session, repo.env.cwd)
    const scene = { ...(await sceneOf(repo, backend, [found], found)), digits }
    if (scene.names.size === 0) throw new SessError('empty-session', session)
    yield* drawing(backend, { sessions: [found], scene, filter })
  })
}

/**
 * Draws the sessions of a folder, those that share entries together, the one that began first before the others. Each
 * drawing begins with its heading.
 */
export async function* forest(
  repo: Repo,
  { filter = 'default', cwd = repo.env.cwd, digits = false }: ForestOptions = {},
): AsyncGenerator<Heading | Drawn> {
  yield* repo.stream(async function* (backend) {
    const { families, latest, short } = await familiesOf(backend, cwd)
    for (const sessions of families) {
      const here = sessions.find((session) => session === latest)
      const scene = { ...(await sceneOf(repo, backend, sessions, here)), digits }
      yield* drawing(backend, { sessions, scene, filter, short })
    }
  })
}

/** What is drawn: of sessions, the one that began first before the others, or of some entries of them. */
interface Drawing {
  readonly sessions: readonly Session[]
  /** What names each of them alone; unless said among themselves. */
  readonly short?: ReadonlyMap<string, string>
  readonly scene: Scene
  readonly filter: Filter
  /** The entries whose paths are drawn, the straight one first; else all that refs name. */
  readonly tips?: readonly Row[]
}

/** Draws the paths of entries: the heading, then the entries. */
export async function* drawing(
  backend: Backend,
  { sessions, scene, short = shortIn(scene), filter, tips }: Drawing,
): AsyncGenerator<Heading | Drawn> {
  const bare = filter === 'labeled-only'
  const marked = [...scene.names].filter(([, refs]) => !bare || refs.some(isMarked)).map(([row]) => row)
  const [origin] = sessions
  const main = origin && (origin.branches.get(MAIN) ?? tipOf(origin))
  const mainRow = tips?.[0] ?? (main && (await backend.find(main)))
  const skeleton = new Skeleton(scene.look)
  for (const row of await deepestFirst(scene.look, tips ?? marked, mainRow)) await skeleton.add(row)
  if (!bare) await markShape(scene.look, skeleton)
  const { below, above, roots } = shapeOf(skeleton)
  const merges = bare ? new Map<Row, readonly Row[]>() : await mergesOf(scene.look, above, below)
  const [first] = skeleton.chains
  if (!first) return
  yield { sessions: sessions.map(listed), short, main: await backend.oid(first.tip) }
  for (const stop of grouped(roots, (row) => above.get(row) ?? [])) {
    const older = below.get(stop)
    let edges: Edge[] = []
    for (const parent of merges.get(stop) ?? []) edges.push({ oid: await backend.oid(parent), elided: null })
    let at = stop
    for await (const row of older === undefined
      ? []
      : drawnBetween(backend, scene.look, [stop, older], filter)) {
      yield drawnEntry(backend, at, [await edgeTo(backend, at, row), ...edges], scene)
      edges = []
      at = row
    }
    if (older !== undefined) edges.unshift(await edgeTo(backend, at, older))
    yield drawnEntry(backend, at, edges, scene)
  }
}

/** Orders entries by their depth, the deepest first, but for one that comes before all. */
export async function deepestFirst(
  look: LookAt,
  rows: readonly Row[],
  first: Row | undefined,
): Promise<Row[]> {
  const depths = new Map<Row, number>()
  for (const row of rows) depths.set(row, row === first ? Number.POSITIVE_INFINITY : (await look(row)).depth)
  return [...rows].sort((a, b) => (depths.get(b) as number) - (depths.get(a) as number) || b - a)
}

const COMPACTION = NEAR.indexOf(COMPACTS)

/** Marks compactions, merges, and what was merged: that may bring further paths, which are gone through too. */
async function markShape(look: LookAt, skeleton: Skeleton): Promise<void> {
  for (const chain of skeleton.chains) {
    const { tip, first, stops } = chain
    for (const nearest of ['compaction', 'merge'] as const)
      for (let row = await nearestOf(look, tip, nearest); row >= first; ) {
        stops.add(row)
        const [parent, ...others] = (await look(row)).parents
        for (const other of others) await skeleton.add(other)
        row = parent === undefined ? NO_ROW : await nearestOf(look, parent, nearest)
      }
  }
}

async function nearestOf(look: LookAt, row: Row, what: 'compaction' | 'merge'): Promise<Row> {
  const { near, merge } = await look(row)
  return what === 'merge' ? merge : (near[COMPACTION] as Row)
}

interface Shape {
  /** By entry that is drawn: the next one up its path, and those whose next one it is, first of its own path. */
  readonly below: ReadonlyMap<Row, Row>
  readonly above: Map<Row, Row[]>
  readonly roots: readonly Row[]
}

function shapeOf({ chains }: { readonly chains: Iterable<Chain> }): Shape {
  const below = new Map<Row, Row>()
  const above = new Map<Row, Row[]>()
  const roots: Row[] = []
  for (const { from, first, stops } of chains) {
    if (from === undefined) roots.push(first)
    let last = from
    // Along a path the numbers of entries grow.
    for (const stop of [...stops].sort((a, b) => a - b)) {
      if (last !== undefined) {
        below.set(stop, last)
        push(above, last, stop)
      }
      last = stop
    }
  }
  return { below, above, roots }
}

function push(lists: Map<Row, Row[]>, key: Row, row: Row): void {
  const list = lists.get(key)
  if (list) list.push(row)
  else lists.set(key, [row])
}

/** Gives by merge the entries that it merges beyond its first parent, and notes it above each of them. */
async function mergesOf(
  look: LookAt,
  above: Map<Row, Row[]>,
  below: ReadonlyMap<Row, Row>,
): Promise<ReadonlyMap<Row, readonly Row[]>> {
  const merges = new Map<Row, readonly Row[]>()
  for (const row of below.keys()) {
    const [, ...others] = (await look(row)).parents
    if (others.length === 0) continue
    merges.set(row, others)
    for (const other of others) push(above, other, row)
  }
  return merges
}

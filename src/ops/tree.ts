import { deepestFirst } from '../graph/order.ts'
import { ancestor } from '../graph/walk.ts'
import { SessError } from '../model/errors.ts'
import type { GraphFilter } from '../model/graphfilter.ts'
import { addTo } from '../model/lists.ts'
import type { EntryHandle } from '../model/node.ts'
import { shortIds } from '../model/shortid.ts'
import { lookIn, type Reader } from '../repo/reader.ts'
import type { Repo } from '../repo/repo.ts'
import { resolveSession } from '../repo/revision.ts'
import { allSessions, foldersOf, MAIN, readableTip, type SessionTrunk, updatedOf } from '../repo/session.ts'
import { tipsOf } from './entries.ts'
import {
  type Edge,
  edgeTo,
  type GraphEntry,
  type GraphHeading,
  type GraphScene,
  graphEntry,
  isMarked,
  sceneOf,
  shortIn,
} from './graphentry.ts'
import { listed } from './list.ts'
import { stretchOf } from './rows/treecounts.ts'
import { shownIn } from './rows/treefilter.ts'
import { TreeShape } from './rows/treeshape.ts'

export interface TreeDrawingOptions {
  readonly filter?: GraphFilter
  /** Determine the number of digits that make each oid unique. */
  readonly digits?: boolean
}

/** Which sessions are drawn: those held in a folder, or all. */
export interface ForestOptions extends TreeDrawingOptions {
  /** The folder; by default the store's own, null for all. */
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
  { filter = 'default', digits = false }: TreeDrawingOptions = {},
): AsyncGenerator<GraphHeading | GraphEntry> {
  yield* repo.stream(async function* (reader) {
    const found = await resolveSession(reader, session)
    const scene = { ...(await sceneOf(repo, reader, [found], found)), digits }
    if (scene.names.size === 0) throw new SessError('empty-session', session)
    yield* drawing(reader, { sessions: [found], scene, filter })
  })
}

/**
 * Draws the sessions of a folder, those that share entries together, the one that began first before the others. Each
 * drawing begins with its heading.
 */
export async function* forest(
  repo: Repo,
  { filter = 'default', cwd = repo.env.cwd, digits = false }: ForestOptions = {},
): AsyncGenerator<GraphHeading | GraphEntry> {
  yield* repo.stream(async function* (reader) {
    const { families, latest, short } = await familiesOf(reader, cwd)
    for (const sessions of families) {
      const here = sessions.find((session) => session === latest)
      const scene = { ...(await sceneOf(repo, reader, sessions, here)), digits }
      yield* drawing(reader, { sessions, scene, filter, short })
    }
  })
}

/** A drawing of sessions, the oldest first, or of some of their entries. */
interface Drawing {
  readonly sessions: readonly SessionTrunk[]
  /** The unique prefix of each session's id; by default among these sessions. */
  readonly short?: ReadonlyMap<string, string>
  readonly scene: GraphScene
  readonly filter: GraphFilter
  /** The entries whose paths are drawn, the straight one first; else all that refs name. */
  readonly tips?: readonly EntryHandle[]
}

/** Draws the paths of entries: the heading, then the entries. */
export async function* drawing(
  reader: Reader,
  { sessions, scene, short = shortIn(scene), filter, tips }: Drawing,
): AsyncGenerator<GraphHeading | GraphEntry> {
  const bare = filter === 'labeled-only'
  const marked = [...scene.names].filter(([, refs]) => !bare || refs.some(isMarked)).map(([handle]) => handle)
  const [origin] = sessions
  const main = origin && (origin.someBranches.get(MAIN) ?? readableTip(origin))
  const mainHandle = tips?.[0] ?? (main && (await reader.find(main)))
  const shape = new TreeShape(scene.look)
  for (const handle of await deepestFirst(tips ?? marked, mainHandle, scene.look)) await shape.add(handle)
  if (shape.pieceCount === 0) return
  if (!bare) await shape.markShape()
  if (!bare && !tips) for (const caller of scene.callers.keys()) await shape.mark(caller)
  yield { sessions: sessions.map(listed), short, main: await reader.oid(shape.mainTip) }
  const { order } = shape
  for (let rank = order.length - 1; rank >= 0; rank--)
    yield* drawnPiece(reader, shape, order.at(rank) as number, { scene, filter })
}

/** Draws the end of a piece, then what the filter shows of its other entries, the newest first. */
async function* drawnPiece(
  reader: Reader,
  shape: TreeShape,
  piece: number,
  { scene, filter }: Pick<Drawing, 'scene' | 'filter'>,
): AsyncGenerator<GraphEntry> {
  const { stop } = shape.piece(piece)
  const older = shape.stopBefore(piece)
  let edges: Edge[] = []
  for (const merged of shape.mergedAt(piece))
    edges.push({ oid: await reader.oid(shape.piece(merged).stop), elided: null })
  let at = stop
  for await (const handle of shownIn(scene.look, stretchOf(shape, piece), filter)) {
    yield graphEntry(reader, at, [await edgeTo(reader, at, handle), ...edges], scene)
    edges = []
    at = handle
  }
  if (older !== undefined) edges.unshift(await edgeTo(reader, at, older))
  yield graphEntry(reader, at, edges, scene)
}

/**
 * Returns the sessions of a folder, or with null of all folders, in families of those that share entries, the oldest
 * first; the one that was added to last; and for each session of the store the shortest unique prefix of its id.
 */
async function familiesOf(reader: Reader, cwd: string | null) {
  const sessions: SessionTrunk[] = []
  const ids: string[] = []
  for await (const session of allSessions(reader)) {
    ids.push(session.id)
    if ((cwd === null || foldersOf(session.meta).includes(cwd)) && hasEntries(session)) sessions.push(session)
  }
  sessions.sort((a, b) => begun(a) - begun(b) || (a.id < b.id ? -1 : 1))
  // A disjoint-set forest over indexes: each session points to an older one of its family, or to itself.
  const elders = sessions.map((_, place) => place)
  const eldest = (place: number): number => {
    let at = place
    while (elders[at] !== at) at = elders[at] = elders[elders[at] as number] as number
    return at
  }
  const owners = new Map<EntryHandle, number>()
  for (const [place, session] of sessions.entries())
    for (const root of await rootsOf(reader, session)) {
      const owner = owners.get(root)
      if (owner === undefined) owners.set(root, place)
      else {
        const [a, b] = [eldest(owner), eldest(place)]
        elders[Math.max(a, b)] = Math.min(a, b)
      }
    }
  const found = new Map<number, SessionTrunk[]>()
  for (const [place, session] of sessions.entries()) addTo(found, eldest(place), session)
  let latest: SessionTrunk | undefined
  for (const session of sessions)
    if (!latest || (updatedOf(session) ?? 0) > (updatedOf(latest) ?? 0)) latest = session
  return { families: [...found.values()], latest, short: shortIds(ids) }
}

const hasEntries = (session: SessionTrunk): boolean =>
  readableTip(session) !== undefined || session.someBranches.size > 0

const begun = ({ meta }: SessionTrunk): number => meta.created ?? Number.POSITIVE_INFINITY

async function rootsOf(reader: Reader, session: SessionTrunk): Promise<ReadonlySet<EntryHandle>> {
  const look = lookIn(reader)
  const roots = new Set<EntryHandle>()
  for (const handle of await tipsOf(reader, session)) {
    const root = await ancestor(handle, (await look(handle)).depth, look)
    if (root !== undefined) roots.add(root)
  }
  return roots
}

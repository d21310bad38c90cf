import { byDepth, type Placed } from '../../graph/order.ts'
import type { Oid } from '../../model/encoding/oid.ts'
import type { GraphFilter } from '../../model/graphfilter.ts'
import type { EntryHandle } from '../../model/node.ts'
import type { Reader } from '../../repo/reader.ts'
import { MAIN, readableTip, type SessionState } from '../../repo/session.ts'
import { callersIn, isMarked, type LookAt, refsOf } from '../graphentry.ts'
import { SubagentFinder } from '../subagents.ts'
import { PieceCounts } from './treecounts.ts'
import { TreeNames } from './treenames.ts'
import { TreeShape } from './treeshape.ts'

/** Runs waiting events, and throws where the work is to stop. */
type Pause = () => Promise<void>

/** Milliseconds of work after which waiting events run. */
const SLICE = 5

/** So many looks are between two questions for the time. */
const LOOKS = 8

/** Returns a look that runs waiting events every few milliseconds. */
export function slicedLook(reader: Reader, pause: Pause): LookAt {
  let [looks, since] = [0, performance.now()]
  return (handle) => {
    if (++looks % LOOKS !== 0 || performance.now() - since < SLICE) return reader.node(handle)
    return pause().then(() => {
      since = performance.now()
      return reader.node(handle)
    })
  }
}

/** The tree of a session as a filter shows it. */
export interface Tree {
  readonly shape: TreeShape
  readonly counts: PieceCounts
  readonly names: TreeNames
  /** The entries that started sub-agents. */
  readonly callers: ReadonlyMap<EntryHandle, SessionState>
  readonly head: EntryHandle | undefined
  /** Whether all paths of the session are in it. */
  readonly isWhole: boolean
}

/** The entries that refs of a session name. */
interface NamedEntries {
  readonly handles: ReadonlyMap<Oid, EntryHandle>
  readonly placed: Placed<EntryHandle>[]
}

/** Returns the entries of some oids. Those that are missing are left out. */
async function entriesNamed(reader: Reader, look: LookAt, oids: ReadonlySet<Oid>): Promise<NamedEntries> {
  // All at once: in the order of rows, so that each page is read once.
  const handles = await reader.findMany(oids)
  const placed: Placed<EntryHandle>[] = []
  for (const handle of handles.values()) {
    const { depth, order } = await look(handle)
    placed.push({ node: handle, depth, order })
  }
  return { handles, placed }
}

/** The oids that refs of a session name, those of the filter alone; with `most` at most one more than so many. */
function namedOids(
  session: SessionState,
  filter: GraphFilter,
  most: number = Number.POSITIVE_INFINITY,
): Set<Oid> {
  const oids = new Set<Oid>()
  for (const [oid, ref] of refsOf(session)) {
    if (filter !== 'labeled-only' || isMarked(ref)) oids.add(oid)
    if (oids.size > most) break
  }
  return oids
}

/** Returns whether the tree of a session has at most so many paths. */
export const hasFewPaths = (session: SessionState, filter: GraphFilter, most: number): boolean =>
  namedOids(session, filter, most).size <= most

/** Returns the end of the path that is drawn straight. */
const mainOf = (session: SessionState): Oid | undefined => session.branches.get(MAIN) ?? readableTip(session)

/** Returns the tree of the straight path alone, with its compactions and merges. */
export async function mainTree(
  reader: Reader,
  look: LookAt,
  session: SessionState,
  filter: GraphFilter,
): Promise<Tree> {
  const ends = [mainOf(session), readableTip(session), ...session.labels.values()]
  const named = await entriesNamed(reader, look, new Set(ends.filter((oid) => oid !== undefined)))
  return treeOf(reader, look, { session, filter, named, isWhole: false })
}

/** Returns the whole tree of a session. Reads the ends of all its paths. */
export async function wholeTree(
  reader: Reader,
  look: LookAt,
  session: SessionState,
  filter: GraphFilter,
): Promise<Tree> {
  const named = await entriesNamed(reader, look, namedOids(session, filter))
  return treeOf(reader, look, { session, filter, named, isWhole: true })
}

interface TreeInput {
  readonly session: SessionState
  readonly filter: GraphFilter
  readonly named: NamedEntries
  readonly isWhole: boolean
}

async function treeOf(
  reader: Reader,
  look: LookAt,
  { session, filter, named, isWhole }: TreeInput,
): Promise<Tree> {
  const { handles, placed } = named
  const bare = filter === 'labeled-only'
  const [mainOid, tip] = [mainOf(session), readableTip(session)]
  const main = mainOid && handles.get(mainOid)
  const shape = new TreeShape(look, { tracksChanges: true })
  const counts = new PieceCounts()
  const ends = isWhole ? byDepth(placed, main) : main === undefined ? [] : [main]
  for (const end of ends) {
    await shape.add(end)
    await counts.countChanged(look, shape, filter)
  }
  const callers = bare
    ? NO_CALLERS
    : await callersIn(reader, [withoutRefs(session)], new SubagentFinder(reader))
  if (!bare) {
    await shape.markShape()
    for (const caller of callers.keys()) await shape.mark(caller)
  }
  if (!isWhole) for (const handle of handles.values()) await shape.mark(handle)
  await counts.countRest(look, shape, filter)
  const head = tip === undefined ? undefined : handles.get(tip)
  return { shape, counts, names: new TreeNames(session, handles), callers, head, isWhole }
}

/** Returns how many entries the logs of a session have. */
export const entriesOf = ({ meta, source, natives }: SessionState): number =>
  [...natives.values()].reduce(
    (sum, { entries }) => sum + entries,
    (meta.fork?.entries ?? 0) + (source?.entries ?? 0),
  )

/** Returns a session as rows need it: its refs may take much memory. */
export const withoutRefs = (session: SessionState): SessionState => ({
  ...session,
  refs: [],
  branches: new Map(),
  labels: new Map(),
  source: session.source && { ...session.source, branches: {} },
})

const NO_CALLERS: ReadonlyMap<EntryHandle, SessionState> = new Map()

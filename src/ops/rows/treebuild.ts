import { byDepth, type Placed } from '../../graph/order.ts'
import type { Oid } from '../../model/encoding/oid.ts'
import type { GraphFilter } from '../../model/graphfilter.ts'
import type { EntryHandle } from '../../model/node.ts'
import {
  isWhole as hasAllBranches,
  MAIN,
  readableTip,
  type SessionTrunk,
  walkBranches,
} from '../../repo/session.ts'
import { callersIn, type GraphRef, isMarked, type LookAt, refsOf } from '../graphentry.ts'
import { SubagentFinder } from '../subagents.ts'
import { PieceCounts } from './treecounts.ts'
import { TreeNames } from './treenames.ts'
import type { TreeReading } from './treereading.ts'
import { TreeShape } from './treeshape.ts'

/** The tree of a session as a filter shows it. */
export interface Tree {
  readonly shape: TreeShape
  readonly counts: PieceCounts
  readonly names: TreeNames
  /** The entries that started sub-agents. */
  readonly callers: ReadonlyMap<EntryHandle, SessionTrunk>
  readonly head: EntryHandle | undefined
  /** Whether all paths of the session are in it. */
  readonly isWhole: boolean
}

/** Returns whether the tree of a session has at most so many paths. */
export function hasFewPaths(session: SessionTrunk, filter: GraphFilter, most: number): boolean {
  if (!hasAllBranches(session)) return false
  const oids = new Set<Oid>()
  for (const [oid, ref] of refsOf(session)) {
    if (filter !== 'labeled-only' || isMarked(ref)) oids.add(oid)
    if (oids.size > most) return false
  }
  return true
}

/** Returns the end of the path that is drawn straight. */
const mainOf = (session: SessionTrunk): Oid | undefined =>
  session.someBranches.get(MAIN) ?? readableTip(session)

/** Refs of a session that name entries, with their oids. */
type Refs = readonly (readonly [Oid, GraphRef])[]

/** Returns the refs of a session that name entries, of very many branches only some. */
const refsOfTrunk = (session: SessionTrunk): Refs => [
  ...refsOf({ ...session, branches: session.someBranches }),
]

/**
 * The number of branches that are looked up together. More share the pages of their entries; fewer let a key pass sooner
 * (of half a million, all are looked up in half the time, and a key takes five times as long).
 */
const PART = 512

/** Yields all refs of a session that name entries, of very many branches a part at a time. */
async function* allRefs({ reader, pause }: TreeReading, session: SessionTrunk): AsyncGenerator<Refs> {
  if (hasAllBranches(session)) {
    yield refsOfTrunk(session)
    return
  }
  yield [...refsOf({ ...session, branches: new Map() })]
  let part = new Map<string, Oid>()
  for await (const [name, oid] of walkBranches(reader, session.id)) {
    part.set(name, oid)
    if (part.size < PART) continue
    yield branchRefs(session, part)
    part = new Map()
    await pause()
  }
  yield branchRefs(session, part)
}

/** Returns the refs of some branches of a session. */
const branchRefs = (session: SessionTrunk, branches: ReadonlyMap<string, Oid>): Refs =>
  [...refsOf({ ...session, branches, labels: new Map() })].filter(([, { kind }]) => kind === 'branch')

/** Returns the tree of the straight path and of those to some other entries, with their compactions and merges. */
export async function mainTree(
  reading: TreeReading,
  session: SessionTrunk,
  filter: GraphFilter,
  others: readonly Oid[] = [],
): Promise<Tree> {
  const ends = [mainOf(session), readableTip(session), ...session.labels.values(), ...others]
  const wanted = new Set(ends.filter((oid) => oid !== undefined))
  const names = await TreeNames.read(reading, session.id, [refsOfTrunk(session)], wanted)
  return treeOf(reading, { session, filter, names, isWhole: false, others })
}

/** Returns the whole tree of a session. Reads the ends of all its paths. */
export async function wholeTree(
  reading: TreeReading,
  session: SessionTrunk,
  filter: GraphFilter,
): Promise<Tree> {
  const marked = refsOfTrunk(session).flatMap(([oid, ref]) => (isMarked(ref) ? [oid] : []))
  const wanted = filter === 'labeled-only' ? new Set(marked) : undefined
  const names = await TreeNames.read(reading, session.id, allRefs(reading, session), wanted)
  return treeOf(reading, { session, filter, names, isWhole: true })
}

interface TreeInput {
  readonly session: SessionTrunk
  readonly filter: GraphFilter
  readonly names: TreeNames
  readonly isWhole: boolean
  /** Of a tree that is not whole: the entries that have paths besides the straight one. */
  readonly others?: readonly Oid[]
}

async function treeOf(
  { reader, look }: TreeReading,
  { session, filter, names, isWhole, others = [] }: TreeInput,
): Promise<Tree> {
  const bare = filter === 'labeled-only'
  const [mainOid, tip] = [mainOf(session), readableTip(session)]
  const main = mainOid && (await reader.find(mainOid))
  const shape = new TreeShape(look, { tracksChanges: true })
  const counts = new PieceCounts()
  const some = [...(main === undefined ? [] : [main]), ...(await reader.findMany(others)).values()]
  const ends = byDepth(await placed(look, isWhole ? names.entries() : some), main)
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
  if (!isWhole) for (const handle of names.entries()) await shape.mark(handle)
  await counts.countRest(look, shape, filter)
  const head = tip === undefined ? undefined : await reader.find(tip)
  return { shape, counts, names, callers, head, isWhole }
}

/** Returns entries with their places in the graph. */
async function placed(look: LookAt, entries: Iterable<EntryHandle>): Promise<Placed<EntryHandle>[]> {
  const found: Placed<EntryHandle>[] = []
  for (const node of entries) {
    const { depth, order } = await look(node)
    found.push({ node, depth, order })
  }
  return found
}

/** Returns how many entries the logs of a session have. */
export const entriesOf = ({ meta, source, natives }: SessionTrunk): number =>
  [...natives.values()].reduce(
    (sum, { entries }) => sum + entries,
    (meta.fork?.entries ?? 0) + (source?.entries ?? 0),
  )

/** Returns a session as rows need it: its refs may take much memory. */
export const withoutRefs = ({
  id,
  meta,
  head,
  hasHead,
  unsound,
  source,
  natives,
  exports,
}: SessionTrunk): SessionTrunk => ({
  ...{ id, meta, head, hasHead, unsound, natives, exports },
  source: source && { ...source, branches: {} },
  someBranches: new Map(),
  labels: new Map(),
  files: new Map(),
})

const NO_CALLERS: ReadonlyMap<EntryHandle, SessionTrunk> = new Map()

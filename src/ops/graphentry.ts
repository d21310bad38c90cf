import type { Oid } from '../model/encoding/oid.ts'
import { addTo } from '../model/lists.ts'
import type { EntryHandle, Node } from '../model/node.ts'
import { shortIds } from '../model/shortid.ts'
import { minus, type Weight } from '../model/tokens.ts'
import type { Reader } from '../repo/reader.ts'
import type { RecordFinder } from '../repo/records.ts'
import type { Repo } from '../repo/repo.ts'
import { shortestPrefix } from '../repo/revision.ts'
import { readableTip, type SessionState, type SessionTrunk, wholeSession } from '../repo/session.ts'
import { type LogEntry, logEntry } from './entries.ts'
import type { Listed } from './list.ts'
import { SubagentFinder } from './subagents.ts'

/** A ref of a session that names an entry; `HEAD` only if it is detached. */
export interface GraphRef {
  readonly kind: 'branch' | 'label' | 'head'
  readonly name: string
  readonly session: string
  /** Whether it is the branch of its session's HEAD, or that HEAD. */
  readonly current: boolean
}

/** The entries that are left out between two entries of a path. */
export interface Elided extends Pick<Weight, 'calls' | 'tokens'> {
  readonly entries: number
}

/** A line of a graph from an entry to the next one up its path that is drawn. */
export interface Edge {
  readonly oid: Oid
  readonly elided: Elided | null
}

/** An entry as a graph shows it. */
export interface GraphEntry extends LogEntry {
  /** First the one along its first parent. */
  readonly edges: readonly Edge[]
  /** Whether it continues what is not drawn at all. */
  readonly open: boolean
  readonly refs: readonly GraphRef[]
  /** Whether it is the session's tip. */
  readonly head: boolean
  readonly compacts: boolean
  /** How many of its oid's first digits name it alone, where that was asked for. */
  readonly digits?: number
}

/** The heading of a graph: its sessions, the first one first, and the tip of its main path. */
export interface GraphHeading {
  readonly sessions: readonly Listed[]
  /** For each of them the beginning of its id that names it alone. */
  readonly short: ReadonlyMap<string, string>
  /** The tip of the path that is drawn straight. */
  readonly main: Oid
}

/** Returns for each session whose refs are drawn the beginning of its id that names it alone among them. */
export const shortIn = ({ names }: GraphScene): ReadonlyMap<string, string> =>
  shortIds([...new Set([...names.values()].flatMap((refs) => refs.map(({ session }) => session)))])

/** Returns whether a ref is a label, or that of a session's HEAD. */
export const isMarked = ({ kind, current }: GraphRef): boolean => kind === 'label' || current

/** Returns the refs of some sessions by the entries that they name. Refs of missing entries are left out; fsck reports them. */
async function namesOf(
  reader: Reader,
  sessions: readonly SessionTrunk[],
): Promise<ReadonlyMap<EntryHandle, readonly GraphRef[]>> {
  const refs = new Map<Oid, GraphRef[]>()
  for (const session of sessions)
    for (const [oid, ref] of refsOf(await wholeSession(reader, session))) addTo(refs, oid, ref)
  const names = new Map<EntryHandle, readonly GraphRef[]>()
  for (const [oid, handle] of await reader.findMany(refs.keys())) names.set(handle, refs.get(oid) ?? [])
  return names
}

/** A session with the branches of which refs are asked. */
type NamingRefs = Pick<SessionState, 'id' | 'head' | 'branches' | 'labels'>

/** Yields the refs of a session that name entries, with their oids. */
export function* refsOf({ id, head, branches, labels }: NamingRefs): Generator<[Oid, GraphRef]> {
  const ref = (kind: GraphRef['kind'], name: string, current = false): GraphRef => ({
    kind,
    name,
    session: id,
    current,
  })
  if ('oid' in head && head.oid !== null) yield [head.oid, ref('head', 'HEAD', true)]
  for (const [name, oid] of branches)
    yield [oid, ref('branch', name, 'branch' in head && head.branch === name)]
  for (const [name, oid] of labels) yield [oid, ref('label', name)]
}

/** Returns the line from an entry to one of its ancestors along first parents. */
export async function edgeTo(reader: Reader, newer: EntryHandle, older: EntryHandle): Promise<Edge> {
  const [above, below] = [await reader.node(newer), await reader.node(older)]
  const entries = above.depth - below.depth - 1
  const oid = await reader.oid(older)
  if (entries === 0) return { oid, elided: null }
  const { weight } = await reader.node(above.parents[0] as EntryHandle)
  const { calls, tokens } = minus(weight, below.weight)
  return { oid, elided: { entries, calls, tokens } }
}

/** Returns an entry without its body. */
export type LookAt = (handle: EntryHandle) => Node | Promise<Node>

/** The number of looks after which other events run: some milliseconds. */
const LOOKS_PER_YIELD = 2000

/** The data that all entries of a graph need. */
export interface GraphScene {
  /** Looks at entries, and lets other events run now and then: cached reads would not. */
  readonly look: LookAt
  readonly names: ReadonlyMap<EntryHandle, readonly GraphRef[]>
  /** The entries that started sub-agents, with their sessions. */
  readonly callers: ReadonlyMap<EntryHandle, SessionTrunk>
  readonly agents: SubagentFinder
  /** The session of the graph, and its tip. */
  readonly session: SessionTrunk | undefined
  readonly head: EntryHandle | undefined
  /** Finds the times of entries, children before parents. Without it there are no times. */
  readonly finder?: Pick<RecordFinder, 'find'>
  /** Whether to determine the number of digits that make each oid unique, which takes two seeks each. */
  readonly digits?: boolean
}

/** The part of its scene that one entry of a graph needs. */
export type EntryScene = Omit<GraphScene, 'look' | 'names'> & {
  readonly names: Pick<GraphScene['names'], 'get'>
}

/** Returns what a graph of some sessions shows; `session` is the one whose place is marked. */
export async function sceneOf(
  repo: Repo,
  reader: Reader,
  sessions: readonly SessionTrunk[],
  session: SessionTrunk | undefined,
): Promise<GraphScene> {
  const tip = session && readableTip(session)
  const head = tip === undefined ? undefined : await reader.find(tip)
  const agents = new SubagentFinder(reader)
  return {
    look: yieldingLook(repo, reader),
    names: await namesOf(reader, sessions),
    callers: await callersIn(reader, sessions, agents),
    agents,
    session,
    head,
  }
}

/** Returns the entries of some sessions that started sub-agents. Missing ones are left out. */
export async function callersIn(
  reader: Reader,
  sessions: readonly SessionTrunk[],
  agents: SubagentFinder,
): Promise<ReadonlyMap<EntryHandle, SessionTrunk>> {
  const callers = new Map<EntryHandle, SessionTrunk>()
  for (const session of sessions) {
    if (!session.meta.agents) continue
    for (const handle of (await reader.findMany(agents.startedBy(session).keys())).values())
      callers.set(handle, session)
  }
  return callers
}

/** Returns a way to look at entries that lets signals in now and then. */
export function yieldingLook(repo: Repo, reader: Reader): LookAt {
  let looks = 0
  return (handle) =>
    ++looks % LOOKS_PER_YIELD === 0
      ? repo.yieldToEvents().then(() => reader.node(handle))
      : reader.node(handle)
}

/** Returns an entry as a graph shows it. */
export async function graphEntry(
  reader: Reader,
  handle: EntryHandle,
  edges: readonly Edge[],
  { names, callers, agents, session, head, finder, digits }: EntryScene,
  open = false,
): Promise<GraphEntry> {
  const entry = await logEntry(reader, handle, session, await finder?.find(handle))
  const subagents = await agents.of(callers.get(handle), entry.oid)
  // A copy of so many fields takes longer than reading the entry.
  return Object.assign(entry, {
    edges,
    open,
    refs: names.get(handle) ?? [],
    head: handle === head,
    compacts: entry.view.effect?.kind === 'compaction',
    ...(subagents && { subagents }),
    ...(digits && { digits: await shortestPrefix(reader, entry.oid) }),
  })
}

import { ancestor, path } from '../graph/walk.ts'
import type { GraphFilter } from '../model/graphfilter.ts'
import type { EntryHandle, Node } from '../model/node.ts'
import type { Oid } from '../model/oid.ts'
import { shortIds } from '../model/shortid.ts'
import { promptIn } from '../model/summary.ts'
import { minus, type Weight } from '../model/tokens.ts'
import { roleOf, textOf } from '../model/view.ts'
import type { Reader } from '../repo/reader.ts'
import type { RecordFinder } from '../repo/records.ts'
import type { Repo } from '../repo/repo.ts'
import { shortestPrefix } from '../repo/revision.ts'
import { type Session, tipOf } from '../repo/session.ts'
import { type LogEntry, logEntry, viewAt } from './entries.ts'
import type { Listed } from './list.ts'

/** A ref of a session that names an entry; `HEAD` where a session stands detached. */
export interface NamedRef {
  readonly kind: 'branch' | 'label' | 'head'
  readonly name: string
  readonly session: string
  /** Whether its session stands on it. */
  readonly current: boolean
}

/** What is left out between two entries of a path. */
export interface Elided extends Weight {
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
  readonly refs: readonly NamedRef[]
  /** Whether it is where the session stands. */
  readonly head: boolean
  readonly compacts: boolean
  /** How many of its oid's first digits name it alone, where that was asked for. */
  readonly digits?: number
}

/** What stands above a graph: the sessions that it shows, the one that it began with first, and where that leads. */
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

/** Returns whether a ref is one that a user set to find an entry again, or where a session stands. */
export const isMarked = ({ kind, current }: NamedRef): boolean => kind === 'label' || current

/** Returns by entry the refs of some sessions that name it. Refs whose entries are missing are fsck's to tell. */
async function namesOf(
  reader: Reader,
  sessions: readonly Session[],
): Promise<ReadonlyMap<EntryHandle, readonly NamedRef[]>> {
  const refs = new Map<Oid, NamedRef[]>()
  for (const session of sessions)
    for (const [oid, ref] of refsOf(session)) {
      const before = refs.get(oid)
      if (before) before.push(ref)
      else refs.set(oid, [ref])
    }
  const names = new Map<EntryHandle, readonly NamedRef[]>()
  for (const [oid, handle] of await reader.findMany(refs.keys())) names.set(handle, refs.get(oid) ?? [])
  return names
}

function* refsOf({ id, head, branches, labels }: Session): Generator<[Oid, NamedRef]> {
  const ref = (kind: NamedRef['kind'], name: string, current = false): NamedRef => ({
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
  return { oid, elided: { entries, ...minus(weight, below.weight) } }
}

/** Returns what is known of an entry without its body. */
export type LookAt = (handle: EntryHandle) => Node | Promise<Node>

/** So many entries are looked at in one breath: some milliseconds. */
const LOOKS_PER_YIELD = 2000

/** What a graph shows of all its entries. */
export interface GraphScene {
  /** Looks at entries, and breathes now and then: reads that are at hand let no signal in. */
  readonly look: LookAt
  readonly names: ReadonlyMap<EntryHandle, readonly NamedRef[]>
  /** The session whose graph it is, and where it stands. */
  readonly session: Session | undefined
  readonly head: EntryHandle | undefined
  /** Finds the times of entries, which are asked for with children before parents; without it none are told. */
  readonly finder?: Pick<RecordFinder, 'find'>
  /** Whether to tell how many digits of an oid name it alone: that takes two seeks each. */
  readonly digits?: boolean
}

/** Returns what a graph of some sessions shows; `session` is the one whose place is marked. */
export async function sceneOf(
  repo: Repo,
  reader: Reader,
  sessions: readonly Session[],
  session: Session | undefined,
): Promise<GraphScene> {
  const tip = session && tipOf(session)
  const head = tip === undefined ? undefined : await reader.find(tip)
  return { look: yieldingLook(repo, reader), names: await namesOf(reader, sessions), session, head }
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
  { names, session, head, finder, digits }: GraphScene,
  open = false,
): Promise<GraphEntry> {
  const entry = await logEntry(reader, handle, session, await finder?.find(handle))
  return {
    ...entry,
    edges,
    open,
    refs: names.get(handle) ?? [],
    head: handle === head,
    compacts: entry.view.effect?.kind === 'compaction',
    ...(digits && { digits: await shortestPrefix(reader, entry.oid) }),
  }
}

/** By default so many of the newest prompts of a stretch are drawn, and the first one. */
const NEWEST = 2

/** A prompt is looked for among so many entries from the end of a stretch, and so many from its beginning. */
const FROM_END = 1000
const FROM_BEGINNING = 40

/**
 * Gives the entries that are drawn between two on a path, the newest first. By default that takes a bounded number of
 * looks however many entries lie between, else it looks at each of them.
 */
export async function* drawnBetween(
  reader: Reader,
  look: LookAt,
  [newer, older]: readonly [EntryHandle, EntryHandle],
  filter: GraphFilter,
): AsyncGenerator<EntryHandle> {
  if (filter === 'labeled-only') return
  const lowest = (await look(older)).depth
  const length = (await look(newer)).depth - lowest - 1
  let seen = 0
  let found = 0
  let last = newer
  for await (const handle of path(newer, look)) {
    if (handle === newer) continue
    if (handle === older || (filter === 'default' && (found === NEWEST || seen === FROM_END))) break
    seen++
    if (!(await isDrawn(reader, handle, filter))) continue
    found++
    last = handle
    yield handle
  }
  if (filter !== 'default' || seen === length) return
  const left = Math.min(FROM_BEGINNING, (await look(last)).depth - lowest - 1, length - seen)
  for (let steps = length; steps > length - left; steps--) {
    const handle = (await ancestor(newer, steps, look)) as EntryHandle
    if (await isDrawn(reader, handle, filter)) {
      yield handle
      return
    }
  }
}

/** Tells whether an entry that gives the tree no shape is drawn. Reads its body only where its role leaves it open. */
export async function isDrawn(reader: Reader, handle: EntryHandle, filter: GraphFilter): Promise<boolean> {
  if (filter === 'all') return true
  const role = roleOf((await reader.node(handle)).traits)
  if (role !== 'user' && (filter !== 'no-tools' || role !== 'assistant')) return false
  const view = await viewAt(reader, handle)
  return role === 'user' ? promptIn(view) !== undefined : (textOf(view) ?? '').trim() !== ''
}

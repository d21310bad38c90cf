import { type Newness, newestFirst, sortByNewness } from '../graph/order.ts'
import { groupBranches, simplifyGraph } from '../graph/tree.ts'
import { isOnPath, path, reachable } from '../graph/walk.ts'
import type { GraphFilter } from '../model/graphfilter.ts'
import type { EntryHandle } from '../model/node.ts'
import type { LogId } from '../model/record.ts'
import { COMPACTS } from '../model/view.ts'
import { lookIn, type Reader } from '../repo/reader.ts'
import { RecordFinder, type RecordLocation } from '../repo/records.ts'
import type { Repo } from '../repo/repo.ts'
import { resolve, resolveSession } from '../repo/revision.ts'
import { logsOf, type SessionTrunk } from '../repo/session.ts'
import { type LogEntry, logEntry, PathRecords, tipsOf } from './entries.ts'
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
import { entryTest, type LogFilter } from './logfilter.ts'
import { Outputs, withWholeResults } from './outputs.ts'
import { rangeEnds, rangeOf } from './revisionrange.ts'
import { isShownBy } from './rows/treefilter.ts'
import { SubagentFinder } from './subagents.ts'
import { drawing } from './tree.ts'
import { AddedUsage, RecordsAhead } from './usage.ts'

/** Which entries a log has, and in which order. */
export interface LogOptions extends LogFilter {
  /** At most this many entries, the newest ones. */
  readonly limit?: number
  /** The entries of all branches of the session, each once. */
  readonly all?: boolean
  /** Parents before children. */
  readonly reverse?: boolean
  /** Show whole results, also of those that are in files beside the session. */
  readonly whole?: boolean
  /** Find what the entries add to their model calls. */
  readonly usage?: boolean
}

/** The entries of a log: those that tips reach and the excluded ones do not. The times come from the session's records. */
export interface LogSelection {
  readonly tips: readonly EntryHandle[]
  readonly excluded: readonly EntryHandle[]
  readonly session: SessionTrunk | undefined
}

/**
 * Yields the entries that a revision or a range (`A..B`, `A...B`) reaches, children before parents, else the newest
 * record first. Parents come first with `reverse`.
 */
export const log = (repo: Repo, revision: string, options: LogOptions = {}): AsyncGenerator<LogEntry> =>
  repo.stream(async function* (reader) {
    const selection = await selectionOf(reader, revision, options.all ?? false)
    yield* entriesOf(reader, selection.session, handlesOf(reader, selection), options, repo.env.cwd)
  })

/** Yields the entries of some handles, children before parents, that the options select. */
export async function* entriesOf(
  reader: Reader,
  session: SessionTrunk | undefined,
  handles: AsyncIterable<EntryHandle>,
  options: LogOptions,
  cwd: string,
): AsyncGenerator<LogEntry> {
  const finder = new PathRecords(reader, session)
  const [outputs, agents] = [new Outputs(reader), new SubagentFinder(reader)]
  const ahead = new RecordsAhead((handle) => finder.find(handle))
  const added = options.usage ? new AddedUsage(reader, ahead.peek) : undefined
  const holds = entryTest(options, cwd)
  const whole = (entry: LogEntry): Promise<LogEntry> => withWholeResults(entry, outputs)
  const read = async (
    handle: EntryHandle,
    found: RecordLocation | undefined,
    isLast = true,
  ): Promise<LogEntry> => {
    const asked = { agents, ...(isLast && { added }) }
    const entry = await logEntry(reader, handle, session, found, asked)
    return options.whole ? whole(entry) : entry
  }
  const last: { readonly handle: EntryHandle; readonly found: RecordLocation | undefined }[] = []
  let left = options.limit ?? Number.POSITIVE_INFINITY
  try {
    for await (const handle of handles) {
      if (left <= 0) break
      // Parents come after their children, or are all held.
      const found = options.reverse ? await ahead.peek(handle) : await ahead.find(handle)
      if (options.reverse && !holds) last.push({ handle, found })
      else {
        // The usage that an entry adds is asked once, in the order of the output.
        const entry = await read(handle, found, !options.reverse)
        // Called with children before parents.
        if (holds && !holds(options.grep ? await whole(entry) : entry, session)) continue
        if (options.reverse) last.push({ handle, found })
        else yield entry
      }
      left--
    }
    // Entries are read again rather than held: their bodies may be large.
    for (const { handle, found } of last.reverse()) yield await read(handle, found)
  } finally {
    await finder.close()
  }
}

/** Returns the entries that a log of a revision, of a range, or of all branches of a session covers. */
export async function selectionOf(reader: Reader, revision: string, all: boolean): Promise<LogSelection> {
  if (all) {
    const session = await resolveSession(reader, revision)
    return { tips: await tipsOf(reader, session), excluded: [], session }
  }
  const range = await rangeOf(reader, revision)
  if (!range) {
    const { handle, session } = await resolve(reader, revision)
    return { tips: [handle], excluded: [], session }
  }
  const { tips, hidden } = await rangeEnds(reader, range)
  return { tips, excluded: hidden, session: range.right.session ?? range.left.session }
}

/** Returns the tip of a selection that is a single history without merges; undefined of any other. */
export async function singleTip(
  reader: Reader,
  { tips, excluded }: LogSelection,
): Promise<EntryHandle | undefined> {
  const [tip] = tips
  if (tip === undefined || tips.length > 1 || excluded.length > 0) return undefined
  return (await reader.node(tip)).merge === undefined ? tip : undefined
}

/** Yields the entries of a selection: a single history as it is, anything else in order. */
export async function* handlesOf(reader: Reader, selection: LogSelection): AsyncGenerator<EntryHandle> {
  const look = lookIn(reader)
  const tip = await singleTip(reader, selection)
  if (tip !== undefined) {
    yield* path(tip, look)
    return
  }
  const { tips, excluded, session } = selection
  const newness = newnessIn(reader, session)
  if (excluded.length === 0) yield* newestFirst(tips, look, newness)
  else yield* await sortByNewness(await reachable(tips, look, excluded), look, newness.of)
}

/** Returns how new the newest records of entries in a session are; 0 without a record. */
function newnessIn(reader: Reader, session: SessionTrunk | undefined): Newness<EntryHandle> {
  const logs = session ? logsOf(session) : []
  /** The number of records of older logs, by log. */
  const before = new Map<LogId, number>()
  let records = 0
  for (const [name, count] of logs.toReversed()) {
    before.set(name, records)
    records += count
  }
  const placeOf = (name: LogId, position: number): number => (before.get(name) as number) + position
  const finder = new RecordFinder(reader, logs)
  return {
    atMost: async (handle) => {
      for (const [name, count] of logs) {
        const [last] = await reader.recordRanges(name, count, handle)
        if (last) return placeOf(name, last.to)
      }
      return 0
    },
    of: async (handle) => {
      const found = await finder.find(handle)
      return found ? placeOf(found.log, found.position + 1) : 0
    },
  }
}

export interface LogGraphOptions {
  /** Draw each entry of all branches of the session once. */
  readonly all?: boolean
  readonly filter?: GraphFilter
  /** Determine the number of digits that make each oid unique. */
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
): AsyncGenerator<GraphHeading | GraphEntry> {
  yield* repo.stream(async function* (reader) {
    const selection = await selectionOf(reader, revision, all)
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

/** Returns tips, and on the path of the first of them what refs name and what started sub-agents. */
async function withNamed(
  reader: Reader,
  tips: readonly EntryHandle[],
  { names, callers }: GraphScene,
): Promise<EntryHandle[]> {
  const handles = new Set(tips)
  const [tip] = tips
  for (const handle of tip === undefined ? [] : [...names.keys(), ...callers.keys()])
    if (await isOnPath(handle, tip as EntryHandle, lookIn(reader))) handles.add(handle)
  return [...handles]
}

async function isShown(
  reader: Reader,
  handle: EntryHandle,
  { names, callers }: GraphScene,
  filter: GraphFilter,
): Promise<boolean> {
  const refs = names.get(handle) ?? []
  if (filter === 'labeled-only') return refs.some(isMarked)
  if (refs.length > 0 || callers.has(handle) || (await reader.node(handle)).traits & COMPACTS) return true
  return isShownBy(lookIn(reader), handle, filter)
}

/** Draws any entries as a graph, joined over what is left out between them; the newest of the first path is drawn straight. */
export async function* graphOf(
  reader: Reader,
  handles: readonly EntryHandle[],
  scene: GraphScene,
): AsyncGenerator<GraphHeading | GraphEntry> {
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
        place === 0 && (await isOnPath(parent, handle, lookIn(reader)))
          ? await edgeTo(reader, handle, parent)
          : { oid: await reader.oid(parent), elided: null },
      )
    const open = edges.length === 0 && (await look(handle)).parents.length > 0
    yield graphEntry(reader, handle, edges, scene, open)
  }
}

/** Puts the parent on an entry's own path before the others. */
async function firstParentFirst(
  reader: Reader,
  handle: EntryHandle,
  parents: readonly EntryHandle[],
): Promise<readonly EntryHandle[]> {
  if (parents.length < 2) return parents
  for (const parent of parents)
    if (await isOnPath(parent, handle, lookIn(reader)))
      return [parent, ...parents.filter((other) => other !== parent)]
  return parents
}

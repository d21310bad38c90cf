import { ancestor } from '../../graph/walk.ts'
import { isOid, type Oid } from '../../model/encoding/oid.ts'
import { type EntryHandle, NEAR } from '../../model/node.ts'
import type { OperationLog } from '../../model/operation.ts'
import { GRAFTS, metaRef, parseSessionRef, type RefName } from '../../model/refname.ts'
import { COMPACTS } from '../../model/view.ts'
import type { Reader } from '../../repo/reader.ts'
import { findMeta } from '../../repo/session.ts'
import type { Tree } from './treebuild.ts'

/** The moment that a tree shows. */
export interface TreeState {
  readonly session: string
  readonly reader: Reader
  /** The newest operation, which may take further moves, and the number of commits. */
  readonly operation: number
  readonly commits: number
  /** Entries whose handles tell whether another opening of the database names entries alike. */
  readonly anchors: readonly (readonly [oid: Oid, handle: EntryHandle])[]
  /** How many sub-agents the session names. */
  readonly agents: number
}

/** The refs of the session that moved since; `other` where the tree must be read anew. */
export type Growth = ReadonlyMap<RefName, { readonly kind: string; readonly name: string }> | 'none' | 'other'

/** After more operations than this, a tree is read anew. */
const MAX_OPERATIONS = 1000

/** Returns the moment that a tree shows, by the operation log as it was before the tree was read. */
export async function treeState(
  reader: Reader,
  session: string,
  { shape }: Tree,
  { latest, commits }: Pick<OperationLog, 'latest' | 'commits'>,
): Promise<TreeState> {
  const { agents = {} } = (await findMeta(reader, session)) ?? {}
  const anchors: (readonly [Oid, EntryHandle])[] = []
  for (const handle of new Set([shape.mainTip, shape.newestStop]))
    anchors.push([await reader.oid(handle), handle])
  return { session, reader, operation: latest, commits, anchors, agents: Object.keys(agents).length }
}

/** Returns how a session grew since a moment. */
export async function readGrowth(reader: Reader, state: TreeState): Promise<Growth> {
  if (reader.isPast) return state.reader === reader ? 'none' : 'other'
  if (state.reader !== reader)
    for (const [oid, handle] of state.anchors) if ((await reader.find(oid)) !== handle) return 'other'
  const { latest, commits, dropped } = await reader.operationLog()
  if (commits === state.commits) return state.reader === reader ? 'none' : new Map()
  if (latest - state.operation > MAX_OPERATIONS || dropped.operation > state.operation) return 'other'
  const moved = new Map<RefName, { readonly kind: string; readonly name: string }>()
  for (let number = Math.max(1, state.operation); number <= latest; number++) {
    const operation = await reader.operation(number)
    if (!operation) return 'other'
    for (const { name } of operation.moves) {
      if (name.startsWith(GRAFTS)) return 'other'
      const parsed = parseSessionRef(name)
      if (parsed?.session === state.session) moved.set(name, { kind: parsed.kind, name: parsed.name ?? '' })
    }
  }
  if (!moved.has(metaRef(state.session))) return moved
  const { agents = {} } = (await findMeta(reader, state.session)) ?? {}
  return Object.keys(agents).length === state.agents ? moved : 'other'
}

/**
 * Adds to a tree what refs that moved name now. Returns undefined where the tree does more than grow: it must be read anew.
 */
export async function growTree(
  reader: Reader,
  session: string,
  tree: Tree,
  moved: Exclude<Growth, string>,
): Promise<Tree | undefined> {
  let { head } = tree
  for (const [refName, { kind, name }] of moved) {
    if (kind === 'HEAD' || kind === 'labels') return undefined
    if (kind !== 'branches') continue
    const value = await reader.ref(refName)
    const to = typeof value === 'string' && isOid(value) ? await reader.find(value) : undefined
    if (to === undefined) return undefined
    const from = tree.names.branch(name)
    if (from === to) continue
    if (!(await isPlain(reader, from, to))) return undefined
    if (from === undefined) {
      if (tree.shape.hasMerges) return undefined
      await tree.shape.add(to)
      tree.names.add(to, { kind: 'branch', name, session, current: false })
      continue
    }
    const piece = await tree.shape.find(from)
    if (piece === undefined || !tree.shape.isTip(piece) || tree.shape.childrenOf(piece).length > 0)
      return undefined
    tree.names.move(name, from, to)
    const { traits } = await reader.node(from)
    const stays = tree.names.get(from) !== undefined || tree.callers.has(from) || (traits & COMPACTS) !== 0
    if (stays && tree.shape.hasMerges) return undefined
    await tree.shape.extend(to, piece, stays)
    if (head === from) head = to
  }
  return { ...tree, head }
}

const COMPACTION = NEAR.indexOf(COMPACTS)

/** Returns whether an entry continues another, if one is given, and nothing between shapes the tree. */
async function isPlain(reader: Reader, from: EntryHandle | undefined, to: EntryHandle): Promise<boolean> {
  const { near, merge, depth, parents } = await reader.node(to)
  if (from === undefined) return near[COMPACTION] === undefined && merge === undefined
  const before = await reader.node(from)
  return (
    parents.length > 0 &&
    before.near[COMPACTION] === near[COMPACTION] &&
    before.merge === merge &&
    (await ancestor(to, depth - before.depth, (handle) => reader.node(handle))) === from
  )
}

import { isNode } from './file.ts'
import type {
  BranchComparison,
  BranchDifference,
  BranchInfo,
  BranchMetrics,
  DashFileEntry,
  DashSessionEntry,
  DashSessionTreeNode,
} from './types.ts'

/** The branch that a session begins with. */
export const MAIN = 'main'

interface BranchState {
  readonly name: string
  readonly createdAt: string
  /** The first entry that is its own. */
  root: string | null
  leaf: string | null
  /** The number of its own entries. */
  count: number
}

/**
 * A session of Dash in memory. An entry belongs to the branch whose `branch_point` is nearest above it, so that a file
 * returns the leaf of each branch.
 */
export class DashState {
  readonly entries: DashSessionEntry[] = []
  readonly #byId = new Map<string, DashSessionEntry>()
  readonly #children = new Map<string | null, DashSessionEntry[]>()
  readonly #labels = new Map<string, string>()
  readonly #branches = new Map<string, BranchState>()
  /** The branch that each entry belongs to. */
  readonly #branchOf = new Map<string, BranchState>()
  /** The branch of the newest entry. */
  newest = MAIN

  constructor(records: readonly DashFileEntry[], createdAt: string) {
    this.#branches.set(MAIN, { name: MAIN, createdAt, root: null, leaf: null, count: 0 })
    for (const record of records) if (isNode(record)) this.add(record)
  }

  /** Adds an entry; of several with one id the first counts. */
  add(entry: DashSessionEntry): void {
    if (this.#byId.has(entry.id)) return
    const parentId = this.#parentOf(entry)
    const branch = this.#placeOf(entry, parentId)
    this.entries.push(entry)
    this.#byId.set(entry.id, entry)
    const siblings = this.#children.get(parentId)
    if (siblings) siblings.push(entry)
    else this.#children.set(parentId, [entry])
    this.#branchOf.set(entry.id, branch)
    branch.root ??= entry.id
    branch.leaf = entry.id
    branch.count++
    this.newest = branch.name
    if (entry.type !== 'label') return
    if (entry.label) this.#labels.set(entry.targetId, entry.label)
    else this.#labels.delete(entry.targetId)
  }

  get(id: string): DashSessionEntry | undefined {
    return this.#byId.get(id)
  }

  label(id: string): string | undefined {
    return this.#labels.get(id)
  }

  hasBranch(name: string): boolean {
    return this.#branches.has(name)
  }

  /** Returns the leaf of a branch, null while it has none. Throws for an unknown branch. */
  leafOf(name: string): string | null {
    return this.#branch(name).leaf
  }

  /** Returns the branches in the order in which they were made. */
  branches(): BranchInfo[] {
    return [...this.#branches.keys()].map((name) => this.info(name))
  }

  /** Returns what is known of a branch. Throws where there is no such branch. */
  info(name: string): BranchInfo {
    const { root, leaf, count, createdAt } = this.#branch(name)
    return { id: name, name, rootEntryId: root, leafEntryId: leaf, entryCount: count, createdAt }
  }

  /** Returns the entries from a root to one. */
  path(to: string | null): DashSessionEntry[] {
    const path: DashSessionEntry[] = []
    for (let entry = this.#at(to); entry; entry = this.#at(this.#parentOf(entry))) path.push(entry)
    return path.reverse()
  }

  /** Returns the entries of a branch that are its own, the oldest first. */
  own(name: string): DashSessionEntry[] {
    const branch = this.#branch(name)
    return this.path(branch.leaf).filter(({ id }) => this.#branchOf.get(id) === branch)
  }

  /** Returns the children of an entry, those with the earliest times first. */
  children(id: string | null): DashSessionEntry[] {
    return [...(this.#children.get(id) ?? [])].sort((a, b) => byText(a.timestamp, b.timestamp))
  }

  tree(): DashSessionTreeNode[] {
    const node = (entry: DashSessionEntry, depth: number): DashSessionTreeNode => {
      const label = this.label(entry.id)
      return { entry, children: [], ...(label !== undefined && { label }), depth }
    }
    const roots = this.children(null).map((entry) => node(entry, 0))
    const open = [...roots]
    for (let next = open.pop(); next; next = open.pop()) {
      const { depth } = next
      next.children = this.children(next.entry.id).map((entry) => node(entry, depth + 1))
      for (const child of next.children) open.push(child)
    }
    return roots
  }

  #at(id: string | null): DashSessionEntry | undefined {
    return id === null ? undefined : this.#byId.get(id)
  }

  #branch(name: string): BranchState {
    const branch = this.#branches.get(name)
    if (!branch) throw new Error(`Branch ${name} not found`)
    return branch
  }

  /** A parent that was not read before is none: so cycles end. */
  #parentOf({ id, parentId }: DashSessionEntry): string | null {
    return parentId !== null && parentId !== id && this.#byId.has(parentId) ? parentId : null
  }

  #placeOf(entry: DashSessionEntry, parentId: string | null): BranchState {
    if (entry.type === 'branch_point' && !this.#branches.has(entry.branchName)) {
      const { branchName: name, timestamp: createdAt } = entry
      const branch: BranchState = { name, createdAt, root: null, leaf: null, count: 0 }
      this.#branches.set(name, branch)
      return branch
    }
    const above = parentId === null ? undefined : this.#branchOf.get(parentId)
    return above ?? this.#branch(MAIN)
  }
}

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Returns the totals of branches by their own entries, the differences of each two, and the one of the lowest cost. */
export function compared(
  branches: readonly { readonly info: BranchInfo; readonly own: readonly DashSessionEntry[] }[],
): BranchComparison {
  const all = branches.map(({ info, own }) => metricsOf(info, own))
  const differences: BranchDifference[] = []
  for (const [i, a] of all.entries())
    for (const b of all.slice(i + 1))
      differences.push(
        difference('cost', a, b, [a.totalCost, b.totalCost]),
        difference('tokens', a, b, [a.totalTokens, b.totalTokens]),
      )
  let best: BranchMetrics | undefined
  for (const one of all) if (!best || one.totalCost < best.totalCost) best = one
  return { branches: all, ...(best && { winner: best.branchId }), differences }
}

function metricsOf({ id, name, createdAt }: BranchInfo, own: readonly DashSessionEntry[]): BranchMetrics {
  const sum = (key: 'cost' | 'tokens'): number =>
    own.reduce((total, entry) => {
      const value = entry.type === 'message' ? entry.metadata?.[key] : undefined
      return typeof value === 'number' ? total + value : total
    }, 0)
  return {
    branchId: id,
    name,
    entryCount: own.length,
    totalCost: sum('cost'),
    totalTokens: sum('tokens'),
    lastActivity: own.at(-1)?.timestamp ?? createdAt,
  }
}

function difference(
  metric: BranchDifference['metric'],
  { branchId: branchA }: BranchMetrics,
  { branchId: branchB }: BranchMetrics,
  [a, b]: readonly [number, number],
): BranchDifference {
  const diff = b - a
  return { metric, branchA, branchB, diff, percentDiff: a === 0 ? 0 : (diff / a) * 100 }
}

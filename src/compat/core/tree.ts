import { randomUUID } from 'node:crypto'
import type { LabelEntry, SessionEntryBase } from './types.ts'

/** A node of a tree of entries, with the label of its entry and the time at which it was set (ISO 8601). */
export interface EntryTreeNode<E> {
  entry: E
  children: EntryTreeNode<E>[]
  label?: string | undefined
  labelTimestamp?: string | undefined
}

/** A label that is set on an entry, and since when (ISO 8601). */
export interface SetLabel {
  readonly targetId: string
  readonly label: string
  readonly timestamp: string
}

/**
 * The tree of a session over entries in pi's shape: entries by id, the labels that are set, and the leaf, below which the
 * next entry goes. The names of the fields are those that pi's own tests read.
 */
export abstract class EntryTree<E extends SessionEntryBase> {
  protected byId = new Map<string, E>()
  protected labelsById = new Map<string, string>()
  protected labelTimestampsById = new Map<string, string>()
  protected leafId: string | null = null

  /** Returns all entries, without the header, in a new list. */
  abstract getEntries(): E[]

  /** Forgets all entries. */
  protected clear(): void {
    this.byId = new Map()
    this.labelsById = new Map()
    this.labelTimestampsById = new Map()
    this.leafId = null
  }

  /** Adds an entry, which becomes the leaf. */
  protected note(entry: E): void {
    this.byId.set(entry.id, entry)
    this.leafId = entry.id
    if (!isLabel(entry)) return
    const { targetId, label, timestamp } = entry
    if (label) {
      this.labelsById.set(targetId, label)
      this.labelTimestampsById.set(targetId, timestamp)
    } else {
      this.labelsById.delete(targetId)
      this.labelTimestampsById.delete(targetId)
    }
  }

  /** Returns the id of the entry that will be the parent of the next one; null before the first. */
  getLeafId(): string | null {
    return this.leafId
  }

  getLeafEntry(): E | undefined {
    return this.leafId === null ? undefined : this.byId.get(this.leafId)
  }

  getEntry(id: string): E | undefined {
    return this.byId.get(id)
  }

  /** Returns the children of an entry in the order in which they were added. */
  getChildren(parentId: string): E[] {
    return [...this.byId.values()].filter((entry) => entry.parentId === parentId)
  }

  getLabel(id: string): string | undefined {
    return this.labelsById.get(id)
  }

  /** Returns the path from a root to an entry, the leaf by default; none if there is no such entry. */
  getBranch(fromId?: string): E[] {
    const id = fromId ?? this.leafId
    return pathTo(id ? this.byId.get(id) : undefined, this.byId)
  }

  /** Moves the leaf to an earlier entry: the next entry will be its child. */
  branch(branchFromId: string): void {
    this.moveLeaf(this.existing(branchFromId).id)
  }

  /** Moves the leaf to before the first entry: the next entry will be a root. */
  resetLeaf(): void {
    this.moveLeaf(null)
  }

  protected moveLeaf(leafId: string | null): void {
    this.leafId = leafId
  }

  protected existing(id: string): E {
    const entry = this.byId.get(id)
    if (!entry) throw new Error(`Entry ${id} not found`)
    return entry
  }

  /** Returns id, parent and time of an entry to be added. */
  protected place(parentId: string | null = this.leafId): Omit<SessionEntryBase, 'type'> {
    return { id: freshId(this.byId), parentId, timestamp: new Date().toISOString() }
  }

  protected labels(): SetLabel[] {
    return [...this.labelsById].map(([targetId, label]) => ({
      targetId,
      label,
      timestamp: this.labelTimestampsById.get(targetId) as string,
    }))
  }
}

const isLabel = (entry: SessionEntryBase): entry is LabelEntry => entry.type === 'label'

/** The number of short ids that are tried before a whole UUID is taken. */
const TRIES = 100

/** Returns a new id of 8 hex digits, or a whole UUID if it finds none that is free. */
export function freshId(taken: { has(id: string): boolean }): string {
  for (let i = 0; i < TRIES; i++) {
    const id = randomUUID().slice(0, 8)
    if (!taken.has(id)) return id
  }
  return randomUUID()
}

/**
 * Returns the path from a root to an entry. A path that runs in a circle begins where it would close: no entry is on it
 * twice.
 */
export function pathTo<E extends SessionEntryBase>(entry: E | undefined, byId: ReadonlyMap<string, E>): E[] {
  const path: E[] = []
  const seen = new Set<E>()
  for (let at = entry; at && !seen.has(at); at = at.parentId ? byId.get(at.parentId) : undefined) {
    seen.add(at)
    path.push(at)
  }
  return path.reverse()
}

/**
 * Returns the entries as trees: roots in their order, children by time. An entry whose parent is missing is a root, and
 * so is the first of a circle that is met. `about` returns the other fields of a node.
 */
export function treeOf<E extends SessionEntryBase>(
  entries: readonly E[],
  about: (id: string) => Pick<EntryTreeNode<E>, 'label' | 'labelTimestamp'>,
): EntryTreeNode<E>[] {
  const nodes = entries.map((entry): EntryTreeNode<E> => ({ entry, children: [], ...about(entry.id) }))
  const byId = new Map(nodes.map((node) => [node.entry.id, node]))
  const parentOf = ({ entry: { id, parentId } }: EntryTreeNode<E>): EntryTreeNode<E> | undefined =>
    parentId === null || parentId === id ? undefined : byId.get(parentId)
  const breaks = circlesOf(nodes, parentOf)
  const roots: EntryTreeNode<E>[] = []
  for (const node of nodes) {
    const parent = breaks.has(node) ? undefined : parentOf(node)
    ;(parent?.children ?? roots).push(node)
  }
  for (const { children } of nodes) children.sort((a, b) => timeOf(a) - timeOf(b))
  return roots
}

const timeOf = ({ entry }: EntryTreeNode<SessionEntryBase>): number => new Date(entry.timestamp).getTime()

/** Returns one node of each circle; each node is visited once. */
function circlesOf<N>(nodes: readonly N[], parentOf: (node: N) => N | undefined): ReadonlySet<N> {
  const breaks = new Set<N>()
  const walkOf = new Map<N, number>()
  nodes.forEach((start, walk) => {
    let at: N | undefined = start
    while (at && !walkOf.has(at)) {
      walkOf.set(at, walk)
      at = parentOf(at)
    }
    if (at && walkOf.get(at) === walk) breaks.add(at)
  })
  return breaks
}

/**
 * Returns the entries of a session that holds one path of another: the path without its labels, then the labels that are
 * set on what is left, one after the other. With `rechains` an entry whose parent was left out gets the entry before it as
 * its parent, and a compaction that keeps from a label keeps from the entry after that.
 */
export function branchedEntries<E extends SessionEntryBase>(
  path: readonly E[],
  labels: Iterable<SetLabel>,
  { rechains }: { readonly rechains: boolean },
): E[] {
  const left = path.filter((entry) => !isLabel(entry))
  const entries: SessionEntryBase[] = rechains ? rechained(path) : [...left]
  const ids = new Set(path.map(({ id }) => id))
  const kept = new Set(left.map(({ id }) => id))
  let parentId = left.at(-1)?.id ?? null
  for (const { targetId, label, timestamp } of labels) {
    if (!kept.has(targetId)) continue
    const id = freshId(ids)
    ids.add(id)
    const entry: LabelEntry = { type: 'label', id, parentId, timestamp, targetId, label }
    entries.push(entry)
    parentId = id
  }
  return entries as E[]
}

function rechained(path: readonly SessionEntryBase[]): SessionEntryBase[] {
  const next = nextKept(path)
  let parentId: string | null = null
  return path.flatMap((entry) => {
    if (isLabel(entry)) return []
    const copy: SessionEntryBase & { firstKeptEntryId?: string } = { ...entry, parentId }
    if (copy.type === 'compaction' && copy.firstKeptEntryId !== undefined)
      copy.firstKeptEntryId = next.get(copy.firstKeptEntryId) ?? copy.firstKeptEntryId
    parentId = entry.id
    return [copy]
  })
}

/** Returns for each label of a path the next entry that is none. */
function nextKept(path: readonly SessionEntryBase[]): ReadonlyMap<string, string> {
  const next = new Map<string, string>()
  let after: string | undefined
  for (const entry of path.toReversed())
    if (!isLabel(entry)) after = entry.id
    else if (after !== undefined) next.set(entry.id, after)
  return next
}

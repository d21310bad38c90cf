import type { Awaitable } from '../model/async.ts'
import type { Oid } from '../model/encoding/oid.ts'
import { type EntryHandle, NEAR, type Node } from '../model/node.ts'
import type { RefValue } from '../model/operation.ts'
import { GRAFTS, graftedRoot, type RefName } from '../model/refname.ts'
import { refProblem } from '../model/refs/table.ts'
import type { GraftValue } from '../model/refs/values.ts'
import { plus } from '../model/tokens.ts'
import type { Backend } from '../storage/backend.ts'

/** Connects a root, whose parent is missing in its own source, with that parent in another session. */
export interface Graft {
  readonly root: Oid
  /** The entry that the root continues, held by another session. */
  readonly parent: Oid
  /** The id by which the root's source names that parent. */
  readonly native: string
  /** The session whose source names it. */
  readonly session: string
}

/** Returns the value of the ref of a graft. */
export const graftValue = ({ parent, native, session }: Graft): GraftValue => ({ parent, native, session })

/** Returns the graft in a ref; undefined in other refs, and where its value has not the form of a graft. */
export function graftIn(name: RefName, value: RefValue | undefined): Graft | undefined {
  const root = graftedRoot(name)
  if (root === undefined || value === undefined || refProblem(name, value) !== undefined) return undefined
  return { root, ...(value as GraftValue) }
}

/** Yields all grafts, in the order of the roots' oids. One that cannot be read joins nothing: every command reads them. */
export async function* graftsIn(reader: Pick<Backend, 'refs'>): AsyncGenerator<Graft> {
  for await (const [name, value] of reader.refs(GRAFTS)) {
    const graft = graftIn(name, value)
    if (graft) yield graft
  }
}

/**
 * A graft whose parent was stored after its root raises the order of all entries below it by this number, so that
 * parents still come before children.
 */
const LATER = 2 ** 40

/** The maximum number of such grafts on a path: beyond it orders are not exact integers, and a graft is ignored. */
const MOST_LATER = 4095

/** The size of the cache of roots. */
const CACHED_ROOTS = 100_000

/**
 * An applied graft: its parent with grafts applied, and the multiple of `LATER` that its descendants' order is raised
 * by.
 */
interface AppliedGraft {
  readonly parent: Node
  readonly later: number
}

/** Applies grafts to the nodes of a backend. Grafts that would close a cycle are not applied. */
export class GraftOverlay {
  readonly #backend: Pick<Backend, 'node'>
  readonly #applied = new Map<EntryHandle, AppliedGraft>()
  /** A cache: the root of an entry's path along first parents. */
  readonly #roots = new Map<EntryHandle, EntryHandle>()
  /** The lowest order of a grafted root: entries with a lower one are not below any graft. */
  #lowest = Number.POSITIVE_INFINITY
  /** The roots whose grafts would close a cycle. */
  readonly circular = new Set<EntryHandle>()

  private constructor(backend: Pick<Backend, 'node'>) {
    this.#backend = backend
  }

  /** Reads the grafts among some refs. Returns undefined where there is none. */
  static async read(
    backend: Pick<Backend, 'find' | 'node'>,
    refs: Pick<Backend, 'refs'>,
  ): Promise<GraftOverlay | undefined> {
    const parents = new Map<EntryHandle, EntryHandle>()
    for await (const { root, parent } of graftsIn(refs)) {
      const [below, above] = [await backend.find(root), await backend.find(parent)]
      if (below === undefined || above === undefined) continue
      if ((await backend.node(below)).parents.length === 0) parents.set(below, above)
    }
    if (parents.size === 0) return undefined
    const overlay = new GraftOverlay(backend)
    await overlay.#applyAll(parents)
    return overlay
  }

  /** Returns a node with grafts applied. */
  apply(node: Node): Node | Promise<Node> {
    if (node.order < this.#lowest) return node
    // A node on a path without merges is below the graft of its root, or below none.
    if (node.merge !== undefined) return this.#applyTo(node)
    const root = this.#rootOf(node)
    if (root instanceof Promise) return this.#applyTo(node)
    return this.#applied.has(root) ? this.#applyTo(node) : node
  }

  /** Applies each graft after all grafts above its parent. Those that remain are in or below a cycle. */
  async #applyAll(parents: ReadonlyMap<EntryHandle, EntryHandle>): Promise<void> {
    const waits = new Map<EntryHandle, number>()
    const below = new Map<EntryHandle, EntryHandle[]>()
    for (const [root, parent] of parents) {
      const above = (await this.#rootsOf(parent)).filter((other) => parents.has(other))
      waits.set(root, above.length)
      for (const other of above) below.set(other, [...(below.get(other) ?? []), root])
    }
    const open = [...waits].flatMap(([root, count]) => (count === 0 ? [root] : []))
    for (let root = open.pop(); root !== undefined; root = open.pop()) {
      await this.#applyGraft(root, parents.get(root) as EntryHandle)
      waits.delete(root)
      for (const next of below.get(root) ?? []) {
        const left = (waits.get(next) as number) - 1
        waits.set(next, left)
        if (left === 0) open.push(next)
      }
    }
    for (const root of waits.keys()) this.circular.add(root)
  }

  async #applyGraft(root: EntryHandle, above: EntryHandle): Promise<void> {
    const parent = await this.apply(await this.#backend.node(above))
    const { order } = await this.#backend.node(root)
    const base = Math.floor(parent.order / LATER)
    const later = parent.order % LATER < order ? base : base + 1
    if (later > MOST_LATER) return
    this.#lowest = Math.min(this.#lowest, order)
    this.#applied.set(root, { parent, later })
  }

  async #applyTo(node: Node): Promise<Node> {
    const above = this.#applied.get(await this.#rootOf(node))?.parent
    let later = 0
    for (const root of await this.#rootsOf(node.handle))
      later = Math.max(later, this.#applied.get(root)?.later ?? 0)
    if (!above && later === 0) return node
    const graft = node.parents.length === 0 ? above : undefined
    const { handle, oid, type, traits, digest, links, depth, weight, jump, merge, near } = node
    const lower = above ? above.depth + 1 : 0
    return {
      handle,
      oid,
      type,
      traits,
      digest,
      links,
      jump,
      parents: graft ? [graft.handle] : node.parents,
      order: node.order + LATER * later,
      depth: depth + lower,
      jumpDepth: node.jumpDepth + lower,
      weight: above ? plus(above.weight, weight) : weight,
      merge: merge ?? above?.merge,
      near: NEAR.map((_, i) => near[i] ?? above?.near[i]),
      ...(graft && { grafted: true }),
    }
  }

  /** Returns all roots that an entry reaches, also through merges. */
  async #rootsOf(entry: EntryHandle): Promise<EntryHandle[]> {
    const roots = new Set<EntryHandle>()
    const seen = new Set<EntryHandle>()
    const open = [entry]
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const node = await this.#backend.node(at)
      roots.add(await this.#rootOf(node))
      const { merge } = node
      if (merge === undefined || seen.has(merge)) continue
      seen.add(merge)
      open.push(...(await this.#backend.node(merge)).parents)
    }
    return [...roots]
  }

  /** Returns the root of a node's path along first parents: at once where the backend returns nodes at once. */
  #rootOf({ handle, depth, jump }: Node, met: EntryHandle[] = []): Awaitable<EntryHandle> {
    let at = handle
    let next = jump
    for (let left = depth; left > 0; ) {
      const known = this.#roots.get(at)
      if (known !== undefined) {
        at = known
        break
      }
      met.push(at)
      at = next
      const node = this.#backend.node(at)
      if (node instanceof Promise) return node.then((one) => this.#rootOf(one, met))
      left = node.depth
      next = node.jump
    }
    if (this.#roots.size > CACHED_ROOTS) this.#roots.clear()
    for (const one of met) this.#roots.set(one, at)
    return at
  }
}

import { mapLinks } from '../../model/entry.ts'
import type { Ranges } from '../../model/ranges.ts'
import { plus, type Weight } from '../../model/weight.ts'
import type { Backend } from '../../storage/backend.ts'
import { NO_ROW, type Row } from '../../storage/record.ts'
import { NEAR, type Node } from '../../storage/runs/run.ts'
import { graftsIn } from './grafts.ts'

/**
 * What stands below a graft whose parent was stored later counts as so many rows further, so that parents still have
 * smaller rows than their children.
 */
const LIFT = 2 ** 40

/** So many times: beyond that numbers are not exact, and a graft joins nothing. */
const HIGHEST = 4095

/** Of so many entries it is remembered at once what they reach. */
const REMEMBERED = 100_000

/** Gives the row under which an entry is stored. */
export const plainRow = (row: Row): Row => (row < LIFT ? row : row % LIFT)

/** Gives the rows under which entries are stored that stand together. */
export const plainRanges = (rows: Ranges): Ranges =>
  rows.map(([from, to]) => [plainRow(from), plainRow(to - 1) + 1] as const)

/** What a grafted root continues, and what the path up to there comes to. */
export interface Joint {
  readonly parent: Row
  readonly depth: number
  readonly weight: Weight
  readonly near: readonly Row[]
  readonly merge: Row
}

interface Joined extends Joint {
  /** How often what stands below it is lifted. */
  readonly level: number
}

/** Where grafts join entries of a backend, and what that makes of rows. Of grafts that would close a circle none joins. */
export class Joints {
  readonly #backend: Backend
  readonly #joined = new Map<Row, Joined>()
  /** By entry: the root of its path. */
  readonly #roots = new Map<Row, Row>()
  /** By entry how often it is lifted. */
  readonly #levels = new Map<Row, number>()
  /** No entry before this one is below a graft. */
  #lowest = Number.POSITIVE_INFINITY
  /** No entry before this one is lifted. */
  #lowestLifted = Number.POSITIVE_INFINITY
  /** The roots whose grafts close a circle. */
  readonly circular = new Set<Row>()

  private constructor(backend: Backend) {
    this.#backend = backend
  }

  /** Reads the grafts of a backend. */
  static async read(backend: Backend): Promise<Joints> {
    const joints = new Joints(backend)
    const parents = new Map<Row, Row>()
    for await (const { root, parent } of graftsIn(backend)) {
      const [below, above] = [await backend.find(root), await backend.find(parent)]
      if (below === undefined || above === undefined) continue
      if ((await backend.node(below)).parents.length === 0) parents.set(below, above)
    }
    await joints.#joinAll(parents)
    return joints
  }

  /** Whether there are none. */
  get none(): boolean {
    return this.#joined.size === 0
  }

  /** Whether the rows of some entries are not those under which they are stored. */
  get lifts(): boolean {
    return this.#lowestLifted < Number.POSITIVE_INFINITY
  }

  /** Whether an entry that is stored under a row may be below a graft. */
  mayReach(row: Row): boolean {
    return row >= this.#lowest
  }

  /** Gives what a root continues. */
  at(root: Row): Joint | undefined {
    return this.#joined.get(root)
  }

  /** Gives what the root continues that the path of an entry begins with. */
  async above(node: Node): Promise<Joint | undefined> {
    return this.#joined.get(await this.#rootOf(node))
  }

  /** Gives the row that an entry has which is stored under one. */
  async lifted(row: Row): Promise<Row> {
    if (row < this.#lowestLifted) return row
    return row + LIFT * (await this.#levelOf(row))
  }

  /** Gives the row that an entry has which is stored under one, and which follows others. */
  liftedBehind(row: Row, parents: readonly Row[]): Row {
    const levels = parents.map((parent) => Math.floor(parent / LIFT))
    return row + LIFT * Math.max(this.#joined.get(row)?.level ?? 0, ...levels)
  }

  /** Joins a root once all is joined that it continues: what is left then is in a circle or behind one. */
  async #joinAll(parents: ReadonlyMap<Row, Row>): Promise<void> {
    const waits = new Map<Row, number>()
    const behind = new Map<Row, Row[]>()
    for (const [root, parent] of parents) {
      const above = (await this.#rootsOf(parent)).filter((other) => parents.has(other))
      waits.set(root, above.length)
      for (const other of above) {
        const known = behind.get(other)
        if (known) known.push(root)
        else behind.set(other, [root])
      }
    }
    const open = [...waits].flatMap(([root, count]) => (count === 0 ? [root] : []))
    for (let root = open.pop(); root !== undefined; root = open.pop()) {
      await this.#join(root, parents.get(root) as Row)
      waits.delete(root)
      for (const next of behind.get(root) ?? []) {
        const left = (waits.get(next) as number) - 1
        waits.set(next, left)
        if (left === 0) open.push(next)
      }
    }
    for (const root of waits.keys()) this.circular.add(root)
  }

  async #join(root: Row, parent: Row): Promise<void> {
    const base = await this.#levelOf(parent)
    const level = parent < root ? base : base + 1
    if (level > HIGHEST) return
    if (level > 0) this.#lowestLifted = Math.min(this.#lowestLifted, root)
    this.#lowest = Math.min(this.#lowest, root)
    const { row, depth, weight, near, merge } = await this.seen(await this.#backend.node(parent))
    this.#joined.set(root, { parent: row, depth: depth + 1, weight, near, merge, level })
  }

  /** Gives a node as grafts join it. */
  async seen(node: Node): Promise<Node> {
    const above = await this.above(node)
    const near: Row[] = []
    for (const [i] of NEAR.entries()) {
      const row = node.near[i] ?? NO_ROW
      near.push(row === NO_ROW ? (above?.near[i] ?? NO_ROW) : await this.lifted(row))
    }
    const merge = node.merge === NO_ROW ? (above?.merge ?? NO_ROW) : await this.lifted(node.merge)
    const graft = above && node.parents.length === 0 ? above : undefined
    return {
      type: node.type,
      traits: node.traits,
      digest: node.digest,
      row: await this.lifted(node.row),
      parents: graft ? [graft.parent] : await this.liftedAll(node.parents),
      links: this.lifts ? await mapLinks(node.links, (row) => this.lifted(row)) : node.links,
      depth: node.depth + (above?.depth ?? 0),
      weight: above ? plus(above.weight, node.weight) : node.weight,
      jump: await this.lifted(node.jump),
      merged: merge !== NO_ROW,
      merge,
      near,
      ...(graft && { grafted: true }),
    }
  }

  /** Gives the rows that entries have which are stored under some. */
  async liftedAll(rows: readonly Row[]): Promise<readonly Row[]> {
    if (!this.lifts) return rows
    const lifted: Row[] = []
    for (const row of rows) lifted.push(await this.lifted(row))
    return lifted
  }

  /** Gives how often an entry is lifted: as often as the most lifted of the roots that it reaches. */
  async #levelOf(row: Row): Promise<number> {
    if (row < this.#lowestLifted) return 0
    const known = this.#levels.get(row)
    if (known !== undefined) return known
    const { parents } = await this.#backend.node(row)
    // Most often it follows one entry, which was asked for just before it, and reaches what that reaches.
    const [parent] = parents
    let level = parents.length === 1 ? this.#levels.get(parent as Row) : undefined
    if (level === undefined) {
      level = 0
      for (const root of await this.#rootsOf(row)) level = Math.max(level, this.#joined.get(root)?.level ?? 0)
    }
    if (this.#levels.size > REMEMBERED) this.#levels.clear()
    this.#levels.set(row, level)
    return level
  }

  /** Gives the roots that an entry reaches, through merges too. */
  async #rootsOf(row: Row): Promise<Row[]> {
    const roots = new Set<Row>()
    const seen = new Set<Row>()
    const open = [row]
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const node = await this.#backend.node(at)
      roots.add(await this.#rootOf(node))
      const { merge } = node
      if (merge === NO_ROW || seen.has(merge)) continue
      seen.add(merge)
      open.push(...(await this.#backend.node(merge)).parents)
    }
    return [...roots]
  }

  /** Gives the root of the path of an entry. What was met on the way is remembered: paths share most of it. */
  async #rootOf({ row, depth, jump }: Node): Promise<Row> {
    const met: Row[] = []
    let at = row
    let next = jump
    for (let left = depth; left > 0; ) {
      const known = this.#roots.get(at)
      if (known !== undefined) {
        at = known
        break
      }
      met.push(at)
      at = next
      const found = this.#backend.node(at)
      const node = found instanceof Promise ? await found : found
      left = node.depth
      next = node.jump
    }
    if (this.#roots.size > REMEMBERED) this.#roots.clear()
    for (const one of met) this.#roots.set(one, at)
    return at
  }
}

import { NodeSet } from '../../graph/nodeset.ts'
import { ancestor } from '../../graph/walk.ts'
import type { Oid } from '../../model/oid.ts'
import { type Backend, NO_ROW, type Row } from '../../repo/backend.ts'
import { MAIN } from '../../repo/session.ts'

/** The ends of the paths of a source, the one that its agent would resume, and what it calls them. */
interface Leaves {
  readonly leaves: ReadonlySet<Row>
  readonly active: Row
  readonly branches: ReadonlyMap<string, Row>
}

/**
 * Names the leaves of an imported source: `main` is the agent's active leaf, where there is one, every other leaf is
 * called as the source calls it, else `at-<8 hex digits of the entry after the fork point>`. A leaf that continues a branch named before keeps its name,
 * so that names never change while a source grows; where three or more paths part below each other, which of them
 * has the name of the upper fork may thus depend on when the source was read. Costs what the branches do not share
 * with `main`.
 */
export async function branchesOf(
  backend: Backend,
  { leaves, active, branches: said }: Leaves,
  before: { readonly [name: string]: Oid },
): Promise<{ [name: string]: Oid }> {
  const branches: { [name: string]: Oid } = active === NO_ROW ? {} : { [MAIN]: await backend.oid(active) }
  const look = (row: Row) => backend.node(row)
  const depth = active === NO_ROW ? -1 : (await look(active)).depth
  const isMain = async (row: Row): Promise<boolean> => {
    const steps = depth - (await look(row)).depth
    return steps >= 0 && (await ancestor(active, steps, look)) === row
  }
  /** Gives the entries from a leaf up to the first that is on `main` or was given before, and remembers them. */
  async function* newOnPath(leaf: Row, known: NodeSet): AsyncGenerator<Row> {
    for (let row: Row | undefined = leaf; row !== undefined && !known.has(row); ) {
      if (await isMain(row)) return
      known.add(row)
      yield row
      row = (await look(row)).parents[0]
    }
  }
  const named = new NodeSet()
  const name = async (leaf: Row, called?: string): Promise<void> => {
    let first: Row | undefined
    for await (const row of newOnPath(leaf, named)) first = row
    if (first !== undefined)
      branches[called ?? freeName(await backend.oid(first), (taken) => Object.hasOwn(branches, taken))] =
        await backend.oid(leaf)
  }

  const tips = new Map<Row, string>()
  for (const [former, oid] of Object.entries(before)) {
    const tip = former === MAIN ? undefined : await backend.find(oid)
    if (tip !== undefined) tips.set(tip, former)
  }
  const heirs = new Map<string, Row>()
  const walked = new NodeSet()
  for (const leaf of tips.size > 0 ? leaves : [])
    for await (const row of newOnPath(leaf, walked)) {
      const former = tips.get(row)
      if (former !== undefined) heirs.set(former, leaf)
    }
  for (const [former, leaf] of heirs) await name(leaf, former)
  for (const [called, leaf] of said)
    if (leaves.has(leaf) && !Object.hasOwn(branches, called)) await name(leaf, called)
  for (const leaf of leaves) await name(leaf)
  return branches
}

/** Gives a name that is not taken for a branch that parts with an entry. */
export function freeName(first: Oid, isTaken: (name: string) => boolean): string {
  for (let digits = 8; ; digits += 4) {
    const name = `at-${first.slice(0, digits)}`
    if (!isTaken(name)) return name
  }
}

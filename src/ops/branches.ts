import { NodeSet } from '../graph/nodeset.ts'
import { ancestor, isAncestor } from '../graph/walk.ts'
import type { Oid } from '../model/oid.ts'
import { type Backend, NO_ROW, type Row } from '../repo/backend.ts'
import { MAIN } from '../repo/session.ts'

/**
 * Names the leaves of an imported source: `main` is the agent's active leaf, where there is one, every other leaf is
 * `at-<8 hex digits of the entry after the fork point>`. A leaf that continues a branch named before keeps its name,
 * so that names never change while a source grows; where three or more paths part below each other, which of them
 * has the name of the upper fork may thus depend on when the source was read. Costs what the branches do not share
 * with `main`.
 */
export async function branchesOf(
  backend: Backend,
  leaves: ReadonlySet<Row>,
  active: Row,
  before: { readonly [name: string]: Oid },
): Promise<{ [name: string]: Oid }> {
  const branches: { [name: string]: Oid } = active === NO_ROW ? {} : { [MAIN]: await backend.oid(active) }
  const look = (row: Row) => backend.node(row)
  const depth = active === NO_ROW ? -1 : (await look(active)).depth
  const covered = new NodeSet()
  const isCovered = async (row: Row): Promise<boolean> => {
    if (covered.has(row)) return true
    const steps = depth - (await look(row)).depth
    return steps >= 0 && (await ancestor(active, steps, look)) === row
  }
  /** Covers the path of a leaf and gives the first entry on it that no named path had. */
  const cover = async (leaf: Row): Promise<Row> => {
    let first = leaf
    for (let row: Row | undefined = leaf; row !== undefined && !(await isCovered(row)); ) {
      covered.add(row)
      first = row
      row = (await look(row)).parents[0]
    }
    return first
  }
  for (const [name, oid] of Object.entries(before)) {
    if (name === MAIN) continue
    const tip = await backend.find(oid)
    const leaf = tip === undefined ? undefined : await continuing(backend, leaves, tip)
    if (leaf === undefined || (await isCovered(leaf))) continue
    branches[name] = await backend.oid(leaf)
    await cover(leaf)
  }
  for (const leaf of leaves) {
    if (await isCovered(leaf)) continue
    const first = await cover(leaf)
    branches[`at-${(await backend.oid(first)).slice(0, 8)}`] = await backend.oid(leaf)
  }
  return branches
}

/** Gives the leaf that is a former tip or continues it. */
async function continuing(backend: Backend, leaves: ReadonlySet<Row>, tip: Row): Promise<Row | undefined> {
  if (leaves.has(tip)) return tip
  for (const leaf of leaves) if (await isAncestor(tip, leaf, (row) => backend.node(row))) return leaf
  return undefined
}

import type { Oid } from '../model/oid.ts'
import type { Backend } from '../repo/backend.ts'
import { NO_ROW, type Row } from '../repo/backend.ts'
import { MAIN } from '../repo/session.ts'

/**
 * Names the leaves of an imported source: `main` is the agent's active leaf, every other leaf is
 * `at-<8 hex digits of the entry after the fork point>`. A leaf that continues a branch named before keeps its name,
 * so that names never change while a source grows.
 */
export async function branchesOf(
  backend: Backend,
  entries: ReadonlySet<Row>,
  active: Row,
  before: { readonly [name: string]: Oid },
): Promise<{ [name: string]: Oid }> {
  if (active === NO_ROW) return {}
  const inner = new Set<Row>()
  for (const row of entries) for (const parent of (await backend.node(row)).parents) inner.add(parent)
  const covered = new Set<Row>()
  /** Covers the path of a leaf and gives the first entry on it that no named path had. */
  const cover = async (leaf: Row): Promise<Row> => {
    let first = leaf
    for (
      let row: Row | undefined = leaf;
      row !== undefined && !covered.has(row);
      row = (await backend.node(row)).parents[0]
    ) {
      covered.add(row)
      first = row
    }
    return first
  }
  const branches: { [name: string]: Oid } = { [MAIN]: await backend.oid(active) }
  await cover(active)
  const leaves = [...entries].filter((row) => !inner.has(row) && row !== active)
  for (const [name, oid] of Object.entries(before)) {
    if (name === MAIN) continue
    const tip = await backend.find(oid)
    const leaf = tip === undefined ? undefined : await continuing(backend, leaves, tip)
    if (leaf === undefined || covered.has(leaf)) continue
    branches[name] = await backend.oid(leaf)
    await cover(leaf)
  }
  for (const leaf of leaves) {
    if (covered.has(leaf)) continue
    const first = await cover(leaf)
    branches[`at-${(await backend.oid(first)).slice(0, 8)}`] = await backend.oid(leaf)
  }
  return branches
}

/** Gives the leaf that is a former tip or continues it along first parents. */
async function continuing(backend: Backend, leaves: readonly Row[], tip: Row): Promise<Row | undefined> {
  for (const leaf of leaves)
    for (
      let row: Row | undefined = leaf;
      row !== undefined && row >= tip;
      row = (await backend.node(row)).parents[0]
    )
      if (row === tip) return leaf
  return undefined
}

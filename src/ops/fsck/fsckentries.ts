import { viewOf } from '../../formats/registry.ts'
import { encode } from '../../model/canonical.ts'
import { digestOfBytes } from '../../model/entry.ts'
import type { Tombstones } from '../../model/expunged.ts'
import { traitsOf, type View } from '../../model/view.ts'
import { minus, NO_WEIGHT, type Weight, weightOf } from '../../model/weight.ts'
import { type Backend, NEAR, NO_ROW, type Row } from '../../repo/backend.ts'
import { isExpunged, tombstonesOf } from '../../repo/guard.ts'
import { attempt, type Report } from './finding.ts'
import { nameOf, rowOf } from './hurt.ts'

/** Checks all entries, those included that nothing reaches, and gives how many those are. */
export async function checkEntries(
  backend: Backend,
  report: Report,
  onCheck: (done: number) => void,
): Promise<number> {
  let count = 0
  const tombstones = await tombstonesOf(backend)
  await attempt(report, 'entry', 'the entries', async () => {
    for await (const row of backend.rows()) {
      onCheck(++count)
      const name = await nameOf(backend, row)
      await attempt(
        report,
        'entry',
        name,
        () => checkEntry(backend, [row, name], tombstones, report),
        () => ({ row }),
      )
    }
  })
  return count
}

async function checkEntry(
  backend: Backend,
  [row, name]: readonly [Row, string],
  tombstones: Tombstones,
  report: Report,
): Promise<void> {
  const node = await backend.node(row)
  const tell = (code: string, message: string): void => report(code, name, message, { row })
  if (node.parents.some((parent) => parent >= row)) return tell('order', 'a parent stands behind it')
  const oid = await backend.oid(row)
  const body = await backend.body(row)
  const isSame = digestOfBytes(encode(body)) === node.digest
  const isRemoved = !isSame && isExpunged(tombstones, node.digest, body)
  if (!isSame && !isRemoved) tell('body', 'its body is not what its digest says')
  const view = viewOf(node.type, body)
  if (!isRemoved && traitsOf(view) !== node.traits) tell('traits', 'its traits are not those of its body')
  if ((await rowOf(backend, oid)) === undefined) tell('index', 'the index does not find it')
  const first = node.parents[0]
  const parent = first === undefined ? undefined : await backend.node(first)
  if (node.depth !== (parent ? parent.depth + 1 : 0))
    tell('depth', 'its depth is not one more than that of its parent')
  const own = minus(node.weight, parent?.weight ?? NO_WEIGHT)
  if (!isRemoved && !isWeightOf(own, node.type, view))
    tell('weight', 'its weight is not that of its parent and its body')
  const near = NEAR.map((trait, i) => (node.traits & trait ? row : (parent?.near[i] ?? NO_ROW)))
  const merge = node.parents.length > 1 ? row : (parent?.merge ?? NO_ROW)
  if (node.merge !== merge || near.some((value, i) => value !== node.near[i]))
    tell('near', 'it points to a wrong ancestor')
  if (node.jump > row || (parent && node.jump === row)) tell('jump', 'it jumps to no ancestor')
}

/**
 * Tells whether an entry may have brought a path so much. What entries of other agents say another version of sess may
 * have counted otherwise, which is no damage: an estimate then differs.
 */
function isWeightOf(own: Weight, type: string, view: View): boolean {
  const said = weightOf(view)
  return type.startsWith('sess/')
    ? own.calls === said.calls && own.tokens === said.tokens
    : own.calls >= 0 && own.tokens >= 0
}

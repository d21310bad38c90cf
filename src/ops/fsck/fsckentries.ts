import { viewOf } from '../../formats/registry.ts'
import { encode } from '../../model/canonical.ts'
import { digestOfBytes } from '../../model/entry.ts'
import type { Tombstones } from '../../model/expunged.ts'
import { type EntryHandle, NEAR } from '../../model/node.ts'
import { traitsOf, type View } from '../../model/view.ts'
import { minus, NO_WEIGHT, type Weight, weightOf } from '../../model/weight.ts'
import { isExpunged } from '../../repo/expunge/expungefilter.ts'
import { tombstonesOf } from '../../repo/expunge/tombstones.ts'
import type { Reader } from '../../repo/reader.ts'
import { attempt, type Report } from './finding.ts'
import { handleOf, nameOf, unlessDamaged } from './impact.ts'

/** Checks all entries, those included that nothing reaches, and gives how many those are. */
export async function checkEntries(
  reader: Reader,
  report: Report,
  onCheck: (done: number) => void,
): Promise<number> {
  let count = 0
  const tombstones = await tombstonesOf(reader)
  await attempt(report, 'entry', 'the entries', async () => {
    for await (const handle of reader.entries()) {
      onCheck(++count)
      const name = await nameOf(reader, handle)
      await attempt(
        report,
        'entry',
        name,
        () => checkEntry(reader, [handle, name], tombstones, report),
        () => ({ handle }),
      )
    }
  })
  return count
}

async function checkEntry(
  reader: Reader,
  [handle, name]: readonly [EntryHandle, string],
  tombstones: Tombstones,
  report: Report,
): Promise<void> {
  const node = await reader.node(handle)
  const tell = (code: string, message: string): void => report(code, name, message, { handle })
  const parents = await unlessDamaged(() => node.parents)
  if (!parents) return tell('order', 'a parent stands behind it')
  const oid = await reader.oid(handle)
  const body = await reader.body(handle)
  const isSame = digestOfBytes(encode(body)) === node.digest
  const isRemoved = !isSame && isExpunged(tombstones, node.digest, body)
  if (!isSame && !isRemoved) tell('body', 'its body is not what its digest says')
  const view = viewOf(node.type, body)
  if (!isRemoved && traitsOf(view) !== node.traits) tell('traits', 'its traits are not those of its body')
  if ((await handleOf(reader, oid)) === undefined) tell('index', 'the index does not find it')
  const [first] = parents
  const parent = first === undefined ? undefined : await reader.node(first)
  if (node.depth !== (parent ? parent.depth + 1 : 0))
    tell('depth', 'its depth is not one more than that of its parent')
  const own = minus(node.weight, parent?.weight ?? NO_WEIGHT)
  if (!isRemoved && !isWeightOf(own, node.type, view))
    tell('weight', 'its weight is not that of its parent and its body')
  const near = NEAR.map((trait, i) => (node.traits & trait ? handle : parent?.near[i]))
  const merge = parents.length > 1 ? handle : parent?.merge
  if (node.merge !== merge || near.some((value, i) => value !== node.near[i]))
    tell('near', 'it points to a wrong ancestor')
  const jump = await unlessDamaged(() => reader.node(node.jump))
  const isBefore = jump && (parent ? jump.order < node.order : jump.order === node.order)
  if (!isBefore) tell('jump', 'it jumps to no ancestor')
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

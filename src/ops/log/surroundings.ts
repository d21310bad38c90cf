import { viewOf } from '../../formats/registry.ts'
import { ancestor, path } from '../../graph/walk.ts'
import type { EntryHandle } from '../../model/node.ts'
import type { Oid } from '../../model/oid.ts'
import { type Block, type Role, roleOf, type View } from '../../model/view.ts'
import type { Reader } from '../../repo/reader.ts'
import { type Session, tipOf } from '../../repo/session.ts'

/** An entry beside another, in short. */
export interface Neighbour {
  readonly oid: Oid
  readonly type: string
  readonly role: Role | null
  readonly view: View
}

/** A tool call or a result. */
export type ToolBlock = Block & { readonly kind: 'toolCall' | 'toolResult' }

/** A tool call or a result, and the entry that it stands in. */
export interface Counterpart {
  readonly oid: Oid
  readonly block: ToolBlock
}

/** What stands around an entry on a path of its session. */
export interface Surroundings {
  /** By the id of a call: the result that answers it; or of a result: the call that it answers. */
  readonly counterparts: ReadonlyMap<string, Counterpart>
  /** What it continues; null at a root. */
  readonly before: Neighbour | null
  /** What continues it on the path that the session stands on, else on one of its branches; null where nothing does. */
  readonly after: Neighbour | null
}

/** A call and its result are brought together where they stand at most so many entries apart. */
const APART = 64

/** Returns what stands around an entry; what follows it only where a session is told. Costs the same in any history. */
export async function surroundingsOf(
  reader: Reader,
  handle: EntryHandle,
  view: View,
  session: Session | undefined,
): Promise<Surroundings> {
  const preceding = await takenFrom(path(handle, (node) => reader.node(node)))
  const tip = session && (await tipBeyond(reader, handle, session))
  const following = tip === undefined ? [] : await takenFrom(forth(reader, handle, tip))
  const [before, after] = [preceding[0], following[0]]
  return {
    counterparts: new Map([
      ...(await matching(reader, view, 'toolResult', preceding)),
      ...(await matching(reader, view, 'toolCall', following)),
    ]),
    before: before === undefined ? null : await neighbour(reader, before),
    after: after === undefined ? null : await neighbour(reader, after),
  }
}

/** Returns the first of some entries but for the one that they begin with. */
export async function takenFrom(handles: AsyncIterable<EntryHandle>): Promise<EntryHandle[]> {
  const taken: EntryHandle[] = []
  for await (const handle of handles) if (taken.push(handle) > APART) break
  return taken.slice(1)
}

/** Returns by their ids what answers the calls of a view among some entries, or what its results answer. */
async function matching(
  reader: Reader,
  view: View,
  kind: ToolBlock['kind'],
  handles: readonly EntryHandle[],
): Promise<Map<string, Counterpart>> {
  const found = new Map<string, Counterpart>()
  const open = new Set(view.blocks.filter(isTool).flatMap((block) => (block.kind === kind ? [block.id] : [])))
  for (const handle of handles) {
    if (open.size === 0) break
    const { oid, view: other } = await neighbour(reader, handle)
    for (const block of other.blocks.filter(isTool))
      if (block.kind !== kind && open.delete(block.id)) found.set(block.id, { oid, block })
  }
  return found
}

/** Tells a tool call or a result. */
export const isTool = (block: Block): block is ToolBlock =>
  block.kind === 'toolCall' || block.kind === 'toolResult'

/** Returns the tip of a path of a session that an entry lies on: where the session stands, else of a branch. */
export async function tipBeyond(
  reader: Reader,
  handle: EntryHandle,
  session: Session,
): Promise<EntryHandle | undefined> {
  const { depth } = await reader.node(handle)
  const stands = tipOf(session)
  for (const oid of [...(stands === undefined ? [] : [stands]), ...session.branches.values()]) {
    const tip = await reader.find(oid)
    if (tip === undefined) continue
    const steps = (await reader.node(tip)).depth - depth
    if (steps > 0 && (await ancestor(tip, steps, (node) => reader.node(node))) === handle) return tip
  }
  return undefined
}

/** Yields an entry and those that follow it on the path to a tip. */
export async function* forth(
  reader: Reader,
  handle: EntryHandle,
  tip: EntryHandle,
): AsyncGenerator<EntryHandle> {
  const { depth } = await reader.node(handle)
  for (let steps = (await reader.node(tip)).depth - depth; steps >= 0; steps--)
    yield (await ancestor(tip, steps, (node) => reader.node(node))) as EntryHandle
}

async function neighbour(reader: Reader, handle: EntryHandle): Promise<Neighbour> {
  const { type, traits } = await reader.node(handle)
  const view = viewOf(type, await reader.body(handle))
  return { oid: await reader.oid(handle), type, role: roleOf(traits), view }
}

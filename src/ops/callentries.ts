import { reachable } from '../graph/walk.ts'
import type { Oid } from '../model/encoding/oid.ts'
import { roleOf } from '../model/view.ts'
import { lookIn, type Reader } from '../repo/reader.ts'
import type { SessionTrunk } from '../repo/session.ts'
import { tipsOf, viewAt } from './entries.ts'

/** Returns whether an entry makes a tool call with an id. */
export async function holdsCall(reader: Reader, oid: Oid, call: string): Promise<boolean> {
  const handle = await reader.find(oid)
  if (handle === undefined) return false
  return (await viewAt(reader, handle)).blocks.some((block) => block.kind === 'toolCall' && block.id === call)
}

/** Returns the entries of a session that make some tool calls, by the ids of the calls. Reads what the assistant said. */
export async function callEntries(
  reader: Reader,
  session: SessionTrunk,
  calls: ReadonlySet<string>,
): Promise<ReadonlyMap<string, Oid>> {
  const found = new Map<string, Oid>()
  const tips = await tipsOf(reader, session, { labels: true })
  for (const handle of await reachable(tips, lookIn(reader))) {
    if (found.size === calls.size) break
    if (roleOf((await reader.node(handle)).traits) !== 'assistant') continue
    for (const block of (await viewAt(reader, handle)).blocks)
      if (block.kind === 'toolCall' && calls.has(block.id)) found.set(block.id, await reader.oid(handle))
  }
  return found
}

import type { Facts } from '../../formats/core/format.ts'
import type { Oid } from '../../model/oid.ts'
import { metaRef } from '../../model/refname.ts'
import type { Reader } from '../../repo/reader.ts'
import type { Change } from '../../repo/repo.ts'
import { findMeta, refValue, type SessionMeta } from '../../repo/session.ts'
import type { Ingester } from './ingester.ts'

/**
 * Links sub-agents to the entries that started them by their prompts, where their files do not name each other. `ids` are
 * sessions that may have started sub-agents, or are sub-agents. A prompt that no entry has sent yet is kept with the session
 * that started the sub-agent.
 */
export async function linkSubagents({ reader, move }: Change, ids: Iterable<string>): Promise<void> {
  const starters = new Map<string, { readonly meta: SessionMeta; readonly waits: Map<string, string> }>()
  for (const id of ids) {
    const own = await findMeta(reader, id)
    const { parent, prompt, native } = own ?? {}
    const meta = parent === undefined ? own : await findMeta(reader, parent)
    if (!meta) continue
    const starter = parent ?? id
    const known = starters.get(starter) ?? { meta, waits: new Map(Object.entries(meta.waits ?? {})) }
    starters.set(starter, known)
    if (parent !== undefined && prompt !== undefined) known.waits.set(native ?? id, prompt)
  }
  for (const [starter, { meta, waits }] of starters) {
    const now = linked(meta, waits)
    if (JSON.stringify(now) !== JSON.stringify(meta)) move(metaRef(starter), refValue(meta), refValue(now))
  }
}

/** Returns the metadata of a session in which the sub-agents that it prompted are linked. */
function linked(meta: SessionMeta, waits: ReadonlyMap<string, string>): SessionMeta {
  const { waits: _, ...about } = meta
  const asks = new Map(Object.entries(meta.asks ?? {}))
  const agents = new Map(Object.entries(meta.agents ?? {}))
  const rest = new Map<string, string>()
  for (const [id, prompt] of waits) {
    const asked = asks.get(prompt)
    if (agents.has(id)) continue
    if (asked === undefined) rest.set(id, prompt)
    else agents.set(id, asked)
  }
  return {
    ...about,
    ...(agents.size > 0 && { agents: Object.fromEntries(agents) }),
    ...(rest.size > 0 && { waits: Object.fromEntries(rest) }),
  }
}

/** Returns the sub-agents that a source's session started, by name or by what they were asked, each with the entry that did. */
export async function subagentsIn(
  reader: Reader,
  read: Pick<Ingester, 'facts' | 'entries'>,
): Promise<Pick<SessionMeta, 'agents' | 'asks'>> {
  const named = async (
    entries: Facts['subagents'] = new Map(),
  ): Promise<{ [name: string]: Oid } | undefined> => {
    const oids: [string, Oid][] = []
    for (const [name, handle] of entries)
      oids.push([name.toWellFormed(), await reader.oid(read.entries.of(handle))])
    return oids.length > 0 ? Object.fromEntries(oids) : undefined
  }
  const [agents, asks] = [await named(read.facts.subagents), await named(read.facts.subagentPrompts)]
  return { ...(agents && { agents }), ...(asks && { asks }) }
}

import type { Facts } from '../../formats/core/format.ts'
import type { Oid } from '../../model/encoding/oid.ts'
import type { Reader } from '../../repo/reader.ts'
import type { Change } from '../../repo/repo.ts'
import type { SessionMeta } from '../../repo/session.ts'
import { holdsCall } from '../callentries.ts'
import { ChangedMetas } from './changedmetas.ts'
import type { Ingester } from './ingester.ts'
import { linkFamilies, type UnlinkedSubagent } from './spawnedagents.ts'

/** The sessions of an import that may have started sub-agents, or are some. */
export class SubagentSearch {
  /** Those that recognise sub-agents by their prompts. */
  readonly prompted = new Set<string>()
  readonly all = new Set<string>()

  /** Renames sessions whose ids have changed. */
  rename(now: (id: string) => string): void {
    for (const ids of [this.prompted, this.all]) {
      const renamed = [...ids].map(now)
      ids.clear()
      for (const id of renamed) ids.add(id)
    }
  }
}

/**
 * Links sub-agents to the entries that started them: as files beside their sessions say, and by their runs or prompts where
 * their files do not name each other. What no entry has started yet is kept with the session that started the sub-agent.
 * Returns the sub-agents whose calls no session has.
 */
export async function linkSubagents(
  change: Change,
  { all, prompted }: SubagentSearch,
): Promise<readonly UnlinkedSubagent[]> {
  const metas = new ChangedMetas(change.reader)
  const waiting = new Map<string, Map<string, string>>()
  for (const id of all) {
    const own = await metas.get(id)
    const { parent, native, run, prompt } = own ?? {}
    const starter = parent ?? id
    const meta = await metas.get(starter)
    if (!meta) continue
    const waits = waiting.get(starter) ?? new Map(Object.entries(meta.waits ?? {}))
    waiting.set(starter, waits)
    const asked = run ?? (prompted.has(id) ? prompt : undefined)
    if (parent !== undefined && asked !== undefined) waits.set(native ?? id, asked)
  }
  for (const [starter, waits] of waiting) {
    const meta = await metas.get(starter)
    if (meta && (waits.size > 0 || meta.waits)) metas.set(starter, linked(meta, waits))
  }
  const unlinked = await linkFamilies(change.reader, metas, all)
  metas.write(change)
  return unlinked
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

/** The metadata of a session about the sub-agents that it started. */
type StartedSubagents = Pick<SessionMeta, 'agents' | 'asks' | 'spawned' | 'run'>

/**
 * Returns the sub-agents that a source's session started, by name, by run or by what they were asked, each with the entry
 * that did; and how they were started. Links that only other files make stay as they were: `known` has them.
 */
export async function subagentsIn(
  reader: Reader,
  read: Pick<Ingester, 'facts' | 'entries'>,
  known: StartedSubagents = {},
  { spawns }: Pick<Facts, 'spawns'> = {},
): Promise<StartedSubagents> {
  const oids = async (...named: (Facts['subagents'] | undefined)[]): Promise<[string, Oid][]> => {
    const found: [string, Oid][] = []
    for (const [name, handle] of named.flatMap((entries) => [...(entries ?? [])]))
      found.push([name.toWellFormed(), await reader.oid(read.entries.of(handle))])
    return found
  }
  const { facts } = read
  const spawned = { ...known.spawned, ...(spawns && Object.fromEntries(spawns)) }
  const agents = new Map(Object.entries(known.agents ?? {}))
  for (const [id, oid] of await oids(facts.subagents)) {
    const before = agents.get(id)
    const call = spawned[id]?.call
    const isSettled = call !== undefined && before !== undefined && before !== oid
    if (!isSettled || (await holdsCall(reader, oid, call)) || !(await holdsCall(reader, before, call)))
      agents.set(id, oid)
  }
  const asks = await oids(facts.subagentPrompts, facts.runs)
  return {
    ...(agents.size > 0 && { agents: Object.fromEntries(agents) }),
    ...(asks.length > 0 && { asks: Object.fromEntries(asks) }),
    ...(Object.keys(spawned).length > 0 && { spawned }),
    ...(facts.run !== undefined && { run: facts.run }),
  }
}

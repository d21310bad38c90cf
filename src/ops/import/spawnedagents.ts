import { sessionPrefix } from '../../model/refname.ts'
import type { Reader } from '../../repo/reader.ts'
import { findSession, type SessionMeta, sessionsFrom } from '../../repo/session.ts'
import { callEntries, holdsCall } from '../callentries.ts'
import type { ChangedMetas } from './changedmetas.ts'

/** A sub-agent whose call no session has, though a file names it. */
export interface UnlinkedSubagent {
  /** The session whose file names the call. */
  readonly session: string
  readonly agent: string
  readonly call: string
}

/** The greatest number of sub-agents of one session that are linked, and of sessions from one to the one above all. */
const MAX_AGENTS = 100_000
const MAX_ABOVE = 32

/** A sub-agent, and the id of the call that started it. */
type AgentCall = Pick<UnlinkedSubagent, 'agent' | 'call'>

const asUnlinked = (session: string, calls: readonly AgentCall[]): UnlinkedSubagent[] =>
  calls.map(({ agent, call }) => ({ session, agent, call }))

/** Links the sub-agents of the families of some sessions. */
export async function linkFamilies(
  reader: Reader,
  metas: ChangedMetas,
  ids: Iterable<string>,
): Promise<readonly UnlinkedSubagent[]> {
  const roots = new Set<string>()
  for (const id of ids) {
    const root = await rootOf(metas, id)
    if (root !== undefined) roots.add(root)
  }
  const unlinked: UnlinkedSubagent[] = []
  for (const root of roots) {
    const family = await Family.of(reader, metas, root)
    if (family) unlinked.push(...(await family.link()))
  }
  return unlinked
}

/** Returns the session above another one that has the files about sub-agents, or else no parent. */
async function rootOf(metas: ChangedMetas, id: string): Promise<string | undefined> {
  let at = id
  for (let steps = 0; steps < MAX_ABOVE; steps++) {
    const meta = await metas.get(at)
    if (!meta) return undefined
    if (meta.spawned || meta.parent === undefined) return at
    at = meta.parent
  }
  return undefined
}

/** A session and the sub-agents that it and they started, by their native ids. */
class Family {
  readonly #reader: Reader
  readonly #metas: ChangedMetas
  readonly #root: string
  readonly #native: string
  /** The ids of their sessions; undefined of those that the store does not have. */
  readonly #sessions = new Map<string, string | undefined>()
  /** All that are named so far. */
  readonly #named = new Set<string>()
  /** The sub-agents that name others in their records, by these. */
  readonly #callers = new Map<string, string>()

  private constructor(reader: Reader, metas: ChangedMetas, root: string, native: string) {
    this.#reader = reader
    this.#metas = metas
    this.#root = root
    this.#native = native
  }

  static async of(reader: Reader, metas: ChangedMetas, root: string): Promise<Family | undefined> {
    const meta = await metas.get(root)
    if (!meta) return undefined
    const family = new Family(reader, metas, root, meta.native ?? root)
    const named = family.#named
    for (const of of [meta.spawned, meta.agents]) for (const agent of Object.keys(of ?? {})) named.add(agent)
    // A set yields what is added meanwhile.
    for (const agent of named) {
      const id = family.#sessions.size < MAX_AGENTS ? await family.#find(agent) : undefined
      family.#sessions.set(agent, id)
      for (const other of Object.keys((id && (await metas.get(id))?.agents) || {})) {
        if (other !== agent && !family.#callers.has(other)) family.#callers.set(other, agent)
        named.add(other)
      }
    }
    return family
  }

  /** Returns the session of a sub-agent: the one with its id whose file was not started by another family. */
  async #find(agent: string): Promise<string | undefined> {
    const own = await this.#metas.get(agent)
    if (own && this.#holds(own)) return agent
    if (!own) return undefined
    const others = sessionsFrom(this.#reader, `${sessionPrefix(agent).slice(0, -1)}-`)
    for await (const { id, meta } of others) if (meta.native === agent && this.#holds(meta)) return id
    return undefined
  }

  #holds({ parent }: SessionMeta): boolean {
    return parent !== undefined && (parent === this.#native || this.#named.has(parent))
  }

  /** Sets the callers of the sub-agents and the entries that started them. Returns those whose calls are missing. */
  async link(): Promise<UnlinkedSubagent[]> {
    const wanted = new Map<string, AgentCall[]>()
    for (const agent of this.#sessions.keys()) {
      const spawn = (await this.#metas.get(this.#root))?.spawned?.[agent]
      const caller = await this.#callerOf(agent)
      await this.#setCaller(agent, caller ?? this.#native)
      const starter = caller === undefined ? this.#root : this.#sessions.get(caller)
      if (caller !== undefined) await this.#unlink(agent)
      if (starter === undefined || spawn?.call === undefined) continue
      const known = (await this.#metas.get(starter))?.agents?.[agent]
      if (known !== undefined && (await holdsCall(this.#reader, known, spawn.call))) continue
      const list = wanted.get(starter) ?? []
      wanted.set(starter, list)
      list.push({ agent, call: spawn.call })
    }
    const unlinked: UnlinkedSubagent[] = []
    for (const [starter, list] of wanted) unlinked.push(...(await this.#linkCalls(starter, list)))
    return unlinked
  }

  /** Returns the sub-agent that called another one; undefined where the session itself did. */
  async #callerOf(agent: string): Promise<string | undefined> {
    const spawned = (await this.#metas.get(this.#root))?.spawned ?? {}
    const caller = spawned[agent]?.caller
    if (caller === undefined) return this.#callers.get(agent)
    const seen = new Set([agent])
    for (let at: string | undefined = caller; at !== undefined; at = spawned[at]?.caller) {
      // A circle names no caller.
      if (seen.has(at)) return this.#callers.get(agent)
      seen.add(at)
    }
    return caller
  }

  /** Removes a sub-agent from those that the session itself started. */
  async #unlink(agent: string): Promise<void> {
    const meta = await this.#metas.get(this.#root)
    const { [agent]: former, ...agents } = meta?.agents ?? {}
    if (meta && former !== undefined) this.#metas.set(this.#root, { ...meta, agents })
  }

  /** Links sub-agents to the calls of the session that started them. Returns those whose calls it does not have. */
  async #linkCalls(starter: string, list: readonly AgentCall[]): Promise<UnlinkedSubagent[]> {
    const missing = await this.#linkIn(starter, list)
    if (missing.length === 0 || starter !== this.#root) return asUnlinked(starter, missing)
    // Files of earlier releases do not name the caller of a nested sub-agent.
    const spawned = (await this.#metas.get(this.#root))?.spawned ?? {}
    let nested = missing.filter(({ agent }) => (spawned[agent]?.depth ?? 1) > 1)
    const rest = missing.filter((one) => !nested.includes(one))
    for (const [caller, id] of this.#sessions) {
      if (nested.length === 0) break
      if (id === undefined) continue
      const left = await this.#linkIn(
        id,
        nested.filter(({ agent }) => agent !== caller),
      )
      for (const { agent } of nested.filter((one) => one.agent !== caller && !left.includes(one))) {
        await this.#unlink(agent)
        await this.#setCaller(agent, caller)
      }
      nested = nested.filter((one) => one.agent === caller || left.includes(one))
    }
    return asUnlinked(starter, [...rest, ...nested])
  }

  /** Sets the sub-agent that called another one, where that one's own file names another session. */
  async #setCaller(agent: string, by: string): Promise<void> {
    const id = this.#sessions.get(agent)
    const meta = id === undefined ? undefined : await this.#metas.get(id)
    if (id === undefined || !meta || by === (meta.caller ?? meta.parent)) return
    const { caller: _, ...rest } = meta
    this.#metas.set(id, by === meta.parent ? rest : { ...rest, caller: by })
  }

  /** Links sub-agents to those of their calls that a session has. Returns the others. */
  async #linkIn(id: string, list: readonly AgentCall[]): Promise<readonly AgentCall[]> {
    const [session, meta] = [await findSession(this.#reader, id), await this.#metas.get(id)]
    if (!session || !meta || list.length === 0) return list
    const found = await callEntries(this.#reader, session, new Set(list.map(({ call }) => call)))
    const agents = { ...meta.agents }
    for (const { agent, call } of list) {
      const oid = found.get(call)
      if (oid !== undefined) agents[agent] = oid
    }
    if (found.size > 0) this.#metas.set(id, { ...meta, agents })
    return list.filter(({ call }) => !found.has(call))
  }
}

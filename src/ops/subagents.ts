import type { Oid } from '../model/encoding/oid.ts'
import { sessionPrefix } from '../model/refname.ts'
import type { Spawn } from '../model/spawn.ts'
import type { Subagent } from '../model/turn.ts'
import { listed } from '../repo/listedsession.ts'
import type { Reader } from '../repo/reader.ts'
import { findMeta, findTrunk, type SessionTrunk, trunksFrom } from '../repo/session.ts'

/** How deep sub-agents are followed, and the greatest number of sessions above one that are asked about it. */
const MAX_DEPTH = 16

/** The most sub-agents of one entry that are described, with those that they started. */
const MAX_DESCRIBED = 10_000

/** The native ids of the sub-agents that each entry of a session started. */
type Started = ReadonlyMap<Oid, readonly string[]>

/** Where a description of sub-agents is: the sessions above, each of which is described once, and how many may follow. */
interface Descent {
  readonly above: ReadonlySet<string>
  readonly left: { count: number }
}

/** Finds the sub-agents that entries started. */
export class SubagentFinder {
  readonly #reader: Reader
  /** By session. */
  readonly #started = new Map<string, Started>()

  constructor(reader: Reader) {
    this.#reader = reader
  }

  /** Returns the sub-agents that an entry of a session started; undefined if there are none. */
  of(session: SessionTrunk | undefined, oid: Oid): Promise<readonly Subagent[]> | undefined {
    const ids = session?.meta.agents && this.startedBy(session).get(oid)
    return ids && this.#all(session, ids, { above: new Set([session.id]), left: { count: MAX_DESCRIBED } })
  }

  /** Returns the sub-agents of a session by the entries that started them. */
  startedBy({ id, meta }: SessionTrunk): Started {
    const known = this.#started.get(id)
    if (known) return known
    const started = new Map<Oid, string[]>()
    for (const [agent, oid] of Object.entries(meta.agents ?? {})) {
      const list = started.get(oid)
      if (list) list.push(agent)
      else started.set(oid, [agent])
    }
    this.#started.set(id, started)
    return started
  }

  /** Describes sub-agents of a session. */
  async #all(
    session: SessionTrunk,
    ids: readonly string[],
    { above, left }: Descent,
  ): Promise<readonly Subagent[]> {
    const all: Subagent[] = []
    for (const id of ids) {
      if (left.count-- <= 0) break
      const own = await this.#sessionOf(id, session)
      const spawn = await this.#spawnOf(id, session)
      const facts = own && listed(own)
      const isFollowed = own !== undefined && !above.has(own.id) && above.size < MAX_DEPTH
      const started = isFollowed ? Object.keys(own.meta.agents ?? {}) : []
      all.push({
        id,
        session: own?.id ?? null,
        type: spawn?.type ?? null,
        description: spawn?.description ?? own?.meta.title ?? own?.meta.prompt ?? null,
        entries: facts?.entries ?? null,
        calls: facts?.calls ?? null,
        tokens: facts?.tokens?.total ?? null,
        agents:
          own && isFollowed
            ? await this.#all(own, started, { above: new Set([...above, own.id]), left })
            : [],
      })
    }
    return all
  }

  /** Returns the session of a sub-agent: where several have its id, the one that names the session that started it. */
  async #sessionOf(agent: string, { id, meta }: SessionTrunk): Promise<SessionTrunk | undefined> {
    const isStarted = ({ meta: { parent, caller } }: SessionTrunk): boolean =>
      [parent, caller].some((by) => by !== undefined && (by === id || by === meta.native))
    const own = await findTrunk(this.#reader, agent)
    if (!own || isStarted(own)) return own
    for await (const other of trunksFrom(this.#reader, `${sessionPrefix(agent).slice(0, -1)}-`))
      if (other.meta.native === agent && isStarted(other)) return other
    return own
  }

  /** Returns how a sub-agent was started, as the nearest session above it says that has a file about it. */
  async #spawnOf(agent: string, { meta: caller }: SessionTrunk): Promise<Spawn | undefined> {
    let meta: SessionTrunk['meta'] | undefined = caller
    for (let steps = 0; meta && steps < MAX_DEPTH; steps++) {
      const spawn = new Map(Object.entries(meta.spawned ?? {})).get(agent)
      if (spawn || meta.parent === undefined) return spawn
      meta = await findMeta(this.#reader, meta.parent)
    }
    return undefined
  }
}

import { metaRef } from '../../model/refname.ts'
import type { Change } from '../../repo/repo.ts'
import { findSession, refValue, type Session, type SessionMeta } from '../../repo/session.ts'

/**
 * Links sub-agents that nothing names to the entries that started them, by what these asked them: of some sessions that
 * were read, each is one that may have started some, or one that another started. What is not asked yet waits with that.
 */
export async function linkAsked({ reader, move }: Change, ids: Iterable<string>): Promise<void> {
  const starters = new Map<string, { readonly session: Session; readonly waits: Map<string, string> }>()
  for (const id of ids) {
    const session = await findSession(reader, id)
    const { parent, prompt, native } = session?.meta ?? {}
    const starter = parent === undefined ? session : await findSession(reader, parent)
    if (!starter) continue
    const known = starters.get(starter.id) ?? {
      session: starter,
      waits: new Map(Object.entries(starter.meta.waits ?? {})),
    }
    starters.set(starter.id, known)
    if (parent !== undefined && prompt !== undefined) known.waits.set(native ?? id, prompt)
  }
  for (const { session, waits } of starters.values()) {
    const { meta } = session
    const now = linked(meta, waits)
    if (JSON.stringify(now) !== JSON.stringify(meta)) move(metaRef(session.id), refValue(meta), refValue(now))
  }
}

/** Gives what a session is once those of its sub-agents are linked that it asked. */
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

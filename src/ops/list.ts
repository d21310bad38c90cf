import type { Oid } from '../model/oid.ts'
import { joinedSummary, usedTokens } from '../model/summary.ts'
import type { Repo } from '../repo/repo.ts'
import { allSessions, type Session, tipOf, updatedOf } from '../repo/session.ts'
import { iso } from '../repo/time.ts'

/** What a list says of a session. Times are ISO 8601 or null. */
export interface Listed {
  readonly id: string
  readonly format: string
  readonly title: string | null
  /** The first words of its user, at most 120 UTF-16 units; of a fork those of the session that it was forked from. */
  readonly prompt: string | null
  readonly cwd: string | null
  /** How many entries it has, those included that a fork shares. */
  readonly entries: number
  readonly records: number
  /** How often its user said something and tools were called; of a fork since it was made. */
  readonly prompts: number
  readonly calls: number
  /** Tokens of its model calls, of a fork since it was made; null where its agent does not tell. */
  readonly tokens: Tokens | null
  /** What they cost in US dollars; null where its agent does not tell. */
  readonly cost: number | null
  /** The model that was set or answered last. */
  readonly model: string | null
  readonly branches: { readonly [name: string]: Oid }
  readonly labels: { readonly [name: string]: Oid }
  /** The current branch, or the oid that the session stands on when detached; null while it has no entries. */
  readonly head: string | null
  readonly created: string | null
  readonly updated: string | null
  /** The path that it was imported from, or null. */
  readonly source: string | null
}

/** Tokens by what they were, and all together. */
export interface Tokens {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly total: number
}

/** Gives what a list says of a session. Reads no bodies. */
export function listed(session: Session): Listed {
  const { id, meta, source, native, head } = session
  const summary = joinedSummary(native?.summary, source?.summary)
  const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0 } = summary
  const total = usedTokens(summary)
  return {
    id,
    format: meta.format,
    title: meta.title,
    prompt: meta.prompt ?? null,
    cwd: meta.cwd,
    entries: (meta.fork?.entries ?? 0) + (source?.entries ?? 0) + (native?.entries ?? 0),
    records: (source?.count ?? 0) + (native?.count ?? 0),
    prompts: summary.prompts ?? 0,
    calls: summary.calls ?? 0,
    tokens: total === undefined ? null : { input, output, cacheRead, cacheWrite, total },
    cost: summary.cost ?? null,
    model: summary.model ?? null,
    branches: Object.fromEntries(session.branches),
    labels: Object.fromEntries(session.labels),
    head: tipOf(session) === undefined ? null : 'branch' in head ? head.branch : head.oid,
    created: iso(meta.created),
    updated: iso(updatedOf(session)),
    source: meta.path,
  }
}

/** Gives all sessions, the one that was added to last first. */
export async function listSessions(repo: Repo): Promise<Listed[]> {
  const sessions = await repo.read(async (backend) => {
    const all: Session[] = []
    for await (const session of allSessions(backend)) all.push(session)
    return all
  })
  return sessions
    .sort((a, b) => (updatedOf(b) ?? 0) - (updatedOf(a) ?? 0) || (a.id < b.id ? -1 : 1))
    .map(listed)
}

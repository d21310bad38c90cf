import type { Oid } from '../../model/oid.ts'
import { joinedSummary, usedTokens } from '../../model/summary.ts'
import type { Tokens } from '../../model/tally.ts'
import { recordsOf, type Session, tipOf, updatedOf } from '../session.ts'
import { iso } from '../time.ts'

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
  /** What its user set, by key. */
  readonly set: { readonly [key: string]: string }
  /** The current branch, or the oid that the session stands on when detached; null while it stands on none. */
  readonly head: string | null
  /** The id of the session that started it, in their own system, or null. */
  readonly parent: string | null
  /** The sub-agents that it started, by the ids of their sessions in their own system: each the entry that did. */
  readonly agents: { readonly [id: string]: Oid }
  readonly created: string | null
  readonly updated: string | null
  /** The path that it was imported from, or null. */
  readonly source: string | null
}

/** Gives what a list says of a session. Reads no bodies. */
export function listed(session: Session): Listed {
  const { id, meta, source, native, natives, exports, head } = session
  const grownLogs = [...exports.values(), ...natives.values()]
  const summary = grownLogs.reduce(
    (sum, one) => joinedSummary(sum, one.summary),
    joinedSummary(native?.summary, source?.summary),
  )
  const grown = grownLogs.reduce((sum, { entries }) => sum + entries, 0)
  const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0 } = summary
  const total = usedTokens(summary)
  return {
    id,
    format: meta.format,
    title: meta.title,
    prompt: meta.prompt ?? null,
    cwd: meta.cwd,
    entries: (meta.fork?.entries ?? 0) + (source?.entries ?? 0) + (native?.entries ?? 0) + grown,
    records: recordsOf(session),
    prompts: summary.prompts ?? 0,
    calls: summary.calls ?? 0,
    tokens: total === undefined ? null : { input, output, cacheRead, cacheWrite, total },
    cost: summary.cost ?? null,
    model: summary.model ?? null,
    branches: Object.fromEntries(session.branches),
    labels: Object.fromEntries(session.labels),
    set: meta.set ?? {},
    head: tipOf(session) === undefined ? null : 'branch' in head ? head.branch : head.oid,
    parent: meta.parent ?? null,
    agents: meta.agents ?? {},
    created: iso(meta.created),
    updated: iso(updatedOf(session)),
    source: meta.path,
  }
}

import { formatNamed } from '../formats/registry.ts'
import { isWithin } from '../model/folder.ts'
import type { Oid } from '../model/oid.ts'
import { shortIds } from '../model/shortid.ts'
import { joinedSummary, usedTokens } from '../model/summary.ts'
import type { Tokens } from '../model/tally.ts'
import type { Repo } from '../repo/repo.ts'
import { allSessions, recordsOf, type Session, tipOf, updatedOf } from '../repo/session.ts'
import { iso } from '../repo/time.ts'
import type { Pairs } from './set.ts'
import { parseWhere } from './where.ts'

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
  readonly set: Pairs
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
  const { id, meta, source, native, exports, head } = session
  const summary = [...exports.values()].reduce(
    (sum, grown) => joinedSummary(sum, grown.summary),
    joinedSummary(native?.summary, source?.summary),
  )
  const grown = [...exports.values()].reduce((sum, { entries }) => sum + entries, 0)
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

/** What sessions are ordered by: the largest and the newest come first. */
export const ORDERS = ['updated', 'created', 'entries', 'tokens', 'cost'] as const

export type Order = (typeof ORDERS)[number]

/** Which sessions are listed, and in what order. */
export interface ListOptions {
  /** Those of this folder and of the folders below it. */
  readonly cwd?: string
  /** Those of this agent: the name of a format or its dialect. */
  readonly agent?: string
  /** Those that were last added to at this time or later, and before this time, in milliseconds since 1970. */
  readonly since?: number
  readonly until?: number
  /** Those for which all of these hold: `key=value`, `key!=value`, `key`. */
  readonly where?: readonly string[]
  /** Those that have a label of this name. */
  readonly label?: string
  /** `updated` unless said. */
  readonly sort?: Order
  /** At most so many, the first ones. */
  readonly limit?: number
  /** The last of these first. */
  readonly reverse?: boolean
}

/** A list of sessions. */
export interface Listing {
  readonly sessions: readonly Listed[]
  /** For each session of the store the shortest beginning of its id, of 8 characters or more, that names it alone. */
  readonly short: ReadonlyMap<string, string>
}

/** Gives sessions, the one that was added to last first. Reads no bodies. Throws `bad-usage` for a bad condition. */
export async function listSessions(repo: Repo, options: ListOptions = {}): Promise<Listing> {
  const wanted = wantedBy(options)
  const all = await repo.read(async (backend) => {
    const rows: Listed[] = []
    for await (const session of allSessions(backend)) rows.push(listed(session))
    return rows
  })
  const rank = RANKS[options.sort ?? 'updated']
  const sessions = all
    .filter(wanted)
    .map((session) => ({ session, rank: rank(session) }))
    .sort((a, b) => b.rank - a.rank || (a.session.id < b.session.id ? -1 : 1))
    .slice(0, options.limit)
    .map(({ session }) => session)
  return {
    sessions: options.reverse ? sessions.reverse() : sessions,
    short: shortIds(all.map(({ id }) => id)),
  }
}

const time = (text: string | null): number => (text === null ? Number.NEGATIVE_INFINITY : Date.parse(text))

const RANKS: Readonly<Record<Order, (session: Listed) => number>> = {
  updated: ({ updated }) => time(updated),
  created: ({ created }) => time(created),
  entries: ({ entries }) => entries,
  tokens: ({ tokens }) => tokens?.total ?? 0,
  cost: ({ cost }) => cost ?? 0,
}

function wantedBy({
  cwd,
  agent,
  since,
  until,
  where = [],
  label,
}: ListOptions): (session: Listed) => boolean {
  const tests: ((session: Listed) => boolean)[] = where.map((text) => parseWhere(text).holds)
  if (cwd !== undefined) {
    tests.push((session) => session.cwd !== null && isWithin(session.cwd, cwd))
  }
  if (agent !== undefined)
    tests.push(({ format }) => format === agent || formatNamed(format)?.dialect === agent)
  if (since !== undefined) tests.push(({ updated }) => time(updated) >= since)
  if (until !== undefined) tests.push(({ updated }) => time(updated) < until)
  if (label !== undefined) tests.push(({ labels }) => Object.hasOwn(labels, label))
  return (session) => tests.every((holds) => holds(session))
}

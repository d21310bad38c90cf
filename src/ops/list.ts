import { isWithin } from '../model/folder.ts'
import { shortIds } from '../model/shortid.ts'
import { type Listed, listed } from '../repo/listed.ts'
import type { Repo } from '../repo/repo.ts'
import { parseWhere } from './where.ts'

export { type Listed, listed }

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
  const wanted = await wantedBy(options)
  const all = await repo.lists.read(repo)
  const sessions = ordered(all.filter(wanted), RANKS[options.sort ?? 'updated']).slice(0, options.limit)
  return {
    sessions: options.reverse ? sessions.reverse() : sessions,
    short: shortIds(all.map(({ id }) => id)),
  }
}

/** Gives sessions with the highest rank first. */
function ordered(sessions: readonly Listed[], rankOf: (session: Listed) => number): Listed[] {
  const ranks = Float64Array.from(sessions, rankOf)
  const order = Uint32Array.from(sessions.keys())
  order.sort((a, b) => {
    const [first, second] = [ranks[a] as number, ranks[b] as number]
    if (first !== second) return first < second ? 1 : -1
    return (sessions[a] as Listed).id < (sessions[b] as Listed).id ? -1 : 1
  })
  return Array.from(order, (i) => sessions[i] as Listed)
}

const time = (text: string | null): number => (text === null ? Number.NEGATIVE_INFINITY : Date.parse(text))

const RANKS: Readonly<Record<Order, (session: Listed) => number>> = {
  updated: ({ updated }) => time(updated),
  created: ({ created }) => time(created),
  entries: ({ entries }) => entries,
  tokens: ({ tokens }) => tokens?.total ?? 0,
  cost: ({ cost }) => cost ?? 0,
}

async function wantedBy({
  cwd,
  agent,
  since,
  until,
  where = [],
  label,
}: ListOptions): Promise<(session: Listed) => boolean> {
  const tests: ((session: Listed) => boolean)[] = where.map((text) => parseWhere(text).holds)
  if (cwd !== undefined) {
    tests.push((session) => session.cwd !== null && isWithin(session.cwd, cwd))
  }
  if (agent !== undefined) {
    // All readers come with it, which most lists do not need.
    const { formatNamed } = await import('../formats/registry.ts')
    tests.push(({ format }) => format === agent || formatNamed(format)?.dialect === agent)
  }
  if (since !== undefined) tests.push(({ updated }) => time(updated) >= since)
  if (until !== undefined) tests.push(({ updated }) => time(updated) < until)
  if (label !== undefined) tests.push(({ labels }) => Object.hasOwn(labels, label))
  return (session) => tests.every((holds) => holds(session))
}

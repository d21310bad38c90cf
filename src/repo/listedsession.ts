import { encode } from '../model/encoding/canonical.ts'
import type { Oid } from '../model/encoding/oid.ts'
import { sha256Oid } from '../model/encoding/sha256.ts'
import { type GitState, gitState } from '../model/gitfacts.ts'
import { isObject, type Json } from '../model/json.ts'
import { joinedTotals, type LogTotals, sumsOf } from '../model/logtotals.ts'
import { part } from '../model/refname.ts'
import { sessionKind } from '../model/refs/table.ts'
import { iso } from '../model/time.ts'
import { type PricedPart, type Tokens, tokensOfCounts } from '../model/usage.ts'
import {
  foldersOf,
  isSilentSession,
  isWhole,
  readableTip,
  recordsOf,
  type SessionState,
  type SessionTrunk,
  updatedOf,
} from './session.ts'

/** The facts that lists show about a session. Times are ISO 8601 or null. */
export interface Listed {
  readonly id: string
  readonly format: string
  readonly title: string | null
  /** The first words of its user, at most 120 UTF-16 units; of a fork, those of the session that it was forked from. */
  readonly prompt: string | null
  readonly cwd: string | null
  /** All folders that it worked in, in the order of their first use. */
  readonly folders: readonly string[]
  /** The state of the git repository that it worked in, with all former values; null where it is unknown. */
  readonly git: GitState | null
  /** The addresses of the pull requests that it names. */
  readonly pullRequests: readonly string[]
  /** The number of its entries, including those that a fork shares. */
  readonly entries: number
  readonly records: number
  /** The numbers of messages of its user and of tool calls; of a fork, since the fork. */
  readonly prompts: number
  readonly calls: number
  /** Tokens of its model calls; of a fork, since the fork. Null where its agent does not record them. */
  readonly tokens: Tokens | null
  /** The cost in US dollars of those calls whose cost its agent records; null where it records none. */
  readonly cost: number | null
  /** The sums by price of the other calls; null where there are none. */
  readonly parts: readonly PricedPart[] | null
  /** The cost of the whole session as its agent reports it, in US dollars; null where it does not. */
  readonly reportedCost: number | null
  /** The model that was set or answered last. */
  readonly model: string | null
  /** Of very many only some: see `SessionTrunk`. */
  readonly branches: { readonly [name: string]: Oid }
  /** Whether it has more branches than these. */
  readonly moreBranches?: true
  readonly labels: { readonly [name: string]: Oid }
  /** The values that its user set, by key. */
  readonly set: { readonly [key: string]: string }
  /** The current branch, or the oid of a detached HEAD; null while the session has no tip. */
  readonly head: string | null
  /** The native id of the session that started it, or null. */
  readonly parent: string | null
  /** The native id of the session in which it goes on, or null. */
  readonly continuedIn: string | null
  /** The entries that started its sub-agents, by the native ids of the sessions of these. */
  readonly agents: { readonly [id: string]: Oid }
  readonly created: string | null
  readonly updated: string | null
  /** The path that it was imported from, or null. */
  readonly source: string | null
  /** Whether nobody speaks in it: the file that it was imported from holds no message, and none was added here. */
  readonly silent: boolean
}

/**
 * Returns the state digest of a session, that of the refs that a transfer to another store would carry: SHA-256, in hex,
 * over the canonical bytes of [name within the session, value] pairs, sorted by name, with the keys of maps sorted. Covers
 * `meta`, `branches/*`, `labels/*`, `source`, `files/*` and `natives/*`. Leaves out `HEAD`, `leaf` and `exports/*`, which
 * are local to a store, the session's id, and grafts: a graft is named by its root, and no ref of a session names its
 * roots. Sessions whose refs are equal have equal digests, whatever store they are in.
 */
export function stateDigest({ refs }: Pick<SessionState, 'refs'>): string {
  const travelling = refs
    .filter(([kind]) => sessionKind(kind)?.travels)
    .map(([kind, name, value]) => [name === '' ? kind : `${kind}/${part(name)}`, sorted(value)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return sha256Oid(encode(travelling))
}

/** Returns a value with the keys of its maps sorted: the order in which fields were set differs between stores. */
function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isObject(value)) return value
  const keys = Object.keys(value).sort()
  return Object.fromEntries(keys.map((key) => [key, sorted(value[key] as Json)]))
}

/** Returns the facts that lists show about a session. Reads no bodies. */
export function listed(session: SessionTrunk): Listed {
  const { id, meta, source, natives, exports, head } = session
  /** Newer ones first: the model that was set last is theirs. */
  const logs = [...natives.values(), ...(source ? [source] : []), ...exports.values()]
  const summary = logs.reduce<LogTotals>((newer, one) => joinedTotals(newer, one.summary), {})
  const entries = logs.reduce((sum, one) => sum + one.entries, meta.fork?.entries ?? 0)
  const { parts } = sumsOf(summary)
  return {
    id,
    format: meta.format,
    title: meta.title,
    prompt: meta.prompt ?? null,
    cwd: meta.cwd,
    folders: foldersOf(meta),
    git: gitState(meta.git),
    pullRequests: meta.pullRequests ?? [],
    entries,
    records: recordsOf(session),
    prompts: summary.prompts ?? 0,
    calls: summary.calls ?? 0,
    tokens: tokensOfCounts(summary),
    cost: summary.cost ?? null,
    parts: parts.length > 0 ? parts : null,
    reportedCost: summary.reported?.cost ?? null,
    model: summary.model ?? null,
    branches: Object.fromEntries(session.someBranches),
    ...(!isWhole(session) && { moreBranches: true as const }),
    labels: Object.fromEntries(session.labels),
    set: meta.set ?? {},
    head: readableTip(session) === undefined ? null : 'branch' in head ? head.branch : head.oid,
    parent: meta.caller ?? meta.parent ?? null,
    continuedIn: meta.continuedIn ?? null,
    agents: meta.agents ?? {},
    created: iso(meta.created),
    updated: iso(updatedOf(session)),
    source: meta.path,
    silent: isSilentSession(session),
  }
}

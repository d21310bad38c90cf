import { pricesWith } from '../../src/model/prices.ts'
import { addedCost, addedTokens, type CallUsage } from '../../src/model/usage.ts'
import { branchList } from '../../src/ops/branchlist.ts'
import { listSessions } from '../../src/ops/list.ts'
import { log } from '../../src/ops/log.ts'
import { usageBy } from '../../src/ops/stats.ts'
import type { Repo } from '../../src/repo/repo.ts'

/** Tokens, and their cost in US dollars. */
export interface Spent {
  readonly tokens: number
  readonly cost: number
}

const priceOf = pricesWith()
const spent = (tokens: number | null | undefined, cost: number | null | undefined): Spent => ({
  tokens: tokens ?? 0,
  cost: cost ?? 0,
})

/** Returns the sum of what was spent. */
export const sumOf = (all: Iterable<Spent>): Spent =>
  [...all].reduce((sum, { tokens, cost }) => spent(sum.tokens + tokens, sum.cost + cost), spent(0, 0))

const ofEntry = (added: CallUsage): Spent => spent(addedTokens(added), addedCost(added, priceOf))

/** What an entry took, and the name of its model call. */
interface SpentOnEntry extends Spent {
  readonly oid: string
  readonly call: string | undefined
}

/** What the commands say that a session took. */
export interface SaidOfSession {
  readonly id: string
  readonly ls: Spent
  /** The number of its branches, and the sum over them. */
  readonly count: number
  readonly branches: Spent
  /** Its entries, and the sum over them. */
  readonly entries: readonly SpentOnEntry[]
  readonly log: Spent
}

/** Returns what the commands say of each session of a store, the oldest first, and of all together. */
export async function said(
  repo: Repo,
): Promise<{ readonly sessions: SaidOfSession[]; readonly stats: Spent }> {
  const sessions: SaidOfSession[] = []
  const rows = [...(await listSessions(repo, { sort: 'created', reverse: true })).rows()]
  for (const { id, tokens, cost, head } of rows) {
    const entries: SpentOnEntry[] = []
    if (head !== null)
      for await (const { oid, added, view } of log(repo, id, { all: true, usage: true }))
        if (added) entries.push({ oid, call: view.usage?.call, ...ofEntry(added) })
    const { branches } = await branchList(repo, id, { figures: true })
    sessions.push({
      ...{ id, entries, count: branches.length },
      ls: spent(tokens?.total, cost),
      branches: sumOf(branches.map(({ figures }) => spent(figures?.tokens?.total, figures?.cost))),
      log: sumOf(entries),
    })
  }
  const { total } = await usageBy(repo, 'day')
  return { sessions, stats: spent(total.tokens?.total, total.cost) }
}

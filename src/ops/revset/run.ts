import { select as selectHandles } from '../../graph/evaluate.ts'
import { collected } from '../../model/async.ts'
import type { EntryHandle } from '../../model/node.ts'
import { type PriceOf, pricesWith } from '../../model/prices.ts'
import type { LogId } from '../../model/record.ts'
import type { RevsetExpression } from '../../model/revset/expression.ts'
import { parseRevset } from '../../model/revset/parse.ts'
import type { Zone } from '../../model/time.ts'
import type { Reader } from '../../repo/reader.ts'
import { RecordFinder } from '../../repo/records.ts'
import type { Repo } from '../../repo/repo.ts'
import { logsOf, type SessionTrunk } from '../../repo/session.ts'
import { type LogEntry, logEntry } from '../entries.ts'
import { type GraphEntry, type GraphHeading, sceneOf, yieldingLook } from '../graphentry.ts'
import { graphOf } from '../log.ts'
import { entryTest, type LogFilter } from '../logfilter.ts'
import { Outputs, withWholeResults } from '../outputs.ts'
import { SubagentFinder } from '../subagents.ts'
import { AddedUsage, RecordsAhead } from '../usage.ts'
import { selectorOf } from './compile.ts'
import { Scope, type ScopeOptions } from './scope.ts'

/** Options of a selection. */
export interface SelectOptions extends ScopeOptions {
  /** The maximum number of entries. */
  readonly limit?: number
  /** The zone of times that name none; UTC by default. */
  readonly zone?: Zone
  /** Find what the entries add to their model calls. */
  readonly usage?: boolean
  /** The prices of models, for costs that are compared; those of the table unless given. */
  readonly priceOf?: PriceOf
  /** Only the entries that pass it. */
  readonly filter?: LogFilter
  /** Show whole results, also of those that are in files beside the session. */
  readonly whole?: boolean
}

/**
 * Yields the entries of an expression, children before parents and otherwise the last stored first or, everywhere, the
 * newest first. Reads bodies only where the expression needs them, and only of entries that it yields or passes. Throws
 * `bad-expression`, and as `resolve`, with the position in the expression.
 */
export async function* select(
  repo: Repo,
  expression: string,
  options: SelectOptions = {},
): AsyncGenerator<LogEntry> {
  const parsed = parseRevset(expression)
  yield* repo.stream(async function* (reader) {
    const { filter = {}, limit, whole = false, ...where } = options
    const { handles, scope } = await selected(repo, reader, parsed, expression, where)
    let records: RecordOwners | undefined
    const [agents, outputs] = [new SubagentFinder(reader), new Outputs(reader)]
    const holds = entryTest(filter, repo.env.cwd)
    let left = limit ?? Number.POSITIVE_INFINITY
    try {
      if (left <= 0) return
      for await (const handle of handles) {
        records ??= recordOwners(reader, await scope.sessions(), options.usage)
        const { owners, only, ahead, added } = records
        const found = await ahead.find(handle)
        const session = found ? owners.get(found.log) : only
        const entry = await logEntry(reader, handle, session, found, { added, agents })
        const full = whole || filter.grep ? await withWholeResults(entry, outputs) : entry
        if (holds && !holds(full, session)) continue
        yield whole ? full : entry
        if (--left <= 0) return
      }
    } finally {
      await records?.finder.close()
    }
  })
}

/** Yields the entries of an expression as a graph, with edges over the entries between them. Throws as `select`. */
export async function* selectGraph(
  repo: Repo,
  expression: string,
  { digits = false, ...options }: SelectOptions & { readonly digits?: boolean } = {},
): AsyncGenerator<GraphHeading | GraphEntry> {
  const parsed = parseRevset(expression)
  yield* repo.stream(async function* (reader) {
    const { handles, scope } = await selected(repo, reader, parsed, expression, options)
    const found = await collected(handles)
    if (found.length === 0) return
    const sessions = await scope.sessions()
    const { finder, only } = recordOwners(reader, sessions)
    try {
      yield* graphOf(reader, found, { ...(await sceneOf(repo, reader, sessions, only)), finder, digits })
    } finally {
      await finder.close()
    }
  })
}

interface Selected {
  readonly handles: AsyncIterable<EntryHandle>
  /** Returns the sessions of the entries once the first entry was yielded. */
  readonly scope: Scope
}

async function selected(
  repo: Repo,
  reader: Reader,
  parsed: RevsetExpression,
  expression: string,
  { limit, zone = UTC, priceOf = pricesWith(), ...where }: SelectOptions,
): Promise<Selected> {
  const scope = new Scope(reader, where)
  const selector = await selectorOf(parsed, expression, { reader, scope, now: repo.env.now(), zone, priceOf })
  const handles = selectHandles(selector, {
    look: yieldingLook(repo, reader),
    ends: () => scope.visible(),
    ...(where.everywhere && { newness: () => newness(scope) }),
  })
  return { scope, handles: limit === undefined ? handles : few(handles, limit) }
}

async function* few<T>(all: AsyncIterable<T>, count: number): AsyncGenerator<T> {
  let left = count
  if (left <= 0) return
  for await (const one of all) {
    yield one
    if (--left <= 0) return
  }
}

const UTC: Zone = () => 0

async function newness(scope: Scope): Promise<(handle: EntryHandle) => number> {
  const times = await scope.times()
  return (handle) => times.get(handle) ?? 0
}

/** Finds the records of entries, and the sessions that own their logs. */
interface RecordOwners {
  readonly finder: RecordFinder
  readonly ahead: RecordsAhead
  /** Finds what entries add to their model calls, if that was asked for. */
  readonly added: AddedUsage | undefined
  readonly owners: ReadonlyMap<LogId, SessionTrunk>
  /** The one session where there is no other. */
  readonly only: SessionTrunk | undefined
}

function recordOwners(reader: Reader, sessions: readonly SessionTrunk[], usage = false): RecordOwners {
  const owners = new Map<LogId, SessionTrunk>()
  const logs: (readonly [log: LogId, count: number])[] = []
  for (const session of sessions)
    for (const base of logsOf(session)) {
      logs.push(base)
      if (!owners.has(base[0])) owners.set(base[0], session)
    }
  const finder = new RecordFinder(reader, logs)
  const ahead = new RecordsAhead((handle) => finder.find(handle))
  return {
    finder,
    ahead,
    added: usage ? new AddedUsage(reader, ahead.peek) : undefined,
    owners,
    only: sessions.length === 1 ? sessions[0] : undefined,
  }
}

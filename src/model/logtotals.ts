import { ownWords } from './prompt.ts'
import { callsOf } from './tokens.ts'
import type { Usage, View } from './view.ts'

/**
 * The facts of entries that lists show, kept with the head of their log so that no entry is read. Missing fields are
 * zero or unknown; tokens, and cost in US dollars, are sums over the model calls.
 */
export type LogTotals = Omit<Usage, 'call'> & {
  /** The number of prompts of the user. */
  readonly prompts?: number
  /** How many tools were called. */
  readonly calls?: number
  /** The model that was set or answered last. */
  readonly model?: string
  /** The usage of the newest model call, where it has a name: the next entries may repeat it. */
  readonly last?: Usage
}

/** Without entries there is nothing to say. */
export const NO_TOTALS: LogTotals = {}

/** The longest name of a model that is kept, in UTF-16 units. */
const LONGEST = 120

const COUNTS = ['input', 'output', 'cacheRead', 'cacheWrite', 'cost'] as const

type MutableFields<T> = { -readonly [K in keyof T]: T[K] }

/** Returns a summary with one more entry, in the order of the log; the same object if nothing changes. */
export function withView(summary: LogTotals, view: View): LogTotals {
  const prompts = ownWords(view) === undefined ? 0 : 1
  const calls = callsOf(view)
  const model = view.sets?.model?.id
  const { usage } = view
  if (prompts === 0 && calls === 0 && !model && !usage) return summary
  const next: MutableFields<LogTotals> = { ...summary }
  if (prompts > 0) next.prompts = (next.prompts ?? 0) + prompts
  if (calls > 0) next.calls = (next.calls ?? 0) + calls
  if (model) next.model = model === next.model ? next.model : model.slice(0, LONGEST).toWellFormed()
  if (usage) addUsage(next, usage)
  return next
}

/** Adds what a model call took. The entries of one call repeat its usage, which may grow from one to the next. */
function addUsage(summary: MutableFields<LogTotals>, usage: Usage): void {
  const repeats = usage.call !== undefined && usage.call === summary.last?.call
  const before = (repeats && summary.last) || NO_TOTALS
  for (const name of COUNTS) {
    const more = (usage[name] ?? 0) - (before[name] ?? 0)
    if (more > 0) summary[name] = (summary[name] ?? 0) + more
  }
  if (usage.call === undefined) return
  const call: MutableFields<Usage> = { ...before, ...usage }
  for (const name of COUNTS)
    if (call[name] !== undefined) call[name] = Math.max(before[name] ?? 0, usage[name] ?? 0)
  summary.last = call
}

/** Returns a summary without an entry that it counts and whose model call no other entry repeats. */
export function withoutView(summary: LogTotals, view: View): LogTotals {
  const one = withView(NO_TOTALS, view)
  const next: MutableFields<LogTotals> = { ...summary }
  for (const name of [...COUNTS, 'prompts', 'calls'] as const) {
    const left = (summary[name] ?? 0) - (one[name] ?? 0)
    if (left > 0) next[name] = left
    else delete next[name]
  }
  return next
}

/** Returns the summary of two logs; the newer one determines the last model. */
export function joinedTotals(newer: LogTotals = NO_TOTALS, older: LogTotals = NO_TOTALS): LogTotals {
  const joined: MutableFields<LogTotals> = { ...older, ...newer }
  for (const name of [...COUNTS, 'prompts', 'calls'] as const)
    if (joined[name] !== undefined) joined[name] = (newer[name] ?? 0) + (older[name] ?? 0)
  return joined
}

/** Returns the total tokens of a summary; undefined if none are known. */
export function usedTokens({ input, output, cacheRead, cacheWrite }: LogTotals): number | undefined {
  const known = [input, output, cacheRead, cacheWrite].filter((count) => count !== undefined)
  return known.length === 0 ? undefined : known.reduce((sum, count) => sum + count, 0)
}

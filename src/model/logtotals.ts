import { ownWords } from './prompt.ts'
import { type Spending, SpendingSums } from './spending.ts'
import { callsOf, type Weight } from './tokens.ts'
import { COUNTS, isCounted, ModelCalls, type PricedPart, type PricedSums, UsageSums } from './usage.ts'
import type { Usage, UsageCounts, View } from './view.ts'

/** The cost that an agent itself reports for a whole session, in US dollars. */
export type ReportedCost = {
  readonly cost: number
  /** The part of each model, where the agent tells. */
  readonly models?: { readonly [name: string]: number }
  /** Names the tally that the agent keeps. Copies of a session that go on with the same tally have equal names. */
  readonly tally?: string
}

/**
 * The facts of entries that lists show, kept with the head of their log so that no entry is read. Missing fields are
 * unknown; tokens, and cost in US dollars, are sums over the model calls.
 */
export type LogTotals = UsageCounts & {
  /** The number of prompts of the user. */
  readonly prompts?: number
  /** How many tools were called. */
  readonly calls?: number
  /** The model that was set or answered last. */
  readonly model?: string
  /**
   * The sums by price of the calls that have no cost of their own. Absent where all have one, and where none has one and
   * all have the price of short input of `model`.
   */
  readonly parts?: readonly PricedPart[]
  readonly reported?: ReportedCost
  /** The usage of the newest model calls that have names, the newest last: the next entries may repeat them. */
  readonly last?: readonly KeptCall[]
  /** The usage by time and model. Absent in heads that were written without it. */
  readonly spending?: Spending
}

/** The usage of a model call, and its model where that is not the one that was set last. */
type KeptCall = Usage & { readonly model?: string }

/** Without entries there is nothing to say. */
const NO_TOTALS: LogTotals = {}

/** The longest name of a model that is kept, in UTF-16 units. */
const LONGEST = 120

/** The number of newest model calls that the totals of a log keep, so that they may be repeated. */
const KEPT_CALLS = 4

/** Returns the name of a model as totals keep it. */
export const shortName = (model: string): string =>
  model.length <= LONGEST ? model : model.slice(0, LONGEST).toWellFormed()

/** Returns the usage in totals, by prices. */
export function sumsOf({ parts, model, ...totals }: LogTotals): PricedSums {
  const counts: { -readonly [K in keyof UsageCounts]: UsageCounts[K] } = {}
  for (const name of COUNTS) if (totals[name] !== undefined) counts[name] = totals[name]
  if (parts) return { counts, parts }
  const isPriced = isCounted(counts) && counts.cost === undefined
  return { counts, parts: isPriced ? [{ ...(model !== undefined && { model }), ...counts }] : [] }
}

/** Returns sums as totals keep them, beside the model that was set last. */
function keptSums({ counts, parts }: PricedSums, model: string | undefined): LogTotals {
  const [only] = parts
  const isImplied =
    only === undefined
      ? counts.cost !== undefined || !isCounted(counts)
      : parts.length === 1 && only.model === model && only.over === undefined && counts.cost === undefined
  return isImplied ? counts : { ...counts, parts }
}

/** Computes the totals of entries, added one by one in the order of the log. */
export class TotalsBuilder {
  private prompts: number
  private calls: number
  private model: string | undefined
  private readonly modelCalls = new ModelCalls()
  private readonly sums = new UsageSums()
  /** The newest model calls that have names, by these. */
  private readonly newest = new Map<string, KeptCall>()
  private readonly spending = new SpendingSums()
  private joined: boolean
  private readonly openings: Set<string>
  /** Whether the usage of all entries before is known by time and model. */
  private isSpent: boolean

  /** Continues the totals of entries that were added before. */
  constructor(before: LogTotals = NO_TOTALS) {
    this.prompts = before.prompts ?? 0
    this.calls = before.calls ?? 0
    this.model = before.model
    this.sums.addSums(sumsOf(before))
    if (before.spending) this.spending.addSums(before.spending)
    this.joined = before.spending?.joined ?? false
    this.openings = new Set(before.spending?.openings)
    this.isSpent = before.spending !== undefined || !isCounted(before)
    for (const { model = before.model ?? '', ...call } of before.last ?? []) {
      this.modelCalls.add(call, model)
      this.#keep({ ...call, model })
    }
  }

  /**
   * Adds an entry with the time of its record. `model` is the one that is set on its path, and is needed if it has usage
   * and sets none.
   */
  add(view: View, model = this.model ?? '', time?: number | null): void {
    const { usage, sets } = view
    if (ownWords(view) !== undefined) this.prompts++
    this.calls += callsOf(view)
    const own = sets?.model?.id
    if (own && own !== this.model) this.model = shortName(own)
    if (!usage) return
    const added = this.modelCalls.add(usage, shortName(own ?? model))
    this.sums.add(added)
    this.spending.add(added, time)
    if (usage.call !== undefined) this.#keep({ call: usage.call, ...added.now, model: added.model })
  }

  #keep(call: KeptCall): void {
    const { call: name = '' } = call
    this.newest.delete(name)
    this.newest.set(name, call)
    if (this.newest.size > KEPT_CALLS) this.newest.delete(this.newest.keys().next().value ?? '')
  }

  /** Adds usage that a later record reports for an entry on the path of which a model is set. */
  addUsage(counts: UsageCounts, model: string, time?: number | null): void {
    const added = { before: {}, now: counts, model: shortName(model) }
    this.sums.add(added)
    this.spending.add(added, time)
  }

  /** Records that an entry that a model wrote was in the store before. */
  join(): void {
    this.joined = true
  }

  /** Adds an opening: see `Spending`. */
  open(opening: string): void {
    this.openings.add(opening)
  }

  /** Takes back an entry that was added, and whose model call no other entry repeats. */
  remove(view: View, model = this.model ?? ''): void {
    const { usage, sets } = view
    if (ownWords(view) !== undefined) this.prompts--
    this.calls -= callsOf(view)
    if (usage) this.sums.remove(usage, shortName(sets?.model?.id ?? model))
  }

  #spendingNow(): Spending {
    const openings = [...this.openings]
    return {
      ...this.spending.value,
      ...(this.joined && { joined: true }),
      ...(openings.length > 0 && { openings }),
    }
  }

  /** The totals of what was added. */
  get totals(): LogTotals {
    const last = [...this.newest.values()].map(({ model, ...call }) =>
      model === (this.model ?? '') ? call : { ...call, ...(model !== undefined && { model }) },
    )
    const sums = this.sums.value
    return {
      ...(this.prompts > 0 && { prompts: this.prompts }),
      ...(this.calls > 0 && { calls: this.calls }),
      ...(this.model !== undefined && { model: this.model }),
      ...keptSums(sums, this.model),
      ...(last.length > 0 && { last }),
      ...(this.isSpent && isCounted(sums.counts) && { spending: this.#spendingNow() }),
    }
  }
}

/**
 * Returns totals with an entry that has no usage and sets no model, by its weight: most entries are so, and only change two
 * counts.
 */
export const withPlainEntry = (
  { prompts = 0, calls = 0, ...rest }: LogTotals,
  added: Pick<Weight, 'prompts' | 'calls'>,
): LogTotals => ({
  ...(prompts + added.prompts > 0 && { prompts: prompts + added.prompts }),
  ...(calls + added.calls > 0 && { calls: calls + added.calls }),
  ...rest,
})

/** Returns the totals of two logs; the newer one determines the last model. */
export function joinedTotals(newer: LogTotals = NO_TOTALS, older: LogTotals = NO_TOTALS): LogTotals {
  const sums = new UsageSums()
  for (const totals of [older, newer]) sums.addSums(sumsOf(totals))
  const { parts: _, spending: _spending, ...joined } = { ...older, ...newer }
  for (const name of ['prompts', 'calls'] as const)
    if (joined[name] !== undefined) joined[name] = (newer[name] ?? 0) + (older[name] ?? 0)
  return { ...joined, ...keptSums(sums.value, joined.model) }
}

/** Returns totals with a model, where no entry names one. */
export const withModel = (totals: LogTotals, model: string | undefined): LogTotals =>
  totals.model === undefined && model !== undefined
    ? { ...totals, model: model.slice(0, LONGEST).toWellFormed() }
    : totals

/**
 * Returns totals with the usage that a source states for all its model calls together, at the time of its newest record,
 * unless its entries have usage.
 */
export function withWhole(totals: LogTotals, whole: UsageCounts, time: number | null): LogTotals {
  if (isCounted(totals) || !isCounted(whole)) return totals
  const spending = new SpendingSums()
  spending.addWhole(whole, totals.model ?? '', time)
  return { ...totals, ...whole, spending: { ...totals.spending, ...spending.value } }
}

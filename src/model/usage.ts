import { costOf, longInput, type PriceOf } from './prices.ts'
import type { Usage, UsageCounts } from './view.ts'

/** The fields of usage that are counts, in the order in which they are stored. */
export const COUNTS = ['input', 'output', 'cacheRead', 'cacheWrite', 'cacheWriteLong', 'cost'] as const

export type MutableCounts = { -readonly [K in keyof UsageCounts]: UsageCounts[K] }

/** Returns whether anything is counted. */
export const isCounted = (counts: UsageCounts): boolean => COUNTS.some((name) => counts[name] !== undefined)

/** Adds counts to others, or subtracts them. */
function addTo(sum: MutableCounts, counts: UsageCounts, sign = 1): void {
  for (const name of COUNTS) {
    const count = counts[name]
    if (count !== undefined) sum[name] = (sum[name] ?? 0) + sign * count
  }
}

/** Returns the sum of counts. */
export function addCounts(one: UsageCounts, other: UsageCounts): UsageCounts {
  const sum: MutableCounts = { ...one }
  addTo(sum, other)
  return sum
}

/** Returns what counts have more than earlier ones; undefined if that is nothing. */
export function countsSince(before: UsageCounts, now: UsageCounts): UsageCounts | undefined {
  const more: MutableCounts = {}
  for (const name of COUNTS) {
    const step = (now[name] ?? 0) - (before[name] ?? 0)
    if (step > 0) more[name] = step
  }
  return isCounted(more) ? more : undefined
}

/** Returns the larger of two counts each. A count below zero is none. */
export function largerCounts(one: UsageCounts, other: UsageCounts): UsageCounts {
  const larger: MutableCounts = { ...one }
  for (const name of COUNTS) {
    const count = other[name]
    if (count !== undefined && count >= (one[name] ?? 0)) larger[name] = count
  }
  return larger
}

/** Returns the total tokens of counts; undefined if none are known. */
export function usedTokens({ input, output, cacheRead, cacheWrite }: UsageCounts): number | undefined {
  const known = [input, output, cacheRead, cacheWrite].filter((count) => count !== undefined)
  return known.length === 0 ? undefined : known.reduce((sum, count) => sum + count, 0)
}

/** Tokens by what they were, and all together. */
export interface Tokens {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
  /** The part of `cacheWrite` that is kept for an hour, if there is one. */
  readonly cacheWriteLong?: number
  readonly total: number
}

/** Returns tokens, with what is not known as 0; null if none are known. */
export function tokensOfCounts(counts: UsageCounts): Tokens | null {
  const total = usedTokens(counts)
  if (total === undefined) return null
  const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0, cacheWriteLong = 0 } = counts
  return { input, output, cacheRead, cacheWrite, ...(cacheWriteLong > 0 && { cacheWriteLong }), total }
}

/** The contribution of an entry to its model call: the counts of the call before it and with it, and the model of the call. */
export interface CallUsage {
  readonly before: UsageCounts
  readonly now: UsageCounts
  /** Empty if it is unknown. */
  readonly model: string
}

/** The usage of a call as far as it is known. */
type KnownCall = Pick<CallUsage, 'now' | 'model'>

const NO_COUNTS: UsageCounts = {}

/** The count of a call that has none: known counts are not below zero. */
const UNKNOWN = -1

/**
 * Model calls, each counted once. The entries of one call repeat its usage, which may grow from one to the next. Their counts
 * are in one list: objects would take most of the time in which the state of a reader is restored.
 */
export class ModelCalls {
  /** The numbers of calls by their names. */
  private readonly numbers = new Map<string, number>()
  /** By number: the counts of a call in the order of `COUNTS`. */
  private readonly counts: number[] = []
  /** By number: the model of a call. */
  private readonly models: string[] = []

  /** Whether a call was counted before. */
  has(call: string | undefined): boolean {
    return call !== undefined && this.numbers.has(call)
  }

  /** Counts the usage of an entry that was written by a model. A call is one of the model of its first entry. */
  add({ call, ...counts }: Usage, model: string): CallUsage {
    const number = call === undefined ? undefined : this.numbers.get(call)
    const added = addedUsage(number === undefined ? undefined : this.#known(number), counts, model)
    if (call !== undefined) this.#keep(call, number ?? this.numbers.size, added)
    return added
  }

  #known(number: number): KnownCall {
    const now: MutableCounts = {}
    for (const [i, name] of COUNTS.entries()) {
      const count = this.counts[number * COUNTS.length + i] as number
      if (count !== UNKNOWN) now[name] = count
    }
    return { now, model: this.models[number] as string }
  }

  #keep(call: string, number: number, { now, model }: KnownCall): void {
    for (const [i, name] of COUNTS.entries()) this.counts[number * COUNTS.length + i] = now[name] ?? UNKNOWN
    this.models[number] = model
    this.numbers.set(call, number)
  }
}

/** Returns what the usage of an entry adds to its call, of which the entries before it tell something. */
const addedUsage = (known: KnownCall | undefined, counts: UsageCounts, model: string): CallUsage =>
  known
    ? { before: known.now, now: largerCounts(known.now, counts), model: known.model }
    : { before: NO_COUNTS, now: largerCounts(NO_COUNTS, counts), model }

/**
 * Sums over model calls without a cost of their own that have one price: they are of one model, and their input exceeds
 * the same length, as `longInput` returns it (0 by default).
 */
export type PricedPart = UsageCounts & { readonly model?: string; readonly over?: number }

/** Sums over model calls: of all of them, and of those that have no cost of their own by their prices. */
export interface PricedSums {
  readonly counts: UsageCounts
  readonly parts: readonly PricedPart[]
}

/** The sums of the usage of model calls. */
export interface UsageTotals {
  /** Tokens of the model calls as their agent records them; null where it does not. */
  readonly tokens: Tokens | null
  /** Their cost in US dollars, recorded by the agent or computed by list prices; null where neither is known. */
  readonly cost: number | null
  /** The part of the cost that is computed. */
  readonly computed: number
  /** The tokens of model calls of which neither the cost nor a price is known. */
  readonly unpriced: number
}

/** Returns the cost of the parts whose model has a price; undefined if none has. */
export function computeCost(parts: readonly PricedPart[], priceOf: PriceOf | undefined): number | undefined {
  let computed: number | undefined
  for (const part of parts) {
    const price = priceOf?.(part.model ?? '')
    if (price) computed = (computed ?? 0) + costOf(part, price, part.over ?? 0)
  }
  return computed
}

/** Returns sums with their cost, which is computed for calls that have none. */
export function priceSums({ counts, parts }: PricedSums, priceOf: PriceOf | undefined): UsageTotals {
  const computed = computeCost(parts, priceOf)
  const unpriced = parts.reduce(
    (sum, part) => sum + (priceOf?.(part.model ?? '') ? 0 : (usedTokens(part) ?? 0)),
    0,
  )
  const { cost: recorded } = counts
  return {
    tokens: tokensOfCounts(counts),
    cost: recorded === undefined && computed === undefined ? null : (recorded ?? 0) + (computed ?? 0),
    computed: computed ?? 0,
    unpriced,
  }
}

/** Returns the cost that an entry adds; undefined if it has none and its model no price. */
export function addedCost({ before, now, model }: CallUsage, priceOf: PriceOf): number | undefined {
  const price = priceOf(model)
  const costIn = (counts: UsageCounts): number | undefined => counts.cost ?? (price && costOf(counts, price))
  const cost = costIn(now)
  return cost === undefined ? undefined : cost - (costIn(before) ?? 0)
}

/** Returns the tokens that an entry adds; undefined if it has none. */
export const addedTokens = ({ before, now }: CallUsage): number | undefined => {
  const tokens = usedTokens(now)
  return tokens === undefined ? undefined : tokens - (usedTokens(before) ?? 0)
}

/** The sums of one price, and the number of calls in them. */
interface CountedPart {
  readonly model: string
  readonly over: number
  readonly counts: MutableCounts
  calls: number
}

/** Adds up the usage of model calls so that it can be priced afterwards. */
export class UsageSums {
  private readonly counts: MutableCounts = {}
  private readonly parts = new Map<string, CountedPart>()

  /** Adds what an entry adds to its call. */
  add({ before, now, model }: CallUsage): void {
    this.#addCall(before, model, -1)
    this.#addCall(now, model, 1)
  }

  /** Takes back the usage of a call. */
  remove(counts: UsageCounts, model: string): void {
    this.#addCall(counts, model, -1)
  }

  /** Adds the sum of several calls of one model. The length of each is unknown. */
  addWhole(counts: UsageCounts, model: string): void {
    addTo(this.counts, counts)
    if (counts.cost === undefined) this.#addPart(counts, { model, over: 0 }, 1)
  }

  /** Adds other sums. */
  addSums({ counts, parts }: PricedSums): void {
    addTo(this.counts, counts)
    for (const { model = '', over = 0, ...sums } of parts) this.#addPart(sums, { model, over }, 1)
  }

  #addCall(counts: UsageCounts, model: string, sign: 1 | -1): void {
    if (!isCounted(counts)) return
    addTo(this.counts, counts, sign)
    if (counts.cost === undefined) this.#addPart(counts, { model, over: longInput(counts) }, sign)
  }

  #addPart(counts: UsageCounts, { model, over }: Pick<CountedPart, 'model' | 'over'>, sign: 1 | -1): void {
    const key = `${over} ${model}`
    let part = this.parts.get(key)
    if (!part) this.parts.set(key, (part = { model, over, counts: {}, calls: 0 }))
    addTo(part.counts, counts, sign)
    part.calls += sign
    if (part.calls === 0 && COUNTS.every((name) => !part.counts[name])) this.parts.delete(key)
  }

  get value(): PricedSums {
    const parts = [...this.parts.values()].map(({ model, over, counts }) => ({
      ...(model !== '' && { model }),
      ...(over > 0 && { over }),
      ...counts,
    }))
    return { counts: { ...this.counts }, parts }
  }
}

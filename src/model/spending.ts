import { longInput } from './prices.ts'
import { type CallUsage, COUNTS, isCounted, type UsageSums } from './usage.ts'
import type { UsageCounts } from './view.ts'

/**
 * Sums over model calls of one model within a quarter of an hour: the quarter (null where no time is known), the model by
 * its index, the price (the length of input that the calls exceed, as `longInput` returns it; null for calls that have a
 * cost of their own), how many calls begin in it, and their counts in the order of `COUNTS`, without nulls at the end.
 * Days of all zones consist of quarters.
 */
export type SpendingRow = readonly (number | null)[]

/** The usage of a log by time and model, kept with its head. */
export type Spending = {
  /** The names of models; empty where one is unknown. */
  readonly models: readonly string[]
  readonly rows: readonly SpendingRow[]
  /** Whether an entry that a model wrote was in the store before: another session may count its usage. */
  readonly joined?: true
  /**
   * The beginnings of the oids of the first prompts on the paths of the log; of paths with usage and without a prompt, of
   * the roots. Logs that share usage have one in common.
   */
  readonly openings?: readonly string[]
}

/** The length of a quarter of an hour, in milliseconds. */
const QUARTER = 15 * 60_000

/** The number of hex digits that are kept of an opening. */
const DIGITS = 12

/** Returns the part of an oid that is kept of an opening. */
export const openingOf = (oid: string): string => oid.slice(0, DIGITS)

/** The fields of a row before its counts. */
const FIELDS_BEFORE = 4

/** A row as it is summed up. */
interface OpenRow {
  readonly at: number | null
  readonly model: string
  readonly over: number | null
  calls: number
  readonly counts: (number | null)[]
}

/** Sums up usage by time and model. */
export class SpendingSums {
  private readonly rows = new Map<string, OpenRow>()

  /** Adds what an entry adds to its call, at a time in milliseconds since 1970. */
  add({ before, now, model }: CallUsage, time: number | null | undefined): void {
    const at = typeof time === 'number' ? Math.floor(time / QUARTER) : null
    this.#addCounts(before, model, at, -1)
    const row = this.#addCounts(now, model, at, 1)
    if (row && !isCounted(before)) row.calls++
  }

  /** Adds the sum of several calls of one model, whose number is unknown. */
  addWhole(counts: UsageCounts, model: string, time: number | null): void {
    const row = this.#row(time === null ? null : Math.floor(time / QUARTER), model, priceOfWhole(counts))
    addTo(row.counts, countsIn(counts), 1)
  }

  /** Adds other sums. */
  addSums({ models, rows }: Pick<Spending, 'models' | 'rows'>): void {
    for (const [at = null, model, over = null, calls, ...counts] of rows) {
      const row = this.#row(at, models[model ?? 0] ?? '', over)
      row.calls += calls ?? 0
      addTo(row.counts, counts, 1)
    }
  }

  #addCounts(counts: UsageCounts, model: string, at: number | null, sign: 1 | -1): OpenRow | undefined {
    if (!isCounted(counts)) return undefined
    const row = this.#row(at, model, counts.cost === undefined ? longInput(counts) : null)
    addTo(row.counts, countsIn(counts), sign)
    return row
  }

  #row(at: number | null, model: string, over: number | null): OpenRow {
    const key = `${at} ${over} ${model}`
    let row = this.rows.get(key)
    if (!row) this.rows.set(key, (row = { at, model, over, calls: 0, counts: [] }))
    return row
  }

  /** The sums, with the names of the models. */
  get value(): Pick<Spending, 'models' | 'rows'> {
    const models = [...new Set([...this.rows.values()].map(({ model }) => model))]
    const numbers = new Map(models.map((model, i) => [model, i]))
    const rows = [...this.rows.values()].map(({ at, model, over, calls, counts }): SpendingRow => {
      const dense = Array.from(counts, (count) => count ?? null)
      return [at, numbers.get(model) as number, over, calls, ...dense]
    })
    return { models, rows }
  }
}

const priceOfWhole = ({ cost }: UsageCounts): number | null => (cost === undefined ? 0 : null)

const countsIn = (counts: UsageCounts): (number | null)[] => COUNTS.map((name) => counts[name] ?? null)

function addTo(sums: (number | null)[], counts: readonly (number | null | undefined)[], sign: 1 | -1): void {
  for (const [i, count] of counts.entries())
    if (typeof count === 'number') sums[i] = (sums[i] ?? 0) + sign * count
}

/** Returns the time at which the quarter of a row begins, in milliseconds since 1970; null where it is unknown. */
export const timeOfRow = ([at]: SpendingRow): number | null => (typeof at === 'number' ? at * QUARTER : null)

/** Returns the model of a row. */
export const modelOfRow = ({ models }: Pick<Spending, 'models'>, [, model]: SpendingRow): string =>
  models[model ?? 0] ?? ''

/** Returns the number of calls that begin in a row. */
export const callsOfRow = ([, , , calls]: SpendingRow): number => calls ?? 0

/** The sums of rows of one model and price: the counts in the order of `COUNTS`, null where no row has one. */
interface ModelSums {
  readonly model: string
  readonly over: number | null
  readonly counts: (number | null)[]
}

/**
 * Sums up rows by model and price. Lists have tens of thousands of them, each added to a group: objects of counts take
 * four times as long (`sess stats --by`, a store of 10,000 sessions).
 */
export class RowSums {
  readonly #sums: ModelSums[] = []

  add(row: SpendingRow, model: string): void {
    const over = row[2] ?? null
    // There are few models and prices.
    const known = this.#sums.find((one) => one.over === over && one.model === model)
    const { counts } = known ?? this.#begin(model, over)
    for (let i = 0; i < counts.length; i++) {
      const count = row[FIELDS_BEFORE + i]
      if (typeof count === 'number') counts[i] = (counts[i] ?? 0) + count
    }
  }

  #begin(model: string, over: number | null): ModelSums {
    const begun: ModelSums = { model, over, counts: COUNTS.map(() => null) }
    this.#sums.push(begun)
    return begun
  }

  /** Adds other sums. */
  addAll(other: RowSums): void {
    for (const { model, over, counts } of other.#sums) this.add([null, 0, over, 0, ...counts], model)
  }

  /** Adds what was summed up to sums that can be priced. */
  addTo(sums: UsageSums): void {
    for (const { model, over, counts } of this.#sums) addRow(sums, [null, 0, over, 0, ...counts], model)
  }
}

/** Adds a row to sums that can be priced. */
function addRow(sums: UsageSums, row: SpendingRow, model: string): void {
  const counts: { -readonly [K in keyof UsageCounts]: UsageCounts[K] } = {}
  for (const [i, name] of COUNTS.entries()) {
    const count = row[FIELDS_BEFORE + i]
    if (typeof count === 'number') counts[name] = count
  }
  const over = row[2] ?? null
  sums.addSums({ counts, parts: over === null ? [] : [{ ...counts, model, over }] })
}

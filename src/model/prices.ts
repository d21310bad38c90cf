import type { UsageCounts } from './view.ts'

/**
 * The list prices of models, by which the cost of a session is computed where its agent does not record it. A price is in
 * US dollars per million tokens, in the standard tier of the provider's own API; discounts, subscriptions and other tiers
 * are not known to the store. A model that is not in the table has no price: none is guessed from a similar name.
 */

/** The prices of one model in US dollars per million tokens. */
export interface Price {
  /** Input that is in no cache. */
  readonly input: number
  /** Input that is read from the cache. */
  readonly cached: number
  readonly output: number
  /** Input that is written to the cache; as `input` where the provider does not charge for it separately. */
  readonly cacheWrite?: number
  /** Input that is written to the cache for an hour; as `cacheWrite` where the provider does not charge for it separately. */
  readonly cacheWriteLong?: number
  /** The prices of a model call whose whole input has more tokens than `over`. */
  readonly long?: { readonly over: number } & Omit<Price, 'long'>
}

/** Prices from one page of a provider. */
interface PriceList {
  readonly source: string
  /** The day on which the page was read. */
  readonly date: string
  readonly models: Readonly<Record<string, Price>>
}

/**
 * Returns a price of Anthropic, which charges a quarter more than for input for what is cached for five minutes, and twice
 * as much for what is cached for an hour.
 */
const claude = (input: number, output: number, cached = input / 10): Price => ({
  input,
  cached,
  output,
  cacheWrite: input * 1.25,
  cacheWriteLong: input * 2,
})

/** Returns a price of OpenAI; with `over`, twice the input's and 1.5 times the output's for longer input. */
function gpt(
  input: number,
  output: number,
  { over, write = false }: { over?: number; write?: boolean } = {},
): Price {
  const at = (times: number, out: number): Price => ({
    input: input * times,
    cached: (input * times) / 10,
    output: output * out,
    ...(write && { cacheWrite: input * times * 1.25 }),
  })
  return { ...at(1, 1), ...(over !== undefined && { long: { over, ...at(2, 1.5) } }) }
}

const LONG = { over: 272_000 }

export const PRICES: readonly PriceList[] = [
  {
    source: 'https://platform.claude.com/docs/en/about-claude/pricing',
    date: '2026-11-26',
    models: {
      'claude-fable-5-1': claude(10, 50, 0.25),
      'claude-fable-5': claude(10, 50),
      'claude-opus-5-5': claude(4, 20, 0.2),
      'claude-opus-5': claude(5, 25),
      'claude-opus-4-8': claude(5, 25),
      'claude-opus-4-7': claude(5, 25),
      'claude-opus-4-6': claude(5, 25),
      'claude-opus-4-5': claude(5, 25),
      'claude-opus-4-1': claude(15, 75),
      'claude-opus-4': claude(15, 75),
      'claude-sonnet-5-5': claude(2, 10, 0.1),
      'claude-sonnet-5': claude(2, 10),
      'claude-sonnet-4-6': claude(3, 15),
      'claude-sonnet-4-5': claude(3, 15),
      'claude-sonnet-4': claude(3, 15),
      'claude-3-7-sonnet': claude(3, 15),
      'claude-3-5-sonnet': claude(3, 15),
      'claude-haiku-5-5': { ...claude(0.1, 0.5), long: { over: 100_000, ...claude(0.5, 2.5) } },
      'claude-haiku-4-5': claude(1, 5),
      'claude-3-5-haiku': claude(0.8, 4),
    },
  },
  {
    source: 'https://developers.openai.com/api/docs/pricing',
    date: '2026-11-26',
    models: {
      'gpt-5.6-sol': gpt(5, 30, { ...LONG, write: true }),
      'gpt-5.6-terra': gpt(2, 12, { ...LONG, write: true }),
      'gpt-5.6-luna': gpt(0.2, 1.2, { over: 200_000, write: true }),
      'gpt-5.5': gpt(5, 30, LONG),
      'gpt-5.4': gpt(2.5, 15, LONG),
      'gpt-5.4-mini': gpt(0.75, 4.5),
      'gpt-5.4-nano': gpt(0.2, 1.25),
      'gpt-5.3-codex': gpt(1.75, 14),
      'gpt-5.2': gpt(1.75, 14),
      'gpt-5.2-codex': gpt(1.75, 14),
      'gpt-5.1': gpt(1.25, 10),
      'gpt-5.1-codex': gpt(1.25, 10),
      'gpt-5': gpt(1.25, 10),
      'gpt-5-codex': gpt(1.25, 10),
      'gpt-5-mini': gpt(0.25, 2),
      'gpt-5-nano': gpt(0.05, 0.4),
      'gpt-4.1': { input: 2, cached: 0.5, output: 8 },
      'codex-mini-latest': { input: 1.5, cached: 0.375, output: 6 },
    },
  },
]

/** Returns the price of a model by its name as an agent records it; undefined for an unknown model. */
export type PriceOf = (model: string) => Price | undefined

/**
 * Returns a function that finds prices: own ones first, then those of the table. Providers in front of the name
 * (`anthropic/`), dates after it and the mark of a long context (`[1m]`) make no difference.
 */
export function pricesWith(own = (): ReadonlyMap<string, Price> | undefined => undefined): PriceOf {
  // Made on use: most verbs count no costs.
  let known: Map<string, Price> | undefined
  return (model) => (known ??= allPrices(own())).get(plainName(model))
}

function allPrices(own: ReadonlyMap<string, Price> = new Map()): Map<string, Price> {
  const known = new Map<string, Price>()
  for (const { models } of PRICES)
    for (const [name, price] of Object.entries(models)) known.set(plainName(name), price)
  for (const [name, price] of own) known.set(plainName(name), price)
  return known
}

const plainName = (model: string): string =>
  model
    .toLowerCase()
    .replace(/^.*\//, '')
    .replace(/\[1m\]$/, '')
    .replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2})$/, '')
    .replaceAll('.', '-')

/** The lengths of input above which some model of the table costs more, in ascending order. */
const LONG_INPUTS: readonly number[] = [
  ...new Set(PRICES.flatMap(({ models }) => Object.values(models).flatMap(({ long }) => long?.over ?? []))),
].sort((a, b) => a - b)

const inputOf = ({ input = 0, cacheRead = 0, cacheWrite = 0 }: UsageCounts): number =>
  input + cacheRead + cacheWrite

/** Returns the longest of these lengths that the input of a model call exceeds; 0 for a shorter one. */
export function longInput(call: UsageCounts): number {
  const length = inputOf(call)
  return LONG_INPUTS.findLast((over) => length > over) ?? 0
}

const MILLION = 1e6

/**
 * Returns the cost of tokens in US dollars: those of one model call or, with `over`, of several, the input of each of which
 * exceeds that length as `longInput` returns it.
 */
export function costOf(counts: UsageCounts, price: Price, over?: number): number {
  const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0, cacheWriteLong = 0 } = counts
  const { long: higher } = price
  const isLong = higher && (over === undefined ? inputOf(counts) > higher.over : over >= higher.over)
  const rates = isLong ? higher : price
  const { cacheWrite: written = rates.input, cacheWriteLong: writtenLong = written } = rates
  const long = Math.min(cacheWrite, cacheWriteLong)
  const paid =
    input * rates.input +
    cacheRead * rates.cached +
    (cacheWrite - long) * written +
    long * writtenLong +
    output * rates.output
  return paid / MILLION
}

/**
 * Returns own prices from a text such as `my-model=1.25/0.125/10, other=2/0.2/8/2.5/4`: dollars per million tokens of
 * input, cached input, output and, where these have their own price, input that is written to the cache and input that is
 * written to it for an hour. Undefined for a bad text.
 */
export function parsePrices(text: string): ReadonlyMap<string, Price> | undefined {
  const prices = new Map<string, Price>()
  for (const part of text.split(',')) {
    if (part.trim() === '') continue
    const [, name, rates = ''] = /^\s*([^=\s]+)\s*=\s*([\d./]+)\s*$/.exec(part) ?? []
    const all = rates.split('/').map((rate) => (rate === '' ? Number.NaN : Number(rate)))
    const [input, cached, output, cacheWrite, cacheWriteLong] = all
    const isGood = all.length >= 3 && all.length <= 5 && all.every(Number.isFinite)
    if (name === undefined || !isGood) return undefined
    prices.set(name, {
      input: input as number,
      cached: cached as number,
      output: output as number,
      ...(cacheWrite !== undefined && { cacheWrite }),
      ...(cacheWriteLong !== undefined && { cacheWriteLong }),
    })
  }
  return prices
}

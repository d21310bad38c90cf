import { asString, field, type Json } from '../../model/json.ts'
import type { Usage } from '../../model/view.ts'

const COUNTS = ['input', 'output', 'cacheRead', 'cacheWrite'] as const

const NONE = {}

/** The names of the counts in an agent's records. */
export type CountNames = { readonly [K in (typeof COUNTS)[number]]?: string }

/** Returns the counts of a value, by the agent's names for them, as part of a view; nothing if it has none. */
export function countsIn(value: Json | undefined, names: CountNames): { readonly usage?: Usage } {
  const usage: { -readonly [K in keyof Usage]: Usage[K] } = {}
  for (const key of COUNTS) {
    const count = field(value, names[key] ?? '')
    if (typeof count === 'number') usage[key] = count
  }
  return Object.keys(usage).length === 0 ? {} : { usage }
}

const OWN_NAMES: CountNames = {
  input: 'input',
  output: 'output',
  cacheRead: 'cacheRead',
  cacheWrite: 'cacheWrite',
}

/** The names of the counts in records of agents on Gemini's API. */
interface GeminiNames {
  readonly input: string
  readonly output: string
  readonly thoughts: string
  readonly cached: string
}

/** Returns the usage of a call of Gemini's API. Cached tokens are part of its input, thinking is no part of its output. */
export function geminiUsage(value: Json | undefined, names: GeminiNames): { readonly usage: Usage } {
  const count = (name: string): number => {
    const number = field(value, name)
    return typeof number === 'number' ? number : 0
  }
  const cacheRead = count(names.cached)
  const input = Math.max(0, count(names.input) - cacheRead)
  return { usage: { input, output: count(names.output) + count(names.thoughts), cacheRead } }
}

/**
 * Returns the usage of a message in pi's form, as part of a view: `{ input, output, cacheRead, cacheWrite, cost }`.
 * The cost is in US dollars, or an object with a `total`; `call` names the model call if several messages repeat it.
 * Nothing if there is none.
 */
export function usageIn(message: Json | undefined): { readonly usage?: Usage } {
  const source = field(message, 'usage')
  if (source === undefined) return NONE
  const usage: { -readonly [K in keyof Usage]: Usage[K] } = { ...countsIn(source, OWN_NAMES).usage }
  const costs = field(source, 'cost')
  const cost = field(costs, 'total') ?? costs
  if (typeof cost === 'number') usage.cost = cost
  if (Object.keys(usage).length === 0) return NONE
  const call = asString(field(source, 'call'))
  if (call !== undefined) usage.call = call
  return { usage }
}

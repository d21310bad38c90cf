import { asString, field, type Json } from '../../model/json.ts'
import type { Usage } from '../../model/view.ts'

const COUNTS = ['input', 'output', 'cacheRead', 'cacheWrite'] as const

/** What tells no usage. */
const NONE = {}

/** The names that an agent gives the counts. */
export type CountNames = { readonly [K in (typeof COUNTS)[number]]?: string }

/** Returns the counts that a value tells by names of its agent, as part of a view; nothing where it tells none. */
export function countsIn(told: Json | undefined, names: CountNames): { readonly usage?: Usage } {
  const usage: { -readonly [K in keyof Usage]: Usage[K] } = {}
  for (const key of COUNTS) {
    const count = field(told, names[key] ?? '')
    if (typeof count === 'number') usage[key] = count
  }
  return Object.keys(usage).length === 0 ? {} : { usage }
}

/**
 * Returns the usage that a message tells in pi's words, as part of a view: `{ input, output, cacheRead, cacheWrite, cost }`,
 * of which the cost is US dollars or an object whose `total` they are, and `call` names the model call where several
 * messages repeat it. Nothing where none is told.
 */
export function usageIn(message: Json | undefined): { readonly usage?: Usage } {
  const source = field(message, 'usage')
  if (source === undefined) return NONE
  const usage: { -readonly [K in keyof Usage]: Usage[K] } = {}
  for (const key of COUNTS) {
    const count = field(source, key)
    if (typeof count === 'number') usage[key] = count
  }
  const told = field(source, 'cost')
  const cost = field(told, 'total') ?? told
  if (typeof cost === 'number') usage.cost = cost
  if (Object.keys(usage).length === 0) return NONE
  const call = asString(field(source, 'call'))
  if (call !== undefined) usage.call = call
  return { usage }
}

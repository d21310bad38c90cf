import { field, type JsonObject } from '../../model/json.ts'
import type { Usage } from '../../model/view.ts'
import { countsIn } from '../usage.ts'

/** Gives what an event says that all model calls of its thread took; undefined where it says nothing of it. */
export function totalIn(event: JsonObject): Usage | undefined {
  if (event.type !== 'token_count') return undefined
  const { usage } = countsIn(field(field(event, 'info'), 'total_token_usage'), {
    input: 'input_tokens',
    output: 'output_tokens',
    cacheRead: 'cached_input_tokens',
  })
  if (usage?.input === undefined) return usage
  // What was read from the cache is part of what went in.
  return { ...usage, input: Math.max(0, usage.input - (usage.cacheRead ?? 0)) }
}

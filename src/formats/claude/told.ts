import type { Json } from '../../model/json.ts'
import { listAt, textAt } from './look.ts'

/**
 * Gives the words of a part of a result that is no message's own: a tool that was looked up, what a search found, what ran
 * at the provider, or why that failed. Undefined where it has none.
 */
export function toldIn(part: Json | undefined): string | undefined {
  const type = textAt(part, 'type') ?? ''
  if (type.endsWith('_error')) return textAt(part, 'error_code')
  const words = (WORDS.get(type) ?? []).flatMap((key) => textAt(part, key) || [])
  const inner = type === 'search_result' ? listAt(part, 'content') : []
  const all = [...words, ...inner.flatMap((one) => textAt(one, 'text') || [])]
  return all.length === 0 ? undefined : all.join('\n')
}

/** Where the words of such parts stand, by type. */
const WORDS: ReadonlyMap<string, readonly string[]> = new Map([
  ['tool_reference', ['tool_name']],
  ['search_result', ['title', 'source']],
  ['web_search_result', ['title', 'url']],
  ['code_execution_result', ['stdout', 'stderr']],
  ['bash_code_execution_result', ['stdout', 'stderr']],
  ['advisor_result', ['text']],
])

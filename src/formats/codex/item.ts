import { asString, items, type Json, type JsonObject } from '../../model/json.ts'
import { opened } from './body.ts'

/** The items that stand bare on a line in files of mid-2025. */
const BARE: ReadonlySet<string> = new Set([
  ...['message', 'reasoning', 'function_call', 'function_call_output'],
  ...['function_result', 'tool_call', 'tool_result'],
  ...['custom_tool_call', 'custom_tool_call_output', 'local_shell_call', 'local_shell_call_output'],
  ...['web_search_call', 'image_generation_call', 'tool_search_call', 'tool_search_output', 'compaction'],
])

/** Gives an item's kind: its type, `message` where only a role is given, `item` for no plain word. */
export function kindOf(item: JsonObject): string {
  const type = asString(item.type)
  if (type === undefined) return asString(item.role) === undefined ? 'item' : 'message'
  return /^[A-Za-z0-9_]{1,64}$/.test(type) ? type : 'item'
}

/** Tells whether a line without an envelope is an item. */
export const isBareItem = (line: JsonObject): boolean =>
  line.type === undefined ? asString(line.role) !== undefined : BARE.has(asString(line.type) ?? '')

/**
 * What Codex puts into the conversation in the user's name: from this beginning to this end, in any case of
 * letters (codex-rs, `contextual_user_message`).
 */
const INJECTED: readonly (readonly [begin: string, end: string])[] = [
  ['# agents.md instructions', '</instructions>'],
  ['<environment_context>', '</environment_context>'],
  ['<user_instructions>', '</user_instructions>'],
  ['<skill>', '</skill>'],
  ['<user_shell_command>', '</user_shell_command>'],
  ['<turn_aborted>', '</turn_aborted>'],
  ['<subagent_notification>', '</subagent_notification>'],
]
const LONGEST_MARK = 64

function isInjected(text: string): boolean {
  const begin = text.trimStart().slice(0, LONGEST_MARK).toLowerCase()
  const end = text.trimEnd().slice(-LONGEST_MARK).toLowerCase()
  return INJECTED.some((mark) => begin.startsWith(mark[0]) && end.endsWith(mark[1]))
}

/**
 * What an item is to the turns of a conversation: a `prompt` of the user starts one, an `update` of the
 * context (a developer's message, or one that Codex wrote in the user's name) belongs to the prompt that it
 * precedes.
 */
export type Part = 'prompt' | 'update' | 'other'

/** Gives the part that an item plays. */
export function partOf(item: JsonObject): Part {
  if (kindOf(item) !== 'message') return 'other'
  if (item.role === 'developer') return 'update'
  if (item.role !== 'user') return 'other'
  return textsOf(item.content ?? item.message).some(isInjected) ? 'update' : 'prompt'
}

function textsOf(content: Json | undefined): string[] {
  const whole = asString(content)
  if (whole !== undefined) return [whole]
  return items(content).flatMap((part) => asString(opened(part)?.text) ?? [])
}

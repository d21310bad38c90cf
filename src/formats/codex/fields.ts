import { Verbatim } from '../../model/encoding/verbatim.ts'
import { asString, isObject, items, type Json, type JsonObject } from '../../model/json.ts'
import { parseJson } from '../../model/value.ts'
import { type AllowList, all, each, fields } from '../core/define.ts'

/**
 * The fields of a conversation item that reach the model. Items of all types share one list, so that a type of a
 * later release keeps its content if it uses these names. Left out are ids of items and turns, and times (`id`,
 * `metadata`, `internal_chat_message_metadata_passthrough`).
 */
const ITEM = [
  ...['type', 'role', 'phase', 'author', 'recipient'],
  ...['content', 'message', 'text', 'summary', 'encrypted_content'],
  ...['call_id', 'name', 'namespace', 'function', 'arguments', 'input', 'action', 'execution', 'status'],
  ...['output', 'result', 'tools', 'success', 'error', 'revised_prompt'],
] as const

/** The fields of a content part that reach the model. */
const PART = [
  ...['type', 'text', 'refusal', 'image_url', 'detail', 'encrypted_content', 'name', 'input', 'content'],
  ...['filename', 'file_data', 'file_id', 'file_url', 'input_audio', 'audio_url'],
] as const

/** Items that Codex itself keeps from the model. */
const HIDDEN: ReadonlySet<string> = new Set(['ghost_snapshot'])

/**
 * Returns the listed keys of an object, in the order of the list, because releases write the same structure in
 * different orders and the model never sees that. A null value is left out like a missing one.
 */
function pick(object: JsonObject, keys: readonly string[]): Record<string, Json> {
  const picked: Record<string, Json> = {}
  for (const key of keys) {
    const value = Object.hasOwn(object, key) ? object[key] : undefined
    if (value !== undefined && value !== null) picked[key] = value
  }
  return picked
}

const partBody = (part: Json): Json => (isObject(part) ? pick(part, PART) : part)

/** Returns the conversation-bearing part of an item, or the whole value if it is not an object. */
export function itemBody(item: Json): Json {
  if (!isObject(item)) return item
  const body = pick(item, ITEM)
  if (Array.isArray(body.content)) body.content = items(body.content).map(partBody)
  // A shell call made through the chat API is answered by its own id.
  if (body.type === 'local_shell_call' && body.call_id === undefined && item.id !== undefined)
    body.id = item.id
  return body
}

/** Returns the conversation-bearing part of a compaction, which replaces the history. */
export function compactedBody(payload: Json): Json {
  if (!isObject(payload)) return payload
  const body = pick(payload, ['message', 'replacement_history'])
  if (Array.isArray(body.replacement_history))
    body.replacement_history = items(body.replacement_history).map(itemBody)
  return body
}

/** Returns the part of a turn's context that sets the model and its thinking effort. */
export const settingBody = (payload: JsonObject): JsonObject => pick(payload, ['model', 'effort'])

/** Returns whether an item has content for the model: any known field besides its type. */
export function hasContent(item: JsonObject): boolean {
  if (HIDDEN.has(asString(item.type) ?? '')) return false
  return ITEM.some((key) => key !== 'type' && item[key] !== undefined && item[key] !== null)
}

/**
 * Returns an object with readable fields: the value itself, or the outermost level parsed of one that is kept as text.
 */
export function asObject(value: Json | undefined): JsonObject | undefined {
  const inside = value instanceof Verbatim ? parseJson(value.text, true)?.value : value
  return isObject(inside) ? inside : undefined
}

/** The types of items without an envelope, in files of mid-2025. */
const BARE: ReadonlySet<string> = new Set([
  ...['message', 'reasoning', 'function_call', 'function_call_output'],
  ...['function_result', 'tool_call', 'tool_result'],
  ...['custom_tool_call', 'custom_tool_call_output', 'local_shell_call', 'local_shell_call_output'],
  ...['web_search_call', 'image_generation_call', 'tool_search_call', 'tool_search_output', 'compaction'],
])

/** Returns an item's kind: its type; `message` if it has only a role; `item` if its type is no plain word. */
export function kindOf(item: JsonObject): string {
  const type = asString(item.type)
  if (type === undefined) return asString(item.role) === undefined ? 'item' : 'message'
  return /^[A-Za-z0-9_]{1,64}$/.test(type) ? type : 'item'
}

/** Returns whether a line without an envelope is an item. */
export const isBareItem = (line: JsonObject): boolean =>
  line.type === undefined ? asString(line.role) !== undefined : BARE.has(asString(line.type) ?? '')

/**
 * The text that Codex adds to the conversation in the user's name, by its start and end, case-insensitive (codex-rs,
 * `contextual_user_message`).
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
 * The part of an item in the turns of a conversation: a `prompt` of the user starts one; an `update` of the context
 * (a developer's message, or one that Codex wrote in the user's name) belongs to the prompt after it.
 */
export type TurnPart = 'prompt' | 'update' | 'other'

/** Returns the part that an item plays. */
export function partOf(item: JsonObject): TurnPart {
  if (kindOf(item) !== 'message') return 'other'
  if (item.role === 'developer') return 'update'
  if (item.role !== 'user') return 'other'
  return textsOf(item.content ?? item.message).some(isInjected) ? 'update' : 'prompt'
}

function textsOf(content: Json | undefined): string[] {
  const whole = asString(content)
  if (whole !== undefined) return [whole]
  return items(content).flatMap((part) => asString(asObject(part)?.text) ?? [])
}

const ISO = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(Z|[+-]\d\d:\d\d)?$/
/** The largest time that a JavaScript date holds. */
const LATEST = 8.64e15
/** Numbers below are seconds, above milliseconds: in seconds it is the year 5138, in milliseconds 1973. */
const SECONDS_END = 1e11

/**
 * Returns a time in milliseconds since 1970: of an ISO 8601 text (UTC where it names no zone), or of a number
 * in seconds or milliseconds. Undefined if the value is neither.
 */
export function timeOf(value: Json | undefined): number | undefined {
  if (typeof value === 'number') {
    const time = Math.round(value < SECONDS_END ? value * 1000 : value)
    return time >= 0 && time <= LATEST ? time : undefined
  }
  if (typeof value !== 'string') return undefined
  const match = ISO.exec(value)
  if (!match) return undefined
  const time = Date.parse(match[1] ? value : `${value}Z`)
  return Number.isNaN(time) ? undefined : time
}

/** The fields of an item that are its body. */
export const ITEM_FIELDS: AllowList = {
  ...all('type'),
  payload: fields({ ...all(...ITEM), content: each(fields(all(...PART))) }),
}

/** The fields of a compaction that are its body: they replace the history. */
export const COMPACTED_FIELDS: AllowList = {
  ...all('type'),
  payload: fields({ ...all('message'), replacement_history: each(fields(all(...ITEM))) }),
}

/** The fields of the context of a turn that are its body. */
export const TURN_FIELDS: AllowList = { ...all('type'), payload: fields(all('model', 'effort')) }

import { asString, isObject, items, type Json, type JsonObject, Verbatim } from '../../model/json.ts'
import { parseJson } from '../../model/value.ts'

/**
 * What of an item of the conversation reaches the model. One list for items of every type, so that a type of
 * a later release keeps what it says under these names. Left out: ids of items, ids of turns, times (`id`,
 * `metadata`, `internal_chat_message_metadata_passthrough`).
 */
const ITEM = [
  ...['type', 'role', 'phase', 'author', 'recipient'],
  ...['content', 'message', 'text', 'summary', 'encrypted_content'],
  ...['call_id', 'name', 'namespace', 'function', 'arguments', 'input', 'action', 'execution', 'status'],
  ...['output', 'result', 'tools', 'success', 'error', 'revised_prompt'],
] as const

/** What of one part of a message's content reaches the model. */
const PART = [
  ...['type', 'text', 'refusal', 'image_url', 'detail', 'encrypted_content', 'name', 'input', 'content'],
  ...['filename', 'file_data', 'file_id', 'file_url', 'input_audio', 'audio_url'],
] as const

/** Items that Codex itself keeps from the model. */
const HIDDEN: ReadonlySet<string> = new Set(['ghost_snapshot'])

/**
 * Takes the listed keys of an object, in the order of the list: which of two orders a release writes its
 * structures in never reaches the model. A key that holds null says what a missing one says.
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

/** Gives the conversation-bearing part of an item; one that cannot be taken apart is taken whole. */
export function itemBody(item: Json): Json {
  if (!isObject(item)) return item
  const body = pick(item, ITEM)
  if (Array.isArray(body.content)) body.content = items(body.content).map(partBody)
  // A shell call made through the chat API is answered by its own id.
  if (body.type === 'local_shell_call' && body.call_id === undefined && item.id !== undefined)
    body.id = item.id
  return body
}

/** Gives the conversation-bearing part of what a compaction puts in the place of the history. */
export function compactedBody(payload: Json): Json {
  if (!isObject(payload)) return payload
  const body = pick(payload, ['message', 'replacement_history'])
  if (Array.isArray(body.replacement_history))
    body.replacement_history = items(body.replacement_history).map(itemBody)
  return body
}

/** Gives the part of a turn's context that sets the model and how much it thinks. */
export const settingBody = (payload: JsonObject): JsonObject => pick(payload, ['model', 'effort'])

/** Tells whether an item says anything to the model: more than its type, under the names that are known. */
export function speaks(item: JsonObject): boolean {
  if (HIDDEN.has(asString(item.type) ?? '')) return false
  return ITEM.some((key) => key !== 'type' && item[key] !== undefined && item[key] !== null)
}

/** Gives an object as one can look into it: itself, or the outermost level of one that is kept as text. */
export function opened(value: Json | undefined): JsonObject | undefined {
  const inside = value instanceof Verbatim ? parseJson(value.text, true)?.value : value
  return isObject(inside) ? inside : undefined
}

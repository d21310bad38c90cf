import { Verbatim } from '../../model/encoding/verbatim.ts'
import { asString, field, isObject, items, type Json, type JsonObject, without } from '../../model/json.ts'
import { tryParse } from '../../model/value.ts'
import {
  type AllowList,
  all,
  byType,
  each,
  type FieldSelector,
  fields,
  selectFields,
} from '../core/define.ts'
import { millis } from '../core/values.ts'

/** Returns a value as agents read it: what is kept as text is parsed; undefined if that is no JSON. */
export const opened = (value: Json | undefined): Json | undefined =>
  value instanceof Verbatim ? tryParse(value.text) : value

/** Returns the value at a path of keys; undefined if there is none. */
export function at(value: Json | undefined, ...path: readonly string[]): Json | undefined {
  let found = opened(value)
  for (const key of path) found = opened(field(found, key))
  return found
}

/** Returns the string at a path of keys; undefined if there is none. */
export const textAt = (value: Json | undefined, ...path: readonly string[]): string | undefined =>
  asString(at(value, ...path))

/** Returns the elements of the list at a path of keys; none if there is no list. */
export const listAt = (value: Json | undefined, ...path: readonly string[]): readonly (Json | undefined)[] =>
  items(at(value, ...path)).map(opened)

/** Returns the id at a path of keys; undefined if there is none: an empty string is none. */
export const idAt = (value: Json | undefined, ...path: readonly string[]): string | undefined =>
  textAt(value, ...path) || undefined

/** Returns the strings of a list, in order. */
export const asIds = (value: Json | undefined): readonly string[] =>
  listAt(value).flatMap((item) => asString(item) ?? [])

/** The kinds of entries: the part of their type after `claude/`. */
export type EntryKind = 'user' | 'assistant' | 'attachment' | 'compact_boundary' | 'microcompact'

/** Returns the kind of entry that a record carries; undefined if it carries none. */
export function kindOf(record: JsonObject): EntryKind | undefined {
  const type = textAt(record, 'type')
  if (type === 'user' || type === 'assistant' || type === 'attachment') return type
  if (type !== 'system') return undefined
  const subtype = textAt(record, 'subtype')
  if (subtype === 'compact_boundary') return subtype
  return subtype === 'microcompact_boundary' ? 'microcompact' : undefined
}

/**
 * The fields of a content block that the model sees, by type. A block of another type is taken whole, because any of
 * its fields may hold text.
 */
const block = byType({
  text: all('type', 'text', 'citations'),
  thinking: all('type', 'thinking', 'signature'),
  redacted_thinking: all('type', 'data'),
  tool_use: all('type', 'id', 'name', 'input'),
  server_tool_use: all('type', 'id', 'name', 'input'),
  mcp_tool_use: all('type', 'id', 'name', 'input', 'server_name'),
  tool_result: { ...all('type', 'tool_use_id', 'is_error'), content: each(part) },
  image: all('type', 'source'),
  document: all('type', 'source', 'title', 'context', 'citations'),
})

/** A part of a tool's result: a block like those of a message. */
function part(value: Json): Json {
  return block(value)
}

/** An attachment whole, without the id of the record that queued it: copies of a session rewrite that id. */
const attachment: FieldSelector = (value) =>
  isObject(value) && Object.hasOwn(value, 'source_uuid') ? without(value, 'source_uuid') : value

/**
 * The fields of a record that carry the conversation. All others are provenance and belong to the record: inside
 * `message` that is the usage, why the model stopped, and whatever a release adds.
 */
export const FIELDS: AllowList = {
  ...all('type', 'subtype', 'content', 'isCompactSummary', 'isMeta'),
  message: fields({ ...all('role', 'id', 'model'), content: each(block) }),
  attachment,
}

/**
 * A microcompaction also has the tool calls whose results it clears; its other fields count tokens and name records.
 */
export const MICROCOMPACT_FIELDS: AllowList = {
  ...FIELDS,
  microcompactMetadata: (value) => (isObject(value) ? selectFields(value, all('compactedToolIds')) : {}),
}

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/

/** Returns the time of a record, in milliseconds since 1970; undefined if it has none. */
export function timeOf(record: JsonObject): number | undefined {
  if (typeof record.timestamp === 'number') return millis(record.timestamp)
  const text = textAt(record, 'timestamp')
  if (text === undefined || !ISO.test(text)) return undefined
  const time = Date.parse(text)
  return Number.isNaN(time) ? undefined : time
}

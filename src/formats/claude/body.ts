import { isObject, type Json, type JsonObject } from '../../model/json.ts'
import { textAt } from './look.ts'

/** The kinds of entries: the part of their type after `claude/`. */
export type EntryKind = 'user' | 'assistant' | 'attachment' | 'compact_boundary' | 'microcompact'

/** Gives the kind of entry that a record carries, undefined where it carries none. */
export function kindOf(record: JsonObject): EntryKind | undefined {
  const type = textAt(record, 'type')
  if (type === 'user' || type === 'assistant' || type === 'attachment') return type
  if (type !== 'system') return undefined
  const subtype = textAt(record, 'subtype')
  if (subtype === 'compact_boundary') return subtype
  return subtype === 'microcompact_boundary' ? 'microcompact' : undefined
}

type Part = (value: Json) => Json

const whole: Part = (value) => value

/** An attachment whole, but for the id of the record that it was queued by: copies of a session renew it. */
const attachment: Part = (value) =>
  isObject(value) && Object.hasOwn(value, 'source_uuid')
    ? select(value, (key) => key !== 'source_uuid')
    : value

/** Of a microcompaction the tool calls whose results it clears: the rest counts tokens and names records. */
const microcompaction: Part = (value) =>
  isObject(value) ? select(value, (key) => key === 'compactedToolIds') : {}

function select(value: JsonObject, wanted: (key: string) => boolean): JsonObject {
  const kept: Record<string, Json> = {}
  for (const key of Object.keys(value)) if (wanted(key)) kept[key] = value[key] as Json
  return kept
}

/**
 * What belongs to the conversation, by key at the top of a record. All else is when and where it was said.
 */
const BODY: ReadonlyMap<string, Part> = new Map([
  ['type', whole],
  ['message', whole],
  ['attachment', attachment],
  ['subtype', whole],
  ['content', whole],
  ['isCompactSummary', whole],
  ['isMeta', whole],
])

/** Gives the body of the entry that a record carries, its keys in the record's order. */
export function bodyOf(record: JsonObject, kind: EntryKind): JsonObject {
  const body: Record<string, Json> = {}
  for (const key of Object.keys(record)) {
    const part = key === 'microcompactMetadata' && kind === 'microcompact' ? microcompaction : BODY.get(key)
    if (part) body[key] = part(record[key] as Json)
  }
  return body
}

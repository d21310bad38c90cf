import { isObject, type Json, type JsonObject } from '../../model/json.ts'
import { all, chosen, each, fields, type Select } from '../select.ts'

const BLOCKS: Readonly<Record<string, Select>> = {
  text: fields(all('type', 'text')),
  thinking: fields(all('type', 'thinking', 'signature')),
  redacted_thinking: fields(all('type', 'data')),
  image: fields(all('type', 'source')),
  tool_use: fields(all('type', 'id', 'name', 'input')),
  tool_result: fields(all('type', 'tool_use_id', 'content', 'is_error')),
}

/** A block of a type that is not known is taken whole: what it says may stand in any of its fields. */
const block: Select = (value) => {
  const type = isObject(value) ? value.type : undefined
  return typeof type === 'string' && Object.hasOwn(BLOCKS, type) ? (BLOCKS[type] as Select)(value) : value
}

const BODIES: Readonly<Record<string, Readonly<Record<string, Select>>>> = {
  message: {
    ...all('role', 'text', 'visibility'),
    message: fields({ ...all('role', 'model'), content: each(block) }),
  },
  compaction_state: all('summaryText', 'summaryTokens', 'summaryKind'),
  system: all('model', 'reasoning_effort'),
  tool_call: all('id', 'toolCallId', 'toolName', 'parameters'),
  tool_result: all('id', 'toolCallId', 'toolName', 'isError', 'value', 'error'),
  completion: all('finalText', 'usage'),
}

/** The types of the records that carry an entry. */
export const KINDS: ReadonlySet<string> = new Set(Object.keys(BODIES))

/** Gives the conversation-bearing part of a record of one of `KINDS`. What answers a call keeps the call's id. */
export function bodyOf(kind: string, value: JsonObject): Json {
  const body = chosen(value, BODIES[kind] as Readonly<Record<string, Select>>)
  if (body.toolCallId === undefined || body.id === undefined) return body
  const { id: _, ...rest } = body
  return rest
}

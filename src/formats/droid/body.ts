import type { Json, JsonObject } from '../../model/json.ts'
import { all, byType, chosen, each, fields, type Select } from '../select.ts'

/** A block of another type is taken whole: any of its fields may hold the words. */
const block = byType({
  text: all('type', 'text'),
  thinking: all('type', 'thinking', 'signature'),
  redacted_thinking: all('type', 'data'),
  image: all('type', 'source'),
  tool_use: all('type', 'id', 'name', 'input'),
  tool_result: { ...all('type', 'tool_use_id', 'is_error'), content: each(part) },
})

/** A part of a tool's result: a block like those of a message. */
function part(value: Json): Json {
  return block(value)
}

/** The names of the counts that the end of a run has. */
export const COUNTS = {
  input: 'input_tokens',
  output: 'output_tokens',
  cacheRead: 'cache_read_input_tokens',
  cacheWrite: 'cache_creation_input_tokens',
} as const

const BODIES: Readonly<Record<string, Readonly<Record<string, Select>>>> = {
  message: {
    ...all('role', 'text', 'visibility'),
    message: fields({ ...all('role', 'model'), content: each(block) }),
  },
  compaction_state: all('summaryText', 'summaryTokens', 'summaryKind'),
  system: all('model', 'reasoning_effort'),
  tool_call: all('id', 'toolCallId', 'toolName', 'parameters'),
  tool_result: all('id', 'toolCallId', 'toolName', 'isError', 'value', 'error'),
  completion: { ...all('finalText'), usage: fields(all(...Object.values(COUNTS))) },
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

import { asString, field, isObject, items, type Json } from '../../model/json.ts'
import { type Block, OPAQUE, ROLES, type Role, type View } from '../../model/view.ts'
import { blocksOf, callOf, wordsIn } from '../blocks.ts'
import { countsIn } from '../usage.ts'

/** Gives what an entry of Kimi means, from its kind and body. */
export function view(kind: string, body: Json): View {
  switch (kind) {
    case 'message':
      return message(body)
    case 'event':
      return event(body)
    case 'wire':
      return wire(asString(field(body, 'type')) ?? '', field(body, 'payload'))
    case 'compaction': {
      const summary = asString(field(body, 'contextSummary')) ?? asString(field(body, 'summary')) ?? ''
      return { role: null, blocks: [], effect: { kind: 'compaction', summary } }
    }
    case 'setting':
      return setting(body)
    case 'mode': {
      const mode = field(body, 'type') === 'plan_mode.enter' ? 'plan' : 'default'
      return { role: null, blocks: [], sets: { mode } }
    }
    default:
      return OPAQUE
  }
}

function message(body: Json): View {
  const name = asString(field(body, 'role'))
  const role: Role | null =
    name === '_system_prompt' ? 'system' : (ROLES.find((known) => known === name) ?? null)
  const content = field(body, 'content')
  const id = asString(field(body, 'toolCallId')) ?? asString(field(body, 'tool_call_id'))
  if (role === 'tool' && id !== undefined) {
    const text = typeof content === 'string' ? content : wordsIn(content)
    return { role, blocks: [{ kind: 'toolResult', id, text, error: field(body, 'isError') === true }] }
  }
  const calls = [...items(field(body, 'toolCalls')), ...items(field(body, 'tool_calls'))]
  const parts = Array.isArray(content) ? items(content).flatMap(part) : blocksOf(content)
  return { role, blocks: [...parts, ...calls.flatMap(callIn)] }
}

/** Kimi calls a thought `think`. */
function part(value: Json): Block[] {
  const thought = asString(field(value, 'think'))
  return thought === undefined ? blocksOf(value) : [{ kind: 'thinking', text: thought }]
}

const callIn = (call: Json): Block[] => (isObject(call) ? (callOf(call, 'tool_call') ?? []) : [])

function event(body: Json): View {
  const id = asString(field(body, 'toolCallId')) ?? ''
  switch (asString(field(body, 'type'))) {
    case 'content.part':
      return { role: 'assistant', blocks: part(field(body, 'part') ?? null) }
    case 'tool.call': {
      const name = asString(field(body, 'name')) ?? ''
      const input = field(body, 'args') ?? {}
      return { role: 'assistant', blocks: [{ kind: 'toolCall', id, name, input }] }
    }
    case 'tool.result': {
      const result = field(body, 'result')
      const error = field(result, 'isError') === true
      return { role: 'tool', blocks: [{ kind: 'toolResult', id, text: wordsIn(result), error }] }
    }
    case 'step.end':
      return { role: null, blocks: [], ...countsIn(field(body, 'usage'), COUNTS) }
    default:
      return OPAQUE
  }
}

function wire(type: string, payload: Json | undefined): View {
  switch (type) {
    case 'TurnBegin': {
      const input = field(payload, 'user_input')
      return { role: 'user', blocks: Array.isArray(input) ? items(input).flatMap(part) : blocksOf(input) }
    }
    case 'ContentPart':
      return { role: 'assistant', blocks: part(payload ?? null) }
    case 'ToolCall':
      return { role: 'assistant', blocks: callIn(payload ?? null) }
    case 'ToolResult': {
      const result = field(payload, 'return_value') ?? field(payload, 'result')
      const id = asString(field(payload, 'tool_call_id')) ?? ''
      const error = field(result, 'is_error') === true
      return { role: 'tool', blocks: [{ kind: 'toolResult', id, text: wordsIn(result), error }] }
    }
    default:
      return OPAQUE
  }
}

function setting(body: Json): View {
  const [model, thinking] = [asString(field(body, 'modelAlias')), asString(field(body, 'thinkingEffort'))]
  return {
    role: null,
    blocks: [],
    sets: {
      ...(model !== undefined && { model: { provider: 'moonshot', id: model } }),
      ...(thinking !== undefined && { thinking }),
    },
  }
}

/** The names of the counts that the end of a step has. */
export const COUNTS = {
  input: 'inputOther',
  output: 'output',
  cacheRead: 'inputCacheRead',
  cacheWrite: 'inputCacheCreation',
} as const

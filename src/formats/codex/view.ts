import { asString, items, type Json, type JsonObject } from '../../model/json.ts'
import { parseJson } from '../../model/value.ts'
import { type Block, OPAQUE, type Role, type View } from '../../model/view.ts'
import { opened } from './body.ts'
import { asWords, blocksOf, imageBlock } from './content.ts'
import { kindOf } from './item.ts'
import { outcomeBlocks } from './outcome.ts'

/** Gives the meaning of a Codex entry. */
export function view(_kind: string, body: Json): View {
  const line = opened(body)
  if (line === undefined) return OPAQUE
  const payload = opened(line.payload)
  if (payload === undefined) return itemView(line)
  switch (asString(line.type)) {
    case 'compacted':
      return compactedView(payload)
    case 'turn_context':
      return settingView(payload)
    case 'inter_agent_communication':
      return { role: 'user', blocks: blocksOf(payload.content) }
    default:
      return itemView(payload)
  }
}

function compactedView(payload: JsonObject): View {
  const history = payload.replacement_history
  if (history === undefined) {
    return { ...OPAQUE, effect: { kind: 'compaction', summary: asWords(payload.message) } }
  }
  const replacement = items(history)
    .map((item) => itemView(opened(item) ?? {}))
    .filter((shown) => shown.role !== null || shown.blocks.length > 0)
  return { ...OPAQUE, effect: { kind: 'compaction', replacement } }
}

function settingView(payload: JsonObject): View {
  const [model, thinking] = [asString(payload.model), asString(payload.effort)]
  return {
    ...OPAQUE,
    sets: {
      ...(model === undefined ? {} : { model: { provider: 'openai', id: model } }),
      ...(thinking === undefined ? {} : { thinking }),
    },
  }
}

const ROLES: ReadonlyMap<string | undefined, Role> = new Map([
  ['user', 'user'],
  ['assistant', 'assistant'],
  ['developer', 'system'],
  ['system', 'system'],
  ['tool', 'tool'],
])

function itemView(item: JsonObject): View {
  switch (kindOf(item)) {
    case 'message':
      return { role: ROLES.get(asString(item.role)) ?? null, blocks: blocksOf(item.content ?? item.message) }
    case 'agent_message':
      return { role: 'user', blocks: blocksOf(item.content) }
    case 'reasoning':
      return { role: 'assistant', blocks: thoughts(item) }
    case 'function_call':
    case 'tool_call':
      return call(item, functionName(item), argumentsOf(item.arguments))
    case 'custom_tool_call':
      return call(item, functionName(item), item.input ?? '')
    case 'local_shell_call':
      return call(item, 'local_shell', item.action ?? {})
    case 'tool_search_call':
      return call(item, 'tool_search', argumentsOf(item.arguments))
    case 'web_search_call':
      return call(item, 'web_search', item.action ?? {})
    case 'image_generation_call':
      return { role: 'assistant', blocks: picture(item) }
    case 'function_call_output':
    case 'custom_tool_call_output':
    case 'local_shell_call_output':
      return { role: 'tool', blocks: outcomeBlocks(callId(item), item.output) }
    case 'tool_result':
    case 'function_result':
      return { role: 'tool', blocks: outcomeBlocks(callId(item), item.result) }
    case 'tool_search_output':
      return {
        role: 'tool',
        blocks: [{ kind: 'toolResult', id: callId(item), text: asWords(item.tools), error: false }],
      }
    default:
      return { role: ROLES.get(asString(item.role)) ?? null, blocks: blocksOf(item.content ?? item.text) }
  }
}

const callId = (item: JsonObject): string => asString(item.call_id) ?? asString(item.id) ?? ''

const call = (item: JsonObject, name: string, input: Json): View => ({
  role: 'assistant',
  blocks: [{ kind: 'toolCall', id: callId(item), name, input }],
})

/** Codex names a tool of a server by the two names joined: `mcp__docs__` and `search`. */
const functionName = (item: JsonObject): string =>
  `${asString(item.namespace) ?? ''}${asString(item.name) ?? asString(opened(item.function)?.name) ?? ''}`

/** Arguments are JSON in a text; what does not parse is given as the text. */
function argumentsOf(value: Json | undefined): Json {
  const text = asString(value)
  return text === undefined ? (value ?? {}) : (parseJson(text)?.value ?? text)
}

function thoughts(item: JsonObject): Block[] {
  const words = [...blocksOf(item.summary), ...blocksOf(item.content)]
  const texts = words.flatMap((block) => (block.kind === 'text' ? [block.text] : []))
  const value = asString(item.encrypted_content)
  if (!value) return texts.map((text) => ({ kind: 'thinking', text }))
  // one seal for all, on the last
  if (texts.length === 0) texts.push('')
  return texts.map((text, i) => ({
    kind: 'thinking',
    text,
    ...(i === texts.length - 1 && { seal: { api: 'openai', value } }),
  }))
}

function picture(item: JsonObject): Block[] {
  const [prompt, result] = [asString(item.revised_prompt), asString(item.result)]
  return [
    ...(prompt === undefined ? [] : [{ kind: 'text', text: prompt } as const]),
    ...(result === undefined ? [] : [imageBlock('image/png', result)]),
  ]
}

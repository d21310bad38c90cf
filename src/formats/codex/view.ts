import { asString, isObject, items, type Json, type JsonObject, jsonText } from '../../model/json.ts'
import { tryParse } from '../../model/value.ts'
import { type Block, OPAQUE, type Role, type View } from '../../model/view.ts'
import type { EntryDeclarations } from '../core/define.ts'
import {
  callBlock,
  compactionView,
  imageBlock,
  modelIn,
  parsedArguments,
  resultBlock,
  textBlock,
  textIn,
} from '../core/views.ts'
import { asObject, COMPACTED_FIELDS, ITEM_FIELDS, kindOf, TURN_FIELDS } from './fields.ts'

/** Returns what a message's content shows: a text, or a list of parts. */
export function blocksOf(content: Json | undefined): Block[] {
  const text = asString(content)
  return text === undefined ? items(content).flatMap(partBlocks) : [{ kind: 'text', text }]
}

function partBlocks(part: Json): Block[] {
  const text = asString(part)
  if (text !== undefined) return [{ kind: 'text', text }]
  const inside = asObject(part)
  if (inside === undefined) return []
  switch (asString(inside.type)) {
    case 'input_image':
      return imageBlocks(inside.image_url)
    case 'tool_use':
      return [callBlock('', inside.name, inside.input)]
    default: {
      return textBlock(asString(inside.text) ?? inside.refusal)
    }
  }
}

function imageBlocks(url: Json | undefined): Block[] {
  const text = asString(url) ?? asString(asObject(url)?.url)
  if (text === undefined) return []
  const match = /^data:([^;,]{0,100})[^,]{0,100},/.exec(text)
  if (!match) return [imageBlock('image/*', '', text)]
  return [imageBlock(match[1] || 'image/*', text.slice(match[0].length))]
}

/** Returns any value as text: a string as it is, everything else as JSON. */
const asWords = (value: Json | undefined): string =>
  value === undefined ? '' : (asString(value) ?? jsonText(value))

interface ToolOutcome {
  readonly text: string
  readonly error: boolean
  readonly images?: readonly Block[]
}

/** Returns the result of a tool call, followed by its images. */
export function outcomeBlocks(id: string, output: Json | undefined): Block[] {
  const { text, error, images = [] } = outcomeOf(output)
  return [resultBlock(id, text, error), ...images]
}

/**
 * Reads every shape of an output: a text, a text that is JSON with an exit code, `{content, success}`, a list of
 * parts, or one part.
 */
function outcomeOf(output: Json | undefined): ToolOutcome {
  const text = asString(output)
  if (text !== undefined) return outcomeOfText(text)
  if (Array.isArray(output)) return outcomeOfBlocks(blocksOf(output))
  const inside = asObject(output)
  if (inside === undefined) return { text: output === undefined ? '' : jsonText(output), error: false }
  const error = inside.success === false
  if (inside.content !== undefined) return { ...outcomeOfBlocks(blocksOf(inside.content)), error }
  const blocks = blocksOf([inside])
  return blocks.length > 0 ? { ...outcomeOfBlocks(blocks), error } : { text: jsonText(inside), error }
}

const outcomeOfBlocks = (blocks: readonly Block[]): ToolOutcome => ({
  text: textIn(blocks),
  error: false,
  images: blocks.filter((block) => block.kind === 'image'),
})

function outcomeOfText(text: string): ToolOutcome {
  if (text.startsWith('{"')) {
    const value = tryParse(text)
    const words = isObject(value) ? asString(value.output) : undefined
    if (isObject(value) && words?.isWellFormed()) {
      const code = asObject(value.metadata)?.exit_code
      return { text: words, error: code !== undefined && code !== null && code !== 0 }
    }
  }
  return { text, error: REFUSED.test(text) || failedByHeader(text) }
}

/** The answers of Codex itself for a call that did not finish. */
const REFUSED = /^(?:exec command rejected by user|patch rejected by user|aborted by user|aborted$)/
const HEADER = /^(?:Exit code|Chunk ID|Wall time): /
const EXIT_LINE = /^(?:Exit code: |Process exited with code )(-?\d+)$/m
const LONGEST_HEADER = 400

function failedByHeader(text: string): boolean {
  if (!HEADER.test(text)) return false
  const header = text.slice(0, LONGEST_HEADER)
  const end = header.indexOf('\nOutput:')
  const code = EXIT_LINE.exec(end < 0 ? header : header.slice(0, end))?.[1]
  return code !== undefined && Number(code) !== 0
}

/** Returns the meaning of a Codex entry. */
export function view(body: Json): View {
  const line = asObject(body)
  if (line === undefined) return OPAQUE
  const payload = asObject(line.payload)
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
    return compactionView(asWords(payload.message))
  }
  const replacement = items(history)
    .map((item) => itemView(asObject(item) ?? {}))
    .filter((shown) => shown.role !== null || shown.blocks.length > 0)
  return { ...OPAQUE, effect: { kind: 'compaction', replacement } }
}

function settingView(payload: JsonObject): View {
  const thinking = asString(payload.effort)
  const { sets } = modelIn(payload.model, 'openai')
  return { ...OPAQUE, sets: { ...sets, ...(thinking !== undefined && { thinking }) } }
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
      return call(item, functionName(item), parsedArguments(item.arguments ?? {}))
    case 'custom_tool_call':
      return call(item, functionName(item), item.input ?? '')
    case 'local_shell_call':
      return call(item, 'local_shell', item.action ?? {})
    case 'tool_search_call':
      return call(item, 'tool_search', parsedArguments(item.arguments ?? {}))
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
      return { role: 'tool', blocks: [resultBlock(callId(item), asWords(item.tools))] }
    case 'additional_tools':
      return { ...OPAQUE, note: toolsNote(item.tools) }
    default:
      return otherView(item)
  }
}

/** Returns the view of an item of a type that is not known: a message only if it says something. */
function otherView(item: JsonObject): View {
  const blocks = blocksOf(item.content ?? item.text)
  return blocks.length === 0 ? OPAQUE : { role: ROLES.get(asString(item.role)) ?? null, blocks }
}

/** How many of the tools that an item adds are named. */
const MAX_NAMED_TOOLS = 8

/** Returns a description of tools that the model gets: how many they are, and the names of the first. */
function toolsNote(tools: Json | undefined): string {
  const names = items(tools).flatMap((tool) => toolNames(tool))
  const named = names.slice(0, MAX_NAMED_TOOLS).join(', ')
  const more = names.length > MAX_NAMED_TOOLS ? ', …' : ''
  return `${names.length} ${names.length === 1 ? 'tool' : 'tools'} added${named && `: ${named}`}${more}`
}

/** Returns the names of a tool, or of the tools in a namespace. */
function toolNames(tool: Json): string[] {
  const inside = asObject(tool)
  const name = asString(inside?.name) ?? asString(inside?.type) ?? '?'
  const parts = items(inside?.tools)
  return parts.length === 0 ? [name] : parts.map((part) => `${name}.${asString(asObject(part)?.name) ?? '?'}`)
}

const callId = (item: JsonObject): string => asString(item.call_id) ?? asString(item.id) ?? ''

const call = (item: JsonObject, name: string, input: Json): View => ({
  role: 'assistant',
  blocks: [callBlock(callId(item), name, input)],
})

/** Codex names a tool of a server by the two names joined: `mcp__docs__` and `search`. */
const functionName = (item: JsonObject): string =>
  `${asString(item.namespace) ?? ''}${asString(item.name) ?? asString(asObject(item.function)?.name) ?? ''}`

function thoughts(item: JsonObject): Block[] {
  const words = [...blocksOf(item.summary), ...blocksOf(item.content)]
  const texts = words.flatMap((block) => (block.kind === 'text' ? [block.text] : []))
  const value = asString(item.encrypted_content)
  if (!value) return texts.map((text) => ({ kind: 'thinking', text }))
  // The last block carries the shared seal.
  if (texts.length === 0) texts.push('')
  return texts.map((text, i) => ({
    kind: 'thinking',
    text,
    ...(i === texts.length - 1 && { seal: { api: 'openai', value } }),
  }))
}

function picture(item: JsonObject): Block[] {
  const [prompt, result] = [asString(item.revised_prompt), asString(item.result)]
  return [...textBlock(prompt), ...(result === undefined ? [] : [imageBlock('image/png', result)])]
}

/** The entries of Codex. An item of any other type has the fields of an item, too. */
export const ENTRIES: EntryDeclarations = {
  item: { body: ITEM_FIELDS, view },
  compacted: { body: COMPACTED_FIELDS, view },
  turn_context: { body: TURN_FIELDS, view },
}

import { asString, field, isObject, items, type Json, type JsonObject, jsonText } from '../../model/json.ts'
import { parseJson } from '../../model/value.ts'
import { type Block, OPAQUE, ROLES, type Role, type Usage, type View } from '../../model/view.ts'

/** Returns the first of the fields that is present and not null. */
export function firstOf(value: Json | undefined, names: readonly string[]): Json | undefined {
  for (const name of names) {
    const found = field(value, name)
    if (found !== undefined && found !== null) return found
  }
  return undefined
}

/**
 * Returns the blocks of a message's content in any of the shapes that model APIs use (Anthropic, OpenAI,
 * Gemini) and sess's own: a text, one block or a list of them. What is not recognised is left out.
 */
export function blocksOf(content: Json | undefined): Block[] {
  if (Array.isArray(content)) return content.flatMap((block: Json) => blockOf(block) ?? [])
  return blockOf(content) ?? []
}

function blockOf(value: Json | undefined): Block[] | undefined {
  const text = asString(value)
  if (text !== undefined) return text === '' ? undefined : [{ kind: 'text', text }]
  if (!isObject(value)) return undefined
  const type = asString(value.type) ?? asString(value.kind) ?? ''
  return (
    answeredCallOf(value, type) ??
    callOf(value, type) ??
    resultOf(value, type) ??
    imageOf(value, type) ??
    textOrThought(value, type)
  )
}

/** OpenCode keeps a call and what came of it in one part. */
function answeredCallOf(value: JsonObject, type: string): Block[] | undefined {
  const { state } = value
  if (type !== 'tool' || !isObject(state)) return undefined
  const [id, name] = [asString(firstOf(value, ['callID', ...CALL_ID])) ?? '', asString(value.tool) ?? '']
  const call: Block = { kind: 'toolCall', id, name, input: firstOf(state, INPUT) ?? {} }
  const output = firstOf(state, ['output', 'error'])
  if (output === undefined) return [call]
  return [call, { kind: 'toolResult', id, name, text: textOfOutput(output), error: state.status === 'error' }]
}

function textOrThought(value: JsonObject, type: string): Block[] | undefined {
  const thinks = /^(thinking|reasoning|thought)$/.test(type) || value.thought === true
  const text = asString(
    firstOf(value, thinks ? ['thinking', 'text', 'content', 'data'] : ['text', 'data', 'content']),
  )
  if (type === 'redacted_thinking') return value.data ? [thinkingBlock('', value.data, true)] : []
  if (type.startsWith('redacted')) return []
  if (text === undefined) return thinks ? reasoningSummary(value) : undefined
  return thinks ? [thinkingBlock(text, value.signature)] : [{ kind: 'text', text }]
}

const reasoningSummary = (value: JsonObject): Block[] =>
  (Array.isArray(value.summary) ? value.summary : []).flatMap((part: Json): Block[] => {
    const text = asString(field(part, 'text'))
    return text === undefined ? [] : [{ kind: 'thinking', text }]
  })

const CALL_ID = ['id', 'call_id', 'callId', 'toolCallId', 'tool_call_id', 'toolUseId', 'tool_use_id'] as const
const RESULT_ID = [
  'tool_use_id',
  'toolCallId',
  'tool_call_id',
  'toolUseId',
  'call_id',
  'callId',
  'id',
] as const
const INPUT = ['input', 'arguments', 'args', 'parameters', 'rawInput'] as const

/** Returns a tool call, from a content list or a list of calls; undefined for any other value. */
export function callOf(value: JsonObject, type: string): Block[] | undefined {
  const inner = firstOf(value, ['functionCall', 'function'])
  if (!isObject(inner) && !/^(tool_?use|tool_?call|function_call|custom_tool_call)$/i.test(type))
    return undefined
  const name =
    asString(firstOf(inner, ['name']) ?? firstOf(value, ['name', 'toolName', 'tool_name', 'tool'])) ?? ''
  const id = asString(firstOf(value, CALL_ID) ?? firstOf(inner, CALL_ID)) ?? ''
  const input = firstOf(inner, INPUT) ?? firstOf(value, INPUT) ?? {}
  return [{ kind: 'toolCall', id, name, input: parsedArguments(input) }]
}

/** Returns the tool calls in a list of them. */
export const callsIn = (list: Json | undefined): Block[] =>
  items(list).flatMap((call) => (isObject(call) ? (callOf(call, 'tool_call') ?? []) : []))

/** Returns the arguments of a call: OpenAI writes them as JSON in a string; a string that does not parse is kept. */
export function parsedArguments(input: Json): Json {
  const text = asString(input)
  return text === undefined ? input : (parseJson(text)?.value ?? text)
}

/** Returns a tool's result if it is one. */
export function resultOf(value: JsonObject, type: string): Block[] | undefined {
  const inner = value.functionResponse
  const isResult = /^(tool_?result|function_call_output|custom_tool_call_output|function_result)$/i.test(type)
  if (!isObject(inner) && !isResult) return undefined
  const source = isObject(inner) ? inner : value
  const id = asString(firstOf(source, RESULT_ID)) ?? ''
  const name = asString(firstOf(source, ['name', 'toolName', 'tool_name']))
  const text = textOfOutput(firstOf(source, ['content', 'text', 'output', 'result', 'response', 'value']))
  const error = firstOf(source, ['is_error', 'isError', 'error']) === true
  return [{ kind: 'toolResult', id, ...(name !== undefined && { name }), text, error }]
}

/** Returns the text of a tool's output: a text, text blocks, or the `output` of an object. */
export function textOfOutput(value: Json | undefined): string {
  const text = asString(value)
  if (text !== undefined) return text
  if (Array.isArray(value))
    return blocksOf(value)
      .flatMap((b) => ('text' in b ? [b.text] : []))
      .join('\n')
  return asString(firstOf(value, ['output', 'content', 'text', 'stdout', 'result', 'error', 'message'])) ?? ''
}

/** Returns the output of a tool as text: its text, that of each element of a list, else its JSON. */
export function outputText(value: Json | undefined): string {
  const words = textOfOutput(value)
  if (words !== '' || value === undefined || value === null || typeof value === 'string') return words
  const parts = items(value)
  return parts.length > 0 && parts.every(isObject) ? parts.map(outputText).join('\n') : jsonText(value)
}

function imageOf(value: JsonObject, type: string): Block[] | undefined {
  const inner = firstOf(value, ['inlineData', 'inline_data', 'source', 'image_url'])
  if (inner === undefined && type !== 'image') return undefined
  const url = asString(inner) ?? asString(firstOf(inner, ['url'])) ?? asString(value.url)
  const embedded = url === undefined ? null : /^data:([^;,]*);base64,/.exec(url.slice(0, 200))
  const source = isObject(inner) ? inner : value
  const data = embedded
    ? (url as string).slice(embedded[0].length)
    : asString(firstOf(source, ['data', 'base64']))
  const named = asString(firstOf(source, ['mediaType', 'media_type', 'mimeType', 'mime_type']))
  if (data === undefined && url === undefined && named === undefined) return undefined
  return [imageBlock(embedded?.[1] ?? named, data, data ? undefined : url)]
}

/** Returns a text as a block, an empty one too; none if there is no text. */
export const textBlock = (text: Json | undefined): Block[] => {
  const words = asString(text)
  return words === undefined ? [] : [{ kind: 'text', text: words }]
}

/** Returns a thought, with its seal if Anthropic signed or redacted it. */
export function thinkingBlock(text: Json | undefined, signature?: Json, redacted = false): Block {
  const value = asString(signature)
  const seal = value && { seal: { api: 'anthropic', value, ...(redacted && { redacted }) } as const }
  return { kind: 'thinking', text: asString(text) ?? '', ...seal }
}

/** Returns a tool call; what is missing is empty. */
export const callBlock = (id: Json | undefined, name: Json | undefined, input: Json | undefined): Block => ({
  kind: 'toolCall',
  id: asString(id) ?? '',
  name: asString(name) ?? '',
  input: input ?? {},
})

/** Returns the result of a tool call. */
export function resultBlock(id: Json | undefined, text: string, error = false, name?: Json): Block {
  const tool = asString(name)
  return {
    kind: 'toolResult',
    id: asString(id) ?? '',
    ...(tool !== undefined && { name: tool }),
    text,
    error,
  }
}

/** Returns an image, from its bytes in base64 or its location. */
export function imageBlock(mediaType: string | undefined, data = '', url?: string): Block {
  const padding = data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0
  const bytes = Math.max(0, Math.floor((data.length * 3) / 4) - padding)
  return { kind: 'image', mediaType: mediaType ?? '', bytes, ...(data && { data }), ...(url && { url }) }
}

const TAGGED = /^\s*<([a-z_]+)>\n?([^]*?)\n?<\/\1>\s*$/

/** Returns a text without the tag that an agent puts around it, if the tag is one of those named. */
export function untagged(text: string, ...tags: readonly string[]): string {
  const [, tag = '', words = text] = TAGGED.exec(text) ?? []
  return tags.includes(tag) ? words : text
}

/** Returns a role by its name; null if there is none of this name. */
export const roleNamed = (name: Json | undefined): Role | null => ROLES.find((role) => role === name) ?? null

/**
 * Returns the speaker of a message, from its role and its blocks: an API without a role for tools sends their results
 * in the user's name. Null if the role is unknown.
 */
export function speakerOf(named: Json | undefined, blocks: readonly Block[]): Role | null {
  const role = roleNamed(named)
  const results = blocks.some((block) => block.kind === 'toolResult')
  const only = blocks.every((block) => block.kind === 'toolResult' || block.kind === 'image')
  return role === 'user' && results && only ? 'tool' : role
}

/** Returns the texts among blocks joined by newlines. */
export const textIn = (blocks: readonly Block[]): string =>
  blocks.flatMap((block) => (block.kind === 'text' ? [block.text] : [])).join('\n')

/** Returns the setting of a model, as part of a view; nothing if no model is named. */
export function modelIn(id: Json | undefined, provider?: Json): Pick<View, 'sets'> {
  const [model, by] = [asString(id), asString(provider)]
  return model === undefined
    ? {}
    : { sets: { model: { ...(by !== undefined && { provider: by }), id: model } } }
}

/** Returns the view of a compaction, from its summary. */
export const compactionView = (summary: Json | undefined): View => ({
  ...OPAQUE,
  effect: { kind: 'compaction', summary: asString(summary) ?? '' },
})

/** Returns the summary of a compaction or of an abandoned path. */
export function summaryOf({
  effect,
}: View): { readonly kind: 'compaction' | 'summary'; readonly text: string } | undefined {
  if (effect?.kind === 'summary') return { kind: 'summary', text: effect.text }
  if (effect?.kind !== 'compaction' || effect.summary === undefined) return undefined
  return { kind: 'compaction', text: effect.summary }
}

/** Returns short descriptions of the changes of an entry: its settings, its compaction or edit. */
export function changesOf({ effect, sets, role }: View): string[] {
  const { model, thinking, mode } = role === null ? (sets ?? {}) : {}
  return [
    ...(model ? [`model: ${model.id}`] : []),
    ...(thinking === undefined ? [] : [`thinking: ${thinking}`]),
    ...(mode === undefined ? [] : [`mode: ${mode}`]),
    ...(effect?.kind === 'compaction' ? ['compaction'] : []),
    ...(effect?.kind === 'summary' ? ['summary of an abandoned branch'] : []),
    ...(effect?.kind === 'edit' ? [effect.replacement ? 'edit: says this instead' : 'edit: hidden'] : []),
    ...(effect?.kind === 'rollback' ? [`the last ${effect.turns} turns are taken back`] : []),
  ]
}

const COUNTS = ['input', 'output', 'cacheRead', 'cacheWrite'] as const

const NONE = {}

/** The names of the counts in an agent's records. */
export type CountNames = { readonly [K in (typeof COUNTS)[number]]?: string }

/** Returns the counts of a value, by the agent's names for them, as part of a view; nothing if it has none. */
export function countsIn(value: Json | undefined, names: CountNames): { readonly usage?: Usage } {
  const usage: { -readonly [K in keyof Usage]: Usage[K] } = {}
  for (const key of COUNTS) {
    const count = field(value, names[key] ?? '')
    if (typeof count === 'number') usage[key] = count
  }
  return Object.keys(usage).length === 0 ? {} : { usage }
}

const OWN_NAMES: CountNames = {
  input: 'input',
  output: 'output',
  cacheRead: 'cacheRead',
  cacheWrite: 'cacheWrite',
}

/** Returns the usage of a call of Gemini's API. Cached tokens are part of its input, thinking is no part of its output. */
export function geminiUsage(
  value: Json | undefined,
  { thoughts, ...names }: CountNames & { readonly thoughts: string },
): { readonly usage: Usage } {
  const { input = 0, output = 0, cacheRead = 0 } = countsIn(value, names).usage ?? {}
  const thinking = field(value, thoughts)
  const answered = output + (typeof thinking === 'number' ? thinking : 0)
  return { usage: { input: Math.max(0, input - cacheRead), output: answered, cacheRead } }
}

/**
 * Returns the usage of a message in pi's form, as part of a view: `{ input, output, cacheRead, cacheWrite, cost }`.
 * The cost is in US dollars, or an object with a `total`; `call` names the model call if several messages repeat it.
 * Nothing if there is none.
 */
export function usageIn(message: Json | undefined): { readonly usage?: Usage } {
  const source = field(message, 'usage')
  if (source === undefined) return NONE
  const usage: { -readonly [K in keyof Usage]: Usage[K] } = { ...countsIn(source, OWN_NAMES).usage }
  const costs = field(source, 'cost')
  const cost = field(costs, 'total') ?? costs
  if (typeof cost === 'number') usage.cost = cost
  if (Object.keys(usage).length === 0) return NONE
  const call = asString(field(source, 'call'))
  if (call !== undefined) usage.call = call
  return { usage }
}

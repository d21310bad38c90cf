import { type Json, type JsonObject, jsonText } from '../../model/json.ts'
import type { Block, Seal, Usage, View } from '../../model/view.ts'
import { callInput } from '../core/callinput.ts'

/** An item of a context, as `graph/context.ts` returns it: only the properties that are needed here. */
export interface PiContextItem<N> {
  readonly node: N
  readonly part: string
  readonly view: View
  /** The position of a message in a compaction's replacement. */
  readonly index?: number
  /** The edit of the entry. */
  readonly edit?: N
  /** Whether it is shortened. */
  readonly reduced?: boolean
  /** Its messages in pi's form, if they are known already; then only the calls of its view are used. */
  readonly messages?: readonly Json[]
}

/** A message of pi that is being made, which blocks of the same model call may still join. */
interface OpenMessage {
  readonly call: string | undefined
  readonly content: Json[]
  readonly message: Record<string, Json>
}

/** Makes messages of pi for entries of other dialects, in the order of a context. */
export interface PiMessageMaker {
  /** Returns messages of pi unchanged, and notes that they come between the others. */
  pass(view: View, messages: readonly Json[]): readonly Json[]
  /** Returns the messages of an item; none if its blocks joined the message before. */
  make(item: PiContextItem<unknown>, timestamp: number): readonly Json[]
}

/** Starts making messages. What a view does not hold is not in them, nor the seals of thoughts. */
export function makeMessages(): PiMessageMaker {
  /** The names of the tools, by the ids of their calls: a result may not name its tool. */
  const tools = new Map<string, string>()
  let open: OpenMessage | undefined
  const learn = (view: View): void => {
    for (const block of view.blocks) if (block.kind === 'toolCall') tools.set(block.id, block.name)
  }
  return {
    pass(view, messages) {
      learn(view)
      if (messages.length > 0) open = undefined
      return messages
    },
    make({ view, part }, timestamp) {
      learn(view)
      const { effect, usage } = view
      if (part === 'compaction-summary' || part === 'branch-summary') {
        open = undefined
        return effect === undefined ? [] : summaryMessage(effect, timestamp)
      }
      if (view.role === null) return []
      if (view.role === 'assistant') {
        if (open?.call !== undefined && open.call === usage?.call) {
          open.content.push(...contentOf(view.blocks))
          if (hasCalls(view)) open.message.stopReason = 'toolUse'
          return []
        }
        const content = contentOf(view.blocks)
        open = { call: usage?.call, content, message: assistantMessage(view, content, timestamp) }
        return [open.message]
      }
      open = undefined
      return view.role === 'system'
        ? [{ role: 'system', content: contentOf(view.blocks), timestamp }]
        : userMessages(view, tools, timestamp)
    },
  }
}

function summaryMessage(effect: NonNullable<View['effect']>, timestamp: number): readonly Json[] {
  if (effect.kind === 'compaction')
    return [{ role: 'compactionSummary', summary: effect.summary ?? '', tokensBefore: 0, timestamp }]
  if (effect.kind === 'summary')
    return [{ role: 'branchSummary', summary: effect.text, fromId: 'root', timestamp }]
  return []
}

const hasCalls = (view: View): boolean => view.blocks.some((block) => block.kind === 'toolCall')

/** Returns a message of the assistant with some content. */
export function assistantMessage(
  view: View,
  content: readonly Json[],
  timestamp: number,
): Record<string, Json> {
  const model = view.sets?.model
  return {
    role: 'assistant',
    content,
    api: 'unknown',
    provider: model?.provider ?? 'unknown',
    model: model?.id ?? 'unknown',
    usage: usageOf(view.usage),
    stopReason: hasCalls(view) ? 'toolUse' : 'stop',
    timestamp,
  }
}

/** Returns usage as pi counts it; what is not known is 0. */
export function usageOf({
  input = 0,
  output = 0,
  cacheRead = 0,
  cacheWrite = 0,
  cost = 0,
}: Usage = {}): JsonObject {
  const totalTokens = input + output + cacheRead + cacheWrite
  const costs = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: cost }
  return { input, output, cacheRead, cacheWrite, totalTokens, cost: costs }
}

/** Returns one message for each tool result, then one for the other blocks; images go into the last result. */
export function userMessages(
  view: View,
  tools: ReadonlyMap<string, string>,
  timestamp: number,
): readonly JsonObject[] {
  const results = view.blocks.filter((block) => block.kind === 'toolResult')
  const others = contentOf(view.blocks.filter((block) => block.kind !== 'toolResult'))
  const asResult = view.role === 'tool' && results.length > 0
  const messages: JsonObject[] = results.map((result, i) => ({
    role: 'toolResult',
    toolCallId: result.id,
    toolName: result.name ?? tools.get(result.id) ?? 'unknown',
    content: [text(result.text), ...(asResult && i === results.length - 1 ? others : [])],
    isError: result.error,
    timestamp,
  }))
  if (!asResult && (others.length > 0 || results.length === 0))
    messages.push({ role: 'user', content: others, timestamp })
  return messages
}

/** Returns a text as a content block of pi. */
export const text = (value: string): JsonObject => ({ type: 'text', text: value })

/** Returns blocks as the content of a message of pi. */
export const contentOf = (blocks: readonly Block[]): Json[] => blocks.map(contentBlock)

function contentBlock(block: Block): JsonObject {
  switch (block.kind) {
    case 'text':
    case 'toolResult':
      return text(block.text)
    case 'thinking':
      return { type: 'thinking', thinking: block.text, ...(block.seal && signatureOf(block.seal)) }
    case 'toolCall':
      return { type: 'toolCall', id: block.id, name: block.name, arguments: callInput(block) }
    case 'image':
      return block.data === undefined
        ? text(`[image: ${block.mediaType}, ${block.bytes} bytes]`)
        : { type: 'image', data: block.data, mimeType: block.mediaType }
  }
}

/** pi keeps Anthropic's signature as it is, and of OpenAI the reasoning item as JSON. */
const signatureOf = ({ api, value, redacted }: Seal): JsonObject =>
  api === 'anthropic'
    ? { thinkingSignature: value, ...(redacted && { redacted }) }
    : { thinkingSignature: jsonText({ type: 'reasoning', summary: [], encrypted_content: value }) }

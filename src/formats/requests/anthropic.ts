import type { JsonObject } from '../../model/json.ts'
import type { RequestRepair } from '../../model/repair.ts'
import { soundInput } from './toolids.ts'
import {
  type ApiLimits,
  answerTokens,
  type Image,
  PICTURES,
  type Request,
  type RequestItem,
  type RequestPart,
  type RequestTurn,
  type TurnBlock,
  tokensIn,
  turnsOf,
} from './turns.ts'

/** Anthropic's Messages API: the limits that its reference states. */
const LIMITS: ApiLimits = {
  longestId: 64,
  sealApi: 'anthropic',
  acceptsImage: (image, role) => (role === 'user' || role === 'tool') && sourceOf(image) !== undefined,
}

/** The user's first message in a conversation that the model begins: the API requires one. */
const START = '(the conversation begins with the words of the model)'

/** The part of a request to Anthropic's Messages API that a context makes. */
export type AnthropicRequest = {
  /** Blocks of text. */
  readonly system?: readonly JsonObject[]
  /** The user begins, and roles alternate. */
  readonly messages: readonly {
    readonly role: 'user' | 'assistant'
    readonly content: readonly JsonObject[]
  }[]
}

/**
 * Returns the `system` and `messages` of a request to Anthropic's Messages API: the user begins and roles alternate;
 * the message after a call begins with its result; thoughts have their signatures. System prompts at the beginning
 * are `system`, later ones are marked texts of the user.
 */
export function anthropicRequest<N>(items: readonly RequestItem<N>[]): Request<N, AnthropicRequest> {
  const { turns, repairs } = turnsOf(items, LIMITS)
  const from = turns.findIndex(({ role }) => role !== 'system')
  const prompts = turns.slice(0, from < 0 ? turns.length : from)
  const rest = turns.slice(prompts.length)
  const system = prompts.flatMap(({ blocks }) => blocks.flatMap(systemPart))
  const writer = new AnthropicMessages()
  const first = rest[0]
  const started: RequestRepair<N>[] = []
  if (first?.role === 'assistant') {
    writer.user([text(START)], tokensIn([{ kind: 'text', text: START }]))
    started.push({ kind: 'added-start', node: first.node })
  }
  for (const turn of rest) writer.add(turn)
  const messages = writer.messages
  return {
    value: {
      ...(system.length > 0 && { system: system.map(({ value }) => value) }),
      messages: messages.map(({ value }) => value),
    },
    parts: [...system, ...messages],
    repairs: [...repairs, ...started],
  }
}

interface AnthropicMessage extends RequestPart {
  readonly value: { readonly role: 'user' | 'assistant'; readonly content: JsonObject[] }
  tokens: number
}

/** Builds messages; consecutive blocks of the user share one. */
class AnthropicMessages {
  readonly messages: AnthropicMessage[] = []

  user(content: readonly JsonObject[], tokens: number): void {
    if (content.length === 0) return
    const last = this.messages.at(-1)
    if (last?.value.role !== 'user')
      this.messages.push({ value: { role: 'user', content: [...content] }, tokens })
    else {
      for (const block of content) last.value.content.push(block)
      last.tokens += tokens
    }
  }

  add({ role, blocks }: RequestTurn<unknown>): void {
    if (role === 'user') this.user(blocks.flatMap(userBlock), tokensIn(blocks))
    else if (role === 'system') this.user(blocks.flatMap(markedBlock), tokensIn(blocks))
    else {
      const content = blocks.flatMap(modelBlock)
      this.messages.push({ value: { role: 'assistant', content }, tokens: tokensIn(blocks) })
      this.user(blocks.flatMap(resultBlock), answerTokens(blocks))
      // with a result that failed there can be no images
      this.user(blocks.flatMap(imagesAfterError), 0)
    }
  }
}

const text = (words: string): JsonObject => ({ type: 'text', text: words })

const systemPart = (block: TurnBlock): RequestPart<JsonObject>[] =>
  block.kind === 'text' ? [{ value: text(block.text), tokens: tokensIn([block]) }] : []

const markedBlock = (block: TurnBlock): JsonObject[] =>
  block.kind === 'text' ? [text(`<system>\n${block.text}\n</system>`)] : []

function userBlock(block: TurnBlock): JsonObject[] {
  if (block.kind === 'text') return [text(block.text)]
  return block.kind === 'image' ? [imageBlock(block)] : []
}

function modelBlock(block: TurnBlock): JsonObject[] {
  switch (block.kind) {
    case 'text':
      return [text(block.text)]
    case 'thinking': {
      const { value, redacted } = block.seal
      if (redacted) return [{ type: 'redacted_thinking', data: value }]
      return [{ type: 'thinking', thinking: block.text, signature: value }]
    }
    case 'toolCall':
      return [{ type: 'tool_use', id: block.id, name: block.name, input: soundInput(block) }]
    case 'image':
      return []
  }
}

function resultBlock(block: TurnBlock): JsonObject[] {
  if (block.kind !== 'toolCall') return []
  const { text: words, error, images } = block.answer
  const content = [...(words === '' ? [] : [text(words)]), ...(error ? [] : images.map(imageBlock))]
  return [
    {
      type: 'tool_result',
      tool_use_id: block.id,
      ...(content.length > 0 && { content }),
      ...(error && { is_error: true }),
    },
  ]
}

const imagesAfterError = (block: TurnBlock): JsonObject[] =>
  block.kind === 'toolCall' && block.answer.error ? block.answer.images.map(imageBlock) : []

function imageBlock(image: Image): JsonObject {
  const type = image.mediaType === 'application/pdf' ? 'document' : 'image'
  return { type, source: sourceOf(image) as JsonObject }
}

/** Returns the source of an image in the form of the API; undefined if the API does not accept it. */
export function sourceOf({ mediaType, data, url }: Image): JsonObject | undefined {
  if (data !== undefined && (PICTURES.has(mediaType) || mediaType === 'application/pdf'))
    return { type: 'base64', media_type: mediaType, data }
  return url?.startsWith('https://') ? { type: 'url', url } : undefined
}

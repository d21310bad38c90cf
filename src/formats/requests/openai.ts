import { type Json, type JsonObject, jsonText } from '../../model/json.ts'
import { soundInput } from './toolids.ts'
import {
  type AnsweredCall,
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

const acceptsImage: ApiLimits['acceptsImage'] = (image, role) =>
  (role === 'user' || role === 'tool') && addressOf(image) !== undefined

/** The part of a request to OpenAI's Responses API that a context makes: messages, calls, outputs and thoughts. */
export type ResponsesRequest = { readonly input: readonly JsonObject[] }

/** The part of a request to OpenAI's chat API that a context makes. */
export type ChatRequest = { readonly messages: readonly JsonObject[] }

/**
 * Returns the `input` of a request to OpenAI's Responses API: messages, calls and their outputs; thoughts where that API
 * encrypted them. System prompts are a developer's messages.
 */
export function responsesRequest<N>(items: readonly RequestItem<N>[]): Request<N, ResponsesRequest> {
  const { turns, repairs } = turnsOf(items, { longestId: 64, sealApi: 'openai', acceptsImage })
  const parts = turns.flatMap(inputItems)
  return { value: { input: parts.map(({ value }) => value) }, parts, repairs }
}

/**
 * Returns the `messages` of a request to OpenAI's chat API: a message with calls is followed by their results.
 * Thoughts are left out; images of tools follow the results, as a message of the user.
 */
export function chatRequest<N>(items: readonly RequestItem<N>[]): Request<N, ChatRequest> {
  const { turns, repairs } = turnsOf(items, { longestId: 40, acceptsImage })
  const parts = turns.flatMap(chatMessages)
  return { value: { messages: parts.map(({ value }) => value) }, parts, repairs }
}

const requestPart = (value: JsonObject, blocks: readonly TurnBlock[]): RequestPart<JsonObject> => ({
  value,
  tokens: tokensIn(blocks),
})

function inputItems({ role, blocks }: RequestTurn<unknown>): RequestPart<JsonObject>[] {
  if (role !== 'assistant') {
    const content = blocks.flatMap((block) => inputPart(block) ?? [])
    return [requestPart({ type: 'message', role: role === 'system' ? 'developer' : role, content }, blocks)]
  }
  return [...grouped(blocks).map(outputItem), ...blocks.flatMap(outputOfCall)]
}

/** Puts texts in a row together. */
function grouped(blocks: readonly TurnBlock[]): TurnBlock[][] {
  const groups: TurnBlock[][] = []
  for (const block of blocks) {
    const last = groups.at(-1)
    if (block.kind === 'text' && last?.[0]?.kind === 'text') last.push(block)
    else groups.push([block])
  }
  return groups
}

function outputItem(blocks: readonly TurnBlock[]): RequestPart<JsonObject> {
  const first = blocks[0] as TurnBlock
  if (first.kind === 'toolCall') {
    const { id, name } = first
    return requestPart({ type: 'function_call', call_id: id, name, arguments: argumentsOf(first) }, [first])
  }
  if (first.kind === 'thinking') {
    const summary = first.text === '' ? [] : [{ type: 'summary_text', text: first.text }]
    return requestPart({ type: 'reasoning', summary, encrypted_content: first.seal.value }, [first])
  }
  const content = blocks.flatMap((block) =>
    block.kind === 'text' ? [{ type: 'output_text', text: block.text }] : [],
  )
  return requestPart({ type: 'message', role: 'assistant', content }, blocks)
}

function outputOfCall(block: TurnBlock): RequestPart<JsonObject>[] {
  if (block.kind !== 'toolCall') return []
  const { text, images } = block.answer
  const shown = images.flatMap((image) => inputPart(image) ?? [])
  const output =
    shown.length === 0 ? text : [...(text === '' ? [] : [{ type: 'input_text', text }]), ...shown]
  return [
    { value: { type: 'function_call_output', call_id: block.id, output }, tokens: answerTokens([block]) },
  ]
}

function inputPart(block: TurnBlock): Json | undefined {
  if (block.kind === 'text') return { type: 'input_text', text: block.text }
  return block.kind === 'image' ? { type: 'input_image', image_url: addressOf(block) as string } : undefined
}

function chatMessages({ role, blocks }: RequestTurn<unknown>): RequestPart<JsonObject>[] {
  if (role !== 'assistant') return [requestPart({ role, content: chatContent(blocks) }, blocks)]
  const words = blocks.flatMap((block) => (block.kind === 'text' ? [block.text] : []))
  const calls = blocks.flatMap((block) => (block.kind === 'toolCall' ? [block] : []))
  const message = {
    role,
    content: words.length === 0 ? null : words.join('\n\n'),
    ...(calls.length > 0 && { tool_calls: calls.map(chatCall) }),
  }
  const answers = calls.map((call): RequestPart<JsonObject> => {
    const { text: content } = call.answer
    return { value: { role: 'tool', tool_call_id: call.id, content }, tokens: answerTokens([call]) }
  })
  const images = calls.flatMap((call) => call.answer.images)
  const shown =
    images.length === 0 ? [] : [{ value: { role: 'user', content: chatContent(images) }, tokens: 0 }]
  return [requestPart(message, blocks), ...answers, ...shown]
}

const chatCall = (call: AnsweredCall): JsonObject => ({
  id: call.id,
  type: 'function',
  function: { name: call.name, arguments: argumentsOf(call) },
})

/** A text alone is a text. */
function chatContent(blocks: readonly TurnBlock[]): Json {
  const first = blocks[0]
  if (blocks.length === 1 && first?.kind === 'text') return first.text
  return blocks.flatMap((block): Json[] => {
    if (block.kind === 'text') return [{ type: 'text', text: block.text }]
    return block.kind === 'image'
      ? [{ type: 'image_url', image_url: { url: addressOf(block) as string } }]
      : []
  })
}

const argumentsOf = (call: AnsweredCall): string => jsonText(soundInput(call))

function addressOf({ mediaType, data, url }: Image): string | undefined {
  if (data !== undefined && PICTURES.has(mediaType)) return `data:${mediaType};base64,${data}`
  return url?.startsWith('https://') ? url : undefined
}

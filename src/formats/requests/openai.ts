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
  type SaidBlock,
  tokensIn,
  turnsOf,
} from './turns.ts'

const takes: ApiLimits['takes'] = (image, role) =>
  (role === 'user' || role === 'tool') && addressOf(image) !== undefined

/**
 * Returns the `input` of a request to OpenAI's Responses API: messages, calls and their outputs; thoughts where that API
 * encrypted them. System prompts are a developer's messages.
 */
export function responsesRequest<N>(items: readonly RequestItem<N>[]): Request<N> {
  const { turns, repairs } = turnsOf(items, { longestId: 64, seals: 'openai', takes })
  const pieces = turns.flatMap(inputItems)
  return { value: { input: pieces.map(({ value }) => value) }, pieces, repairs }
}

/**
 * Returns the `messages` of a request to OpenAI's chat API: a message with calls is followed by their results.
 * Thoughts are left out; images of tools follow the results, as a message of the user.
 */
export function chatRequest<N>(items: readonly RequestItem<N>[]): Request<N> {
  const { turns, repairs } = turnsOf(items, { longestId: 40, takes })
  const pieces = turns.flatMap(chatMessages)
  return { value: { messages: pieces.map(({ value }) => value) }, pieces, repairs }
}

const piece = (value: JsonObject, said: readonly SaidBlock[]): RequestPart => ({
  value,
  tokens: tokensIn(said),
})

function inputItems({ role, said }: RequestTurn<unknown>): RequestPart[] {
  if (role !== 'assistant') {
    const content = said.flatMap((one) => inputPart(one) ?? [])
    return [piece({ type: 'message', role: role === 'system' ? 'developer' : role, content }, said)]
  }
  return [...grouped(said).map(outputItem), ...said.flatMap(outputOfCall)]
}

/** Puts texts in a row together. */
function grouped(said: readonly SaidBlock[]): SaidBlock[][] {
  const groups: SaidBlock[][] = []
  for (const one of said) {
    const last = groups.at(-1)
    if (one.kind === 'text' && last?.[0]?.kind === 'text') last.push(one)
    else groups.push([one])
  }
  return groups
}

function outputItem(said: readonly SaidBlock[]): RequestPart {
  const first = said[0] as SaidBlock
  if (first.kind === 'toolCall') {
    const { id, name } = first
    return piece({ type: 'function_call', call_id: id, name, arguments: argumentsOf(first) }, [first])
  }
  if (first.kind === 'thinking') {
    const summary = first.text === '' ? [] : [{ type: 'summary_text', text: first.text }]
    return piece({ type: 'reasoning', summary, encrypted_content: first.seal.value }, [first])
  }
  const content = said.flatMap((one) =>
    one.kind === 'text' ? [{ type: 'output_text', text: one.text }] : [],
  )
  return piece({ type: 'message', role: 'assistant', content }, said)
}

function outputOfCall(said: SaidBlock): RequestPart[] {
  if (said.kind !== 'toolCall') return []
  const { text, images } = said.answer
  const shown = images.flatMap((image) => inputPart(image) ?? [])
  const output =
    shown.length === 0 ? text : [...(text === '' ? [] : [{ type: 'input_text', text }]), ...shown]
  return [{ value: { type: 'function_call_output', call_id: said.id, output }, tokens: answerTokens([said]) }]
}

function inputPart(said: SaidBlock): Json | undefined {
  if (said.kind === 'text') return { type: 'input_text', text: said.text }
  return said.kind === 'image' ? { type: 'input_image', image_url: addressOf(said) as string } : undefined
}

function chatMessages({ role, said }: RequestTurn<unknown>): RequestPart[] {
  if (role !== 'assistant') return [piece({ role, content: chatContent(said) }, said)]
  const words = said.flatMap((one) => (one.kind === 'text' ? [one.text] : []))
  const calls = said.flatMap((one) => (one.kind === 'toolCall' ? [one] : []))
  const message = {
    role,
    content: words.length === 0 ? null : words.join('\n\n'),
    ...(calls.length > 0 && { tool_calls: calls.map(chatCall) }),
  }
  const answers = calls.map((call): RequestPart => {
    const { text: content } = call.answer
    return { value: { role: 'tool', tool_call_id: call.id, content }, tokens: answerTokens([call]) }
  })
  const images = calls.flatMap((call) => call.answer.images)
  const shown =
    images.length === 0 ? [] : [{ value: { role: 'user', content: chatContent(images) }, tokens: 0 }]
  return [piece(message, said), ...answers, ...shown]
}

const chatCall = (call: AnsweredCall): JsonObject => ({
  id: call.id,
  type: 'function',
  function: { name: call.name, arguments: argumentsOf(call) },
})

/** A text alone is a text. */
function chatContent(said: readonly SaidBlock[]): Json {
  const first = said[0]
  if (said.length === 1 && first?.kind === 'text') return first.text
  return said.flatMap((one): Json[] => {
    if (one.kind === 'text') return [{ type: 'text', text: one.text }]
    return one.kind === 'image' ? [{ type: 'image_url', image_url: { url: addressOf(one) as string } }] : []
  })
}

const argumentsOf = ({ input }: AnsweredCall): string => jsonText(soundInput(input))

function addressOf({ mediaType, data, url }: Image): string | undefined {
  if (data !== undefined && PICTURES.has(mediaType)) return `data:${mediaType};base64,${data}`
  return url?.startsWith('https://') ? url : undefined
}

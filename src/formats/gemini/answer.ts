import { field, isObject, items, type Json, type JsonObject } from '../../model/json.ts'
import type { Block } from '../../model/view.ts'

/** Where the blocks of an answer stand in a message of Gemini: what would come before what is there begins another. */
const PLACES = { thinking: 0, text: 1, image: 1, toolCall: 2, toolResult: 3 } as const satisfies Record<
  Block['kind'],
  number
>

/** Gives blocks as Gemini can say them in one message each. */
export function answersIn(blocks: readonly Block[]): Block[][] {
  const answers: Block[][] = []
  for (const block of blocks) {
    const last = answers.at(-1)
    const before = last?.at(-1)
    if (last && before && PLACES[block.kind] >= PLACES[before.kind]) last.push(block)
    else answers.push([block])
  }
  return answers
}

/** Gives texts and images as the parts of a message. */
export const partsOf = (blocks: readonly Block[]): JsonObject[] =>
  blocks.flatMap((block): JsonObject[] => {
    if (block.kind === 'text') return [{ text: block.text }]
    if (block.kind !== 'image' || block.data === undefined) return []
    return [{ inlineData: { mimeType: block.mediaType, data: block.data } }]
  })

/** Gives what the model says in one message: a text alone as it is. */
export function answerOf(blocks: readonly Block[], timestamp: Json): JsonObject {
  const parts = partsOf(blocks)
  const text = parts.length === 1 ? parts[0]?.text : undefined
  const thoughts = blocks.flatMap((block) =>
    block.kind === 'thinking' ? [{ subject: '', description: block.text, timestamp }] : [],
  )
  const toolCalls = blocks.flatMap((block) =>
    block.kind === 'toolCall'
      ? [{ id: block.id, name: block.name, args: block.input, status: 'success', timestamp }]
      : [],
  )
  return {
    type: 'gemini',
    content: parts.length === 0 ? '' : (text ?? parts),
    ...(thoughts.length > 0 && { thoughts }),
    ...(toolCalls.length > 0 && { toolCalls }),
  }
}

/** Gives a message whose latest call of an id without a result has one; undefined where it has no such call. */
export function answered(message: JsonObject, id: string, blocks: readonly Block[]): JsonObject | undefined {
  const calls = items(message.toolCalls)
  const at = calls.findLastIndex((call) => field(call, 'id') === id && field(call, 'result') === undefined)
  const call = calls[at]
  if (!isObject(call)) return undefined
  return { ...message, toolCalls: calls.with(at, { ...call, ...resultOf(call, blocks) }) }
}

function resultOf({ id = '', name = '' }: JsonObject, blocks: readonly Block[]): JsonObject {
  const [answer] = blocks
  const told = answer?.kind === 'toolResult' ? answer : { text: '', error: false }
  const response = told.error ? { error: told.text } : { output: told.text }
  return {
    status: told.error ? 'error' : 'success',
    result: [{ functionResponse: { id, name, response } }, ...partsOf(blocks.slice(1))],
  }
}

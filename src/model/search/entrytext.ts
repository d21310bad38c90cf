import { isObject, type Json, jsonText, plain } from '../json.ts'
import { argumentText } from '../toolinput.ts'
import { type Block, summaryIn, type View } from '../view.ts'

/**
 * Where a text occurs: in a prompt of the user, in a reply of the agent (or the system), or in tool calls and results and
 * what tools say.
 */
export type TextPlace = 'prompt' | 'reply' | 'tool'

/** The places, that which people look for first first. */
export const PLACES: readonly TextPlace[] = ['prompt', 'reply', 'tool']

/** A piece of an entry's words. */
export interface EntryText {
  readonly place: TextPlace
  readonly text: string
  /** Of a call, and of a result that names it: the tool. */
  readonly tool?: string
  /** Of a call and its result: what pairs them. */
  readonly call?: string
  /** Of a result: whether the tool failed. */
  readonly failed?: boolean
}

/** Returns the texts of an entry. */
export function textsOf({ role, blocks, effect }: View): EntryText[] {
  const words = role === 'user' ? 'prompt' : role === 'tool' ? 'tool' : 'reply'
  const texts = blocks.flatMap((block) => textsOfBlock(block, words))
  const summary = summaryIn(effect)
  if (summary) texts.push({ place: 'reply', text: summary })
  if (effect?.kind === 'edit')
    texts.push(...(effect.replacement ?? []).flatMap((block) => textsOfBlock(block, words)))
  return texts
}

function textsOfBlock(block: Block, words: TextPlace): EntryText[] {
  switch (block.kind) {
    case 'text':
      return [{ place: words, text: block.text }]
    case 'thinking':
      return [{ place: 'reply', text: block.text }]
    case 'toolCall': {
      const text = `${block.name}\n${inputText(block.input)}`
      return [{ place: 'tool', text, tool: block.name, call: block.id }]
    }
    case 'toolResult': {
      const { text, name, id, error } = block
      return [{ place: 'tool', text, call: id, failed: error, ...(name !== undefined && { tool: name }) }]
    }
    case 'image':
      return []
  }
}

/** Returns the arguments of a call as text: a line or more for each named argument. */
export function inputText(input: Json): string {
  const value = plain(input)
  if (typeof value === 'string') return value
  if (!isObject(value)) return jsonText(value)
  return Object.entries(value)
    .map(([key, argument]) => `${key}: ${argumentText(key, argument)}`)
    .join('\n')
}

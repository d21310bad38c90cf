import { jsonText } from './json.ts'
import { ownWords } from './prompt.ts'
import { type Block, summaryIn, type View } from './view.ts'

/** The size of an entry or of a path. */
export interface Weight {
  /** Tool calls. */
  readonly calls: number
  /** Tokens, estimated. */
  readonly tokens: number
  /** Entries in which the user says something in words of their own. */
  readonly prompts: number
  /** These, and the entries in which the model says something. */
  readonly texts: number
}

export const NO_WEIGHT: Weight = { calls: 0, tokens: 0, prompts: 0, texts: 0 }

/** Returns the sum of two weights. */
export const plus = (a: Weight, b: Weight): Weight => ({
  calls: a.calls + b.calls,
  tokens: a.tokens + b.tokens,
  prompts: a.prompts + b.prompts,
  texts: a.texts + b.texts,
})

/** Returns the weight of a path without its beginning. */
export const minus = (a: Weight, b: Weight): Weight => ({
  calls: a.calls - b.calls,
  tokens: a.tokens - b.tokens,
  prompts: a.prompts - b.prompts,
  texts: a.texts - b.texts,
})

/** The number of characters that an image counts as: 1,200 tokens, as pi counts it. */
const IMAGE_CHARS = 4800

/** Returns the number of tool calls of an entry. */
export function callsOf({ blocks }: View): number {
  let calls = 0
  for (const { kind } of blocks) if (kind === 'toolCall') calls++
  return calls
}

/** The number of characters that count as a token, as pi estimates. */
const PER_TOKEN = 4

/** Returns the estimated tokens of a number of characters: a quarter of them, rounded up. */
export const tokensIn = (chars: number): number => Math.ceil(chars / PER_TOKEN)

/** Returns the estimated tokens of an entry, from its characters. */
export const tokensOf = (view: View): number => tokensIn(charsOf(view))

/**
 * Returns the number of characters (UTF-16 units) of an entry: text, reasoning, names and JSON arguments of tool calls,
 * texts of results and, for an entry without blocks, its summary; an image counts 4,800.
 */
export function charsOf({ blocks, effect }: View): number {
  let chars = blocks.length === 0 ? (summaryIn(effect) ?? '').length : 0
  for (const block of blocks) chars += charsIn(block)
  return chars
}

/** Returns the number of characters of a block. */
export function charsIn(block: Block): number {
  switch (block.kind) {
    case 'text':
    case 'thinking':
    case 'toolResult':
      return block.text.length
    case 'toolCall':
      return block.name.length + jsonText(block.input).length
    case 'image':
      return IMAGE_CHARS
  }
}

/** Returns the weight of an entry. */
export function weightOf(view: View): Weight {
  const prompts = ownWords(view) === undefined ? 0 : 1
  const texts = prompts === 1 || (view.role === 'assistant' && view.blocks.some(hasWords)) ? 1 : 0
  return { calls: callsOf(view), tokens: tokensOf(view), prompts, texts }
}

const hasWords = (block: Block): boolean => block.kind === 'text' && /\S/.test(block.text)

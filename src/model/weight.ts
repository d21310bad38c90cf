import { jsonText } from './json.ts'
import { type Block, summaryIn, type View } from './view.ts'

/** How much is said, of one entry or of all of a path. */
export interface Weight {
  /** Tool calls. */
  readonly calls: number
  /** Tokens, estimated. */
  readonly tokens: number
}

export const NO_WEIGHT: Weight = { calls: 0, tokens: 0 }

/** Gives what two things weigh together. */
export const plus = (a: Weight, b: Weight): Weight => ({
  calls: a.calls + b.calls,
  tokens: a.tokens + b.tokens,
})

/** Gives what remains of a path's weight without a beginning of it. */
export const minus = (a: Weight, b: Weight): Weight => ({
  calls: a.calls - b.calls,
  tokens: a.tokens - b.tokens,
})

/** An image counts as so many characters: 1,200 tokens, as pi counts it. */
const IMAGE_CHARS = 4800

/** Gives how many tools an entry calls. */
export function callsOf({ blocks }: View): number {
  let calls = 0
  for (const { kind } of blocks) if (kind === 'toolCall') calls++
  return calls
}

/** So many characters are taken for a token, as pi estimates them. */
const PER_TOKEN = 4

/** Gives an estimate of the tokens that so many characters are: a quarter of them, rounded up. */
export const tokensIn = (chars: number): number => Math.ceil(chars / PER_TOKEN)

/** Gives an estimate of the tokens that an entry takes: of its characters. */
export const tokensOf = (view: View): number => tokensIn(charsOf(view))

/**
 * Gives how many characters (UTF-16 units) an entry says: counted are text, thinking, names and JSON arguments of tool
 * calls, texts of results, and of an entry without blocks the summary that it stands for; an image counts 4,800.
 */
export function charsOf({ blocks, effect }: View): number {
  let chars = blocks.length === 0 ? (summaryIn(effect) ?? '').length : 0
  for (const block of blocks) chars += charsIn(block)
  return chars
}

/** Gives how many characters a block says. */
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

/** Gives the weight of an entry. */
export const weightOf = (view: View): Weight => ({ calls: callsOf(view), tokens: tokensOf(view) })

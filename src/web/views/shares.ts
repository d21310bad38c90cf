import type { ContextMessage } from '../../verbs/types.ts'

/** A part of a context, by what it is. */
export interface Share {
  readonly name: string
  readonly tokens: number
  readonly hue: string
}

const KINDS = [
  ['system', 'f4'],
  ['summary', 'f3'],
  ['you', 'f1'],
  ['agent', 'g3'],
  ['tools', 'f2'],
] as const

type Kind = (typeof KINDS)[number][0]

/** Returns the length of what a message says, which its share of the tokens is computed from. */
export const lengthOf = ({ blocks }: ContextMessage): number =>
  blocks.reduce((sum, block) => {
    switch (block.kind) {
      case 'toolCall':
        return sum + block.name.length + JSON.stringify(block.input).length
      case 'image':
        return sum + IMAGE_CHARS
      default:
        return sum + block.text.length
    }
  }, 0)

const IMAGE_CHARS = 4000

/** Returns what a message of a context is. */
export function kindOf({ role, part, blocks }: ContextMessage): Kind {
  if (part !== 'message' && part !== 'kept') return 'summary'
  if (role === 'system') return 'system'
  if (role === 'tool' || blocks.some(({ kind }) => kind === 'toolResult')) return 'tools'
  return role === 'assistant' ? 'agent' : 'you'
}

/** Returns the shares of a context by what they are; together they are all of its tokens. */
export function sharesOf(messages: readonly ContextMessage[], tokens: number): Share[] {
  const chars = new Map<Kind, number>()
  let all = 0
  for (const message of messages) {
    const length = lengthOf(message)
    const kind = kindOf(message)
    chars.set(kind, (chars.get(kind) ?? 0) + length)
    all += length
  }
  return KINDS.flatMap(([name, hue]) => {
    const length = chars.get(name) ?? 0
    return length === 0 ? [] : [{ name, hue, tokens: Math.round((tokens * length) / Math.max(1, all)) }]
  })
}

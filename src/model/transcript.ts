import { cut } from './markdown.ts'
import { inputText } from './search/entrytext.ts'
import type { Block, Role, View } from './view.ts'

/** How many UTF-16 units of a tool result are included: the rest seldom matters to a summary. */
const RESULT = 2000

const SPEAKERS: Readonly<Record<Role, string>> = {
  user: 'User',
  assistant: 'Assistant',
  tool: 'Tool',
  system: 'System',
}

/** Returns an entry as text for a model that summarizes it, each part after its kind; '' if it has no text. */
export function partOf({ role, blocks, effect }: View): string {
  const parts = blocks.map((block) => blockText(block, role))
  if (effect?.kind === 'compaction' && effect.summary)
    parts.push(`[Summary of what came before]\n${effect.summary}`)
  if (effect?.kind === 'summary') parts.push(`[Summary of a branch that was left]\n${effect.text}`)
  return parts.map((part) => `${part}\n\n`).join('')
}

function blockText(block: Block, role: Role | null): string {
  switch (block.kind) {
    case 'text':
      return `[${SPEAKERS[role ?? 'system']}]\n${block.text}`
    case 'thinking':
      return `[Thinking]\n${block.text}`
    case 'toolCall':
      return `[Call of ${block.name}]\n${inputText(block.input)}`
    case 'toolResult':
      return `[${block.error ? 'Error' : 'Result'}]\n${cut(block.text, RESULT)}`
    case 'image':
      return `[Image ${block.mediaType}]`
  }
}

import { asString, field, type Json } from '../../model/json.ts'
import type { Block } from '../../model/view.ts'
import { at, listAt, opened, textAt } from './look.ts'

/**
 * Gives the blocks of a message's content: a string, or a list of blocks. Blocks of unknown types show
 * nothing.
 */
export function blocksOf(content: Json | undefined): readonly Block[] {
  const text = asString(opened(content))
  return text === undefined ? listAt(content).flatMap(shown) : [{ kind: 'text', text }]
}

function shown(block: Json | undefined): readonly Block[] {
  const type = textAt(block, 'type') ?? ''
  if (type === 'thinking') return textBlock('thinking', textAt(block, 'thinking'))
  if (type.endsWith('tool_use')) return [toolCall(block)]
  return type.endsWith('tool_result') ? toolResult(block) : plainly(block)
}

function plainly(block: Json | undefined): readonly Block[] {
  const type = textAt(block, 'type')
  if (type === 'text') return textBlock('text', textAt(block, 'text'))
  return type === 'image' || type === 'document' ? media(block) : []
}

const textBlock = (kind: 'text' | 'thinking', text: string | undefined): readonly Block[] =>
  text === undefined ? [] : [{ kind, text }]

const toolCall = (block: Json | undefined): Block => ({
  kind: 'toolCall',
  id: textAt(block, 'id') ?? '',
  name: textAt(block, 'name') ?? '',
  input: field(block, 'input') ?? {},
})

/** A result, its texts joined, and behind it the images that it holds. A result in a result shows nothing. */
function toolResult(block: Json | undefined): readonly Block[] {
  const content = at(block, 'content')
  const whole = asString(content)
  const parts = whole === undefined ? listAt(content).flatMap(plainly) : textBlock('text', whole)
  const text = parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n')
  const result: Block = {
    kind: 'toolResult',
    id: textAt(block, 'tool_use_id') ?? '',
    text,
    error: at(block, 'is_error') === true,
  }
  return [result, ...parts.filter((part) => part.kind === 'image')]
}

/** An image, or a document by its media type; a document that is text is text. */
function media(block: Json | undefined): readonly Block[] {
  const data = textAt(block, 'source', 'data') ?? ''
  if (textAt(block, 'source', 'type') === 'text') return textBlock('text', data)
  const mediaType = textAt(block, 'source', 'media_type') ?? 'application/octet-stream'
  return [{ kind: 'image', mediaType, bytes: base64Size(data) }]
}

/** Gives how many bytes a base64 text stands for. */
export function base64Size(text: string): number {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  return Math.max(0, Math.floor((text.length * 3) / 4) - padding)
}

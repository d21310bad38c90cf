import { asString, field, isObject, type Json } from '../../model/json.ts'
import type { Block } from '../../model/view.ts'
import { at, listAt, opened, textAt } from './look.ts'
import { toldIn } from './told.ts'

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
  if (type === 'thinking') return thought(block)
  if (type === 'redacted_thinking') return redacted(textAt(block, 'data'))
  if (type.endsWith('tool_use')) return [toolCall(block)]
  return type.endsWith('tool_result') ? toolResult(block) : plainly(block)
}

function plainly(block: Json | undefined): readonly Block[] {
  const type = textAt(block, 'type')
  if (type === 'text') return textBlock(textAt(block, 'text'))
  return type === 'image' || type === 'document' ? media(block) : textBlock(toldIn(block))
}

const textBlock = (text: string | undefined): readonly Block[] =>
  text === undefined ? [] : [{ kind: 'text', text }]

function thought(block: Json | undefined): readonly Block[] {
  const [text, value] = [textAt(block, 'thinking'), textAt(block, 'signature')]
  return text === undefined
    ? []
    : [{ kind: 'thinking', text, ...(value && { seal: { api: 'anthropic', value } }) }]
}

const redacted = (value: string | undefined): readonly Block[] =>
  value ? [{ kind: 'thinking', text: '', seal: { api: 'anthropic', value, redacted: true } }] : []

const toolCall = (block: Json | undefined): Block => ({
  kind: 'toolCall',
  id: textAt(block, 'id') ?? '',
  name: textAt(block, 'name') ?? '',
  input: field(block, 'input') ?? {},
})

/**
 * A result, its texts joined, and behind it the images that it holds: a text, a list of parts, or one part, where it ran at
 * the provider. A result in a result shows nothing.
 */
function toolResult(block: Json | undefined): readonly Block[] {
  const content = at(block, 'content')
  const whole = asString(content)
  const list = isObject(content) ? [content] : listAt(content)
  const parts = whole === undefined ? list.flatMap(plainly) : textBlock(whole)
  const text = parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n')
  const result: Block = {
    kind: 'toolResult',
    id: textAt(block, 'tool_use_id') ?? '',
    text,
    error: at(block, 'is_error') === true || textAt(content, 'type')?.endsWith('_error') === true,
  }
  return [result, ...parts.filter((part) => part.kind === 'image')]
}

/** An image, or a document by its media type; a document that is text is text. */
function media(block: Json | undefined): readonly Block[] {
  const data = textAt(block, 'source', 'data') ?? ''
  if (textAt(block, 'source', 'type') === 'text') return textBlock(data)
  const mediaType = textAt(block, 'source', 'media_type') ?? 'application/octet-stream'
  const url = textAt(block, 'source', 'url')
  return [{ kind: 'image', mediaType, bytes: base64Size(data), ...(data && { data }), ...(url && { url }) }]
}

/** Gives how many bytes a base64 text stands for. */
export function base64Size(text: string): number {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  return Math.max(0, Math.floor((text.length * 3) / 4) - padding)
}

import { asString, items, type Json, jsonText } from '../../model/json.ts'
import type { Block } from '../../model/view.ts'
import { opened } from './body.ts'

/** Gives what a message's content shows: a text, or a list of parts. */
export function blocksOf(content: Json | undefined): Block[] {
  const text = asString(content)
  return text === undefined ? items(content).flatMap(partBlocks) : [{ kind: 'text', text }]
}

function partBlocks(part: Json): Block[] {
  const text = asString(part)
  if (text !== undefined) return [{ kind: 'text', text }]
  const inside = opened(part)
  if (inside === undefined) return []
  switch (asString(inside.type)) {
    case 'input_image':
      return imageBlocks(inside.image_url)
    case 'tool_use':
      return [{ kind: 'toolCall', id: '', name: asString(inside.name) ?? '', input: inside.input ?? {} }]
    default: {
      const words = asString(inside.text) ?? asString(inside.refusal)
      return words === undefined ? [] : [{ kind: 'text', text: words }]
    }
  }
}

function imageBlocks(url: Json | undefined): Block[] {
  const text = asString(url) ?? asString(opened(url)?.url)
  if (text === undefined) return []
  const match = /^data:([^;,]{0,100})[^,]{0,100},/.exec(text)
  if (!match) return [{ kind: 'image', mediaType: 'image/*', bytes: 0, url: text }]
  return [imageBlock(match[1] || 'image/*', text.slice(match[0].length))]
}

/** Gives the image that base64 text spells. */
export function imageBlock(mediaType: string, base64: string): Block {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0
  const bytes = Math.max(0, Math.floor((base64.length * 3) / 4) - padding)
  return { kind: 'image', mediaType, bytes, ...(base64 && { data: base64 }) }
}

/** Gives the words of blocks joined by newlines. */
export const wordsOf = (blocks: readonly Block[]): string =>
  blocks.flatMap((block) => (block.kind === 'text' ? [block.text] : [])).join('\n')

/** Gives any value as words: a text as it is, everything else as JSON. */
export const asWords = (value: Json | undefined): string =>
  value === undefined ? '' : (asString(value) ?? jsonText(value))

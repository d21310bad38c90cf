import { items, type Json, type JsonObject } from '../../model/json.ts'
import type { Block, Seal } from '../../model/view.ts'
import { sourceOf } from '../requests/anthropic.ts'
import { toolName } from '../requests/names.ts'
import { soundInput } from '../requests/sound.ts'

/**
 * Gives the content of a message of Claude's API. What that refuses is left out: texts of white space alone, thoughts
 * without a signature of its own, images without data. Images behind a result stand in it.
 */
export function contentOf(blocks: readonly Block[]): JsonObject[] {
  const content: JsonObject[] = []
  for (const block of blocks) {
    const made = blockOf(block)
    const last = content.at(-1)
    if (!made) continue
    if (made.source !== undefined && last?.type === 'tool_result')
      content[content.length - 1] = withImage(last, made)
    else content.push(made)
  }
  return content
}

function blockOf(block: Block): JsonObject | undefined {
  switch (block.kind) {
    case 'text':
      return block.text.trim() === '' ? undefined : { type: 'text', text: block.text }
    case 'thinking':
      return thought(block.text, block.seal)
    case 'toolCall':
      return {
        type: 'tool_use',
        id: block.id,
        name: toolName(block.name),
        input: soundInput(block.input),
      }
    case 'toolResult':
      return {
        tool_use_id: block.id,
        type: 'tool_result',
        content: block.text,
        ...(block.error && { is_error: true }),
      }
    case 'image': {
      const source = sourceOf(block)
      return source && { type: block.mediaType === 'application/pdf' ? 'document' : 'image', source }
    }
  }
}

function thought(thinking: string, seal: Seal | undefined): JsonObject | undefined {
  if (seal?.api !== 'anthropic') return undefined
  const { value, redacted } = seal
  return redacted
    ? { type: 'redacted_thinking', data: value }
    : { type: 'thinking', thinking, signature: value }
}

const withImage = ({ content, ...result }: JsonObject, image: JsonObject): JsonObject => {
  const before: readonly Json[] = Array.isArray(content) ? items(content) : textOf(content)
  return { ...result, content: [...before, image] }
}

const textOf = (text: Json | undefined): Json[] => (text ? [{ type: 'text', text }] : [])

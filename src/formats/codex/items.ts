import { items as itemsIn, type Json, type JsonObject, jsonText } from '../../model/json.ts'
import type { Block, Role } from '../../model/view.ts'

const ROLES: Readonly<Record<Role, string>> = {
  user: 'user',
  assistant: 'assistant',
  tool: 'user',
  system: 'developer',
}

/**
 * Gives what one speaker says as items of the Responses API: texts and images in a row are one message, images behind a
 * result stand in it. Thoughts are left out, which only the model that had them can read.
 */
export function itemsOf(role: Role, blocks: readonly Block[]): JsonObject[] {
  const items: JsonObject[] = []
  let content: Json[] | undefined
  for (const block of blocks) {
    const last = items.at(-1)
    if (block.kind === 'image' && last?.type === 'function_call_output' && content === undefined)
      items[items.length - 1] = withImage(last, block)
    else if (block.kind === 'text' || block.kind === 'image') {
      const part = partOf(block, role)
      if (part === undefined) continue
      if (content === undefined) items.push({ type: 'message', role: ROLES[role], content: (content = []) })
      content.push(part)
    } else if (block.kind !== 'thinking') {
      content = undefined
      items.push(itemOf(block))
    }
  }
  return items
}

function partOf(block: Block, role: Role): JsonObject | undefined {
  if (block.kind === 'image') return imagePart(block)
  if (block.kind !== 'text' || block.text === '') return undefined
  return { type: role === 'assistant' ? 'output_text' : 'input_text', text: block.text }
}

const imagePart = (block: Block): JsonObject | undefined =>
  block.kind !== 'image' || block.data === undefined
    ? undefined
    : { type: 'input_image', image_url: `data:${block.mediaType};base64,${block.data}` }

function itemOf(block: Block & { readonly kind: 'toolCall' | 'toolResult' }): JsonObject {
  if (block.kind === 'toolResult')
    return { type: 'function_call_output', call_id: block.id, output: block.text }
  const args = typeof block.input === 'string' ? block.input : jsonText(block.input)
  return { type: 'function_call', name: block.name, arguments: args, call_id: block.id }
}

function withImage({ output, ...item }: JsonObject, block: Block): JsonObject {
  const image = imagePart(block)
  if (!image) return { ...item, output: output ?? '' }
  const before = Array.isArray(output) ? itemsIn(output) : [{ type: 'input_text', text: output ?? '' }]
  return { ...item, output: [...before, image] }
}

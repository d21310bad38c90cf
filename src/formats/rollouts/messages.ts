import type { JsonObject } from '../../model/json.ts'
import type { Block, Setting } from '../../model/view.ts'

/** Gives what user or system say as a message; none where it says nothing that rollouts has. */
export function wordsMessage(role: string, blocks: readonly Block[]): JsonObject[] {
  const content = contentOf(blocks)
  return content.length === 0 ? [] : [{ role, content: shortened(content) }]
}

/** Gives what a model says as a message; none where it says nothing that rollouts has. */
export function answerMessage(blocks: readonly Block[], model: Setting['model']): JsonObject[] {
  const content = contentOf(blocks)
  const by = model && { ...(model.provider !== undefined && { provider: model.provider }), model: model.id }
  return content.length === 0 ? [] : [{ role: 'assistant', content: shortened(content), ...by }]
}

/** Gives what answers a call, the images behind it in it. */
export function resultMessage([answer, ...images]: readonly Block[]): JsonObject {
  const { id, text, error } = answer?.kind === 'toolResult' ? answer : { id: '', text: '', error: false }
  const shown = contentOf(images)
  return {
    role: 'tool',
    content: shown.length === 0 ? text : [{ type: 'text', text }, ...shown],
    tool_call_id: id,
    ...(error && { details: { is_error: true } }),
  }
}

/** A text alone is written as it is. */
const shortened = (content: readonly JsonObject[]): JsonObject[string] =>
  content.length === 1 && typeof content[0]?.text === 'string' ? content[0].text : content

/** Gives blocks as content. A thought that nobody signed is left out: the APIs take none back. */
const contentOf = (blocks: readonly Block[]): JsonObject[] =>
  blocks.flatMap((block): JsonObject[] => {
    switch (block.kind) {
      case 'text':
        return block.text === '' ? [] : [{ type: 'text', text: block.text }]
      case 'thinking':
        return block.seal?.api === 'anthropic' && !block.seal.redacted
          ? [{ type: 'thinking', thinking: block.text, thinking_signature: block.seal.value }]
          : []
      case 'toolCall':
        return [{ type: 'toolCall', id: block.id, name: block.name, arguments: block.input }]
      case 'image':
        return block.data === undefined
          ? []
          : [{ type: 'image', data: block.data, mime_type: block.mediaType }]
      case 'toolResult':
        return []
    }
  })

import type { JsonObject } from '../../model/json.ts'
import type { Block, Seal, Setting } from '../../model/view.ts'
import { toolName } from '../requests/names.ts'
import { soundInput } from '../requests/sound.ts'

/** Gives what a user says as parts of a message: texts and images. */
export const userParts = (blocks: readonly Block[]): JsonObject[] =>
  blocks.flatMap((block): JsonObject[] => {
    if (block.kind === 'text') return block.text === '' ? [] : [{ type: 'text', text: block.text }]
    return fileOf(block)
  })

function fileOf(block: Block): JsonObject[] {
  if (block.kind !== 'image') return []
  const url = block.data === undefined ? block.url : `data:${block.mediaType};base64,${block.data}`
  return url === undefined ? [] : [{ type: 'file', mime: block.mediaType, url }]
}

/** When an answer was given, in milliseconds since 1970, and by which model. */
interface Given {
  readonly time: number
  readonly model: NonNullable<Setting['model']>
}

/**
 * Gives what the model says as parts of a message, each call with its result. Thoughts stand only where their own model's
 * API signed them: what another is sent of them it refuses.
 */
export const answerParts = (
  said: readonly Block[],
  results: readonly (readonly Block[])[],
  { time, model }: Given,
): JsonObject[] =>
  said.flatMap((block): JsonObject[] => {
    if (block.kind === 'text') return block.text === '' ? [] : [{ type: 'text', text: block.text }]
    if (block.kind === 'thinking') return thoughtOf(block.text, block.seal, { time, model })
    if (block.kind !== 'toolCall') return []
    const { id, name, input } = block
    const state = { input: soundInput(input), ...stateOf(answerTo(id, results), time) }
    return [{ type: 'tool', callID: id, tool: toolName(name), state }]
  })

function thoughtOf(text: string, seal: Seal | undefined, { time, model }: Given): JsonObject[] {
  if (seal?.api !== 'anthropic' || seal.redacted || model.provider !== 'anthropic') return []
  const metadata = { anthropic: { signature: seal.value } }
  return [{ type: 'reasoning', text, metadata, time: { start: time, end: time } }]
}

const answerTo = (id: string, results: readonly (readonly Block[])[]): readonly Block[] =>
  results.find(([first]) => first?.kind === 'toolResult' && first.id === id) ?? []

function stateOf([answer, ...images]: readonly Block[], time: number): JsonObject {
  if (answer?.kind !== 'toolResult') return { status: 'pending', raw: '' }
  const at = { time: { start: time, end: time } }
  if (answer.error) return { status: 'error', error: answer.text, ...at }
  const attachments = images.flatMap(fileOf)
  return {
    status: 'completed',
    output: answer.text,
    title: '',
    metadata: {},
    ...at,
    ...(attachments.length > 0 && { attachments }),
  }
}

import { asString, field, items, type Json, type JsonObject } from '../../model/json.ts'
import { type Block, OPAQUE, type View } from '../../model/view.ts'
import { blocksOf, opened, outputIn } from '../blocks.ts'

/** Gives what an entry of Copilot CLI means, from its kind and body. */
export function view(kind: string, body: Json): View {
  switch (kind) {
    case 'system.message':
      return { role: 'system', blocks: texts(field(body, 'content')) }
    case 'user.message':
      return { role: 'user', blocks: saidIn(body) }
    case 'assistant.message':
      return assistantView(body)
    case 'tool.execution_complete':
      return { role: 'tool', blocks: [resultOf(body), ...imagesIn(field(field(body, 'result'), 'contents'))] }
    case 'session.compaction_complete':
      return {
        ...OPAQUE,
        effect: { kind: 'compaction', summary: asString(field(body, 'summaryContent')) ?? '' },
      }
    default: {
      const sets = settingIn(body)
      return sets ? { ...OPAQUE, sets: setOf(sets) } : OPAQUE
    }
  }
}

/** Gives the model that an event sets and how much it thinks; undefined where it names no model. */
export function settingIn(data: Json): JsonObject | undefined {
  const model =
    asString(field(data, 'newModel')) ??
    asString(field(data, 'chosenModel')) ??
    asString(field(data, 'selectedModel'))
  if (model === undefined) return undefined
  const thinking = asString(field(data, 'reasoningEffort'))
  return { model, ...(thinking !== undefined && { thinking }) }
}

const setOf = ({ model, thinking }: JsonObject): NonNullable<View['sets']> => ({
  model: { id: asString(model) ?? '' },
  ...(typeof thinking === 'string' && { thinking }),
})

function texts(value: Json | undefined): Block[] {
  const text = asString(value)
  return text ? [{ kind: 'text', text }] : []
}

/** What the user typed, and the images that came along. */
const saidIn = (body: Json): Block[] => [
  ...texts(field(body, 'content') ?? field(body, 'transformedContent')),
  ...imagesIn(field(body, 'attachments')),
]

/** The parts of a list that hold an image themselves: Copilot calls one that is attached a blob. */
const imagesIn = (parts: Json | undefined): Block[] =>
  items(parts)
    .filter((part) => asString(field(part, 'mimeType'))?.startsWith('image/') && field(part, 'data'))
    .flatMap((source) => blocksOf({ type: 'image', source }))

/** Usage is told with each part of a message; what goes in is told for the session alone. */
function assistantView(body: Json): View {
  const [thought, model] = [asString(field(body, 'reasoningText')), asString(field(body, 'model'))]
  const thoughts: Block[] = thought ? [{ kind: 'thinking', text: thought }] : []
  const [output, call] = [field(body, 'outputTokens'), asString(field(body, 'messageId'))]
  return {
    role: 'assistant',
    blocks: [
      ...thoughts,
      ...texts(field(body, 'content')),
      ...items(field(body, 'toolRequests')).map(
        (request): Block => ({
          kind: 'toolCall',
          id: asString(field(request, 'toolCallId')) ?? '',
          name: asString(field(request, 'name')) ?? '',
          input: opened(field(request, 'arguments') ?? {}),
        }),
      ),
    ],
    ...(typeof output === 'number' && { usage: { output, ...(call !== undefined && { call }) } }),
    ...(model !== undefined && { sets: { model: { id: model } } }),
  }
}

function resultOf(body: Json): Block {
  const result = field(body, 'result')
  const said = field(result, 'content') ?? field(field(body, 'error'), 'message') ?? ''
  return {
    kind: 'toolResult',
    id: asString(field(body, 'toolCallId')) ?? '',
    text: outputIn(said),
    error: field(body, 'success') === false,
  }
}

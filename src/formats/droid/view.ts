import { asString, field, type Json } from '../../model/json.ts'
import { OPAQUE, type View } from '../../model/view.ts'
import { blocksOf, outputIn } from '../blocks.ts'
import { speakerOf } from '../speaker.ts'
import { countsIn } from '../usage.ts'
import { COUNTS } from './body.ts'

/** Gives what an entry of Droid means, from its kind and body. */
export function view(kind: string, body: Json): View {
  const text = (name: string): string => asString(field(body, name)) ?? ''
  const id = text('toolCallId') || text('id')
  switch (kind) {
    case 'message':
      return messageView(body)
    case 'compaction_state':
      return { ...OPAQUE, effect: { kind: 'compaction', summary: text('summaryText') } }
    case 'system':
      return { ...OPAQUE, sets: { model: { id: text('model') }, ...thinkingIn(body) } }
    case 'tool_call':
      return {
        role: 'assistant',
        blocks: [{ kind: 'toolCall', id, name: text('toolName'), input: field(body, 'parameters') ?? {} }],
      }
    case 'tool_result': {
      const value = field(body, 'value') ?? field(body, 'error') ?? ''
      const error = field(body, 'isError') === true
      return {
        role: 'tool',
        blocks: [{ kind: 'toolResult', id, text: outputIn(value), error }],
      }
    }
    case 'completion':
      return completionView(body)
    default:
      return OPAQUE
  }
}

const thinkingIn = (body: Json): { readonly thinking?: string } => {
  const thinking = asString(field(body, 'reasoning_effort'))
  return thinking === undefined ? {} : { thinking }
}

/** A message stands in the record of a session, or is the record itself where it was printed. */
function messageView(body: Json): View {
  const message = field(body, 'message') ?? body
  const blocks = blocksOf(field(message, 'content') ?? field(message, 'text'))
  const model = asString(field(message, 'model'))
  return {
    role: speakerOf(field(message, 'role'), blocks),
    blocks,
    ...(model !== undefined && { sets: { model: { id: model } } }),
  }
}

function completionView(body: Json): View {
  const blocks = blocksOf(field(body, 'finalText'))
  return { role: blocks.length > 0 ? 'assistant' : null, blocks, ...countsIn(field(body, 'usage'), COUNTS) }
}

import { asString, field, isObject, items, type Json, jsonText } from '../../model/json.ts'
import { type Block, OPAQUE, ROLES, type View } from '../../model/view.ts'
import { blocksOf, wordsIn } from '../blocks.ts'

/** Gives what an entry of Goose means, from its kind and body. */
export function view(kind: string, body: Json): View {
  const content = field(body, 'content_json') ?? field(body, 'content')
  const blocks = items(content).flatMap(blocksIn)
  if (kind === 'summary') {
    const summary = blocks.flatMap((block) => (block.kind === 'text' ? [block.text] : [])).join('\n')
    return { ...OPAQUE, effect: { kind: 'compaction', summary } }
  }
  const name = asString(field(body, 'role'))
  const role = ROLES.find((known) => known === name) ?? null
  const answers = blocks.length > 0 && blocks.every((block) => block.kind === 'toolResult')
  return { role: answers ? 'tool' : role, blocks }
}

function blocksIn(item: Json): Block[] {
  const id = asString(field(item, 'id')) ?? ''
  switch (field(item, 'type')) {
    case 'toolRequest':
    case 'frontendToolRequest': {
      const call = field(item, 'toolCall')
      const value = field(call, 'value') ?? call
      const input = field(value, 'arguments') ?? {}
      return [{ kind: 'toolCall', id, name: asString(field(value, 'name')) ?? '', input }]
    }
    case 'toolResponse':
      return [resultOf(id, field(item, 'toolResult'))]
    case 'thinking':
    case 'reasoning':
      return [thought(item)]
    case 'redactedThinking': {
      const value = asString(field(item, 'data')) ?? ''
      return [{ kind: 'thinking', text: '', seal: { api: 'anthropic', value, redacted: true } }]
    }
    case 'text':
    case 'image':
      return blocksOf([item])
    default:
      return []
  }
}

function thought(item: Json): Block {
  const value = asString(field(item, 'signature'))
  const text = asString(field(item, 'thinking') ?? field(item, 'text')) ?? ''
  return { kind: 'thinking', text, ...(value && { seal: { api: 'anthropic', value } }) }
}

/** A result is what the tool gave, as `value`, or `error`, why there is none. */
function resultOf(id: string, result: Json | undefined): Block {
  const failed = field(result, 'error')
  if (failed !== undefined)
    return { kind: 'toolResult', id, text: asString(failed) ?? jsonText(failed), error: true }
  const value = field(result, 'value') ?? result
  const content = isObject(value) ? value.content : value
  return { kind: 'toolResult', id, text: wordsIn(content), error: field(value, 'isError') === true }
}

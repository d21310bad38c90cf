import { asString, field, items, type Json } from '../../model/json.ts'
import { parseJson } from '../../model/value.ts'
import { type Block, OPAQUE, ROLES, type View } from '../../model/view.ts'
import { blocksOf } from '../blocks.ts'

/** Gives what an entry of Crush means, from its kind and body. */
export function view(kind: string, body: Json): View {
  const blocks = items(field(body, 'parts')).flatMap(partBlocks)
  const [id, provider] = [asString(field(body, 'model')), asString(field(body, 'provider'))]
  const sets = id ? { sets: { model: { ...(provider && { provider }), id } } } : {}
  if (kind === 'summary') {
    const summary = blocks.flatMap((block) => (block.kind === 'text' ? [block.text] : [])).join('\n')
    return { ...OPAQUE, ...sets, effect: { kind: 'compaction', summary } }
  }
  const name = asString(field(body, 'role'))
  return { role: ROLES.find((known) => known === name) ?? null, blocks, ...sets }
}

function partBlocks(part: Json): Block[] {
  const data = field(part, 'data')
  const of = (key: string): string => asString(field(data, key)) ?? ''
  switch (field(part, 'type')) {
    case 'text':
      return [{ kind: 'text', text: of('text') }]
    case 'reasoning':
      return [
        {
          kind: 'thinking',
          text: of('thinking'),
          ...(of('signature') && { seal: { api: 'anthropic', value: of('signature') } }),
        },
      ]
    case 'tool_call':
      return [
        {
          kind: 'toolCall',
          id: of('id'),
          name: of('name'),
          input: parseJson(of('input'))?.value ?? of('input'),
        },
      ]
    case 'tool_result': {
      const error = field(data, 'is_error') === true
      const [id, name, text] = [of('tool_call_id'), of('name'), of('content')]
      const image = imageOf(of('mime_type'), of('data'))
      return [{ kind: 'toolResult', id, name, text, error }, ...image]
    }
    case 'image_url':
      return blocksOf([{ type: 'image', source: { url: of('url') } }])
    case 'binary': {
      // The keys of a file may be spelled as the fields of Crush's own type.
      const type = of('MIMEType') || of('mime_type')
      const image = imageOf(type, of('Data') || of('data'))
      return image.length > 0 ? image : [{ kind: 'text', text: `[${type}: ${of('Path') || of('path')}]` }]
    }
    default:
      return []
  }
}

const imageOf = (type: string, data: string): Block[] =>
  type.startsWith('image/') ? blocksOf([{ type: 'image', source: { data, media_type: type } }]) : []

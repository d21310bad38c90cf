import { asString, field, isObject, items, type Json } from '../../model/json.ts'
import type { Block, View } from '../../model/view.ts'
import { blocksOf, outputIn } from '../blocks.ts'
import type { Format } from '../format.ts'
import { lines } from '../lines.ts'
import { rowOf } from '../rows.ts'
import { speakerOf } from '../speaker.ts'
import { untagged } from '../untagged.ts'
import { ChatReader } from './chatreader.ts'

/** The chats of Cursor's command line: the rows of the database that it keeps for each. */
export const cursorChat: Format = {
  name: 'cursor-chat',
  dialect: 'cursor-chat',
  reading: 1,
  conversational: true,
  rewrittenWhole: true,
  detect: ({ lines: [first] }) => {
    const [meta, blob] = [rowOf(first, 'meta'), rowOf(first, 'blobs')]
    return (
      asString(meta?.value) !== undefined || (asString(blob?.id) !== undefined && blob?.data !== undefined)
    )
  },
  splitter: lines,
  reader: (_name, folder) => new ChatReader(folder),
  view,
}

function view(_kind: string, body: Json): View {
  const content = field(body, 'content')
  const blocks = Array.isArray(content) ? items(content).flatMap(shown) : words(content)
  return { role: speakerOf(field(body, 'role'), blocks), blocks }
}

const words = (content: Json | undefined): Block[] => blocksOf(content).map(asTyped)

/** What a person typed stands in a tag. */
const asTyped = (block: Block): Block =>
  block.kind === 'text' ? { ...block, text: untagged(block.text, 'user_query') } : block

function shown(part: Json): Block[] {
  if (!isObject(part)) return words(part)
  const of = (key: string): string => asString(part[key]) ?? ''
  switch (part.type) {
    case 'tool-call': {
      const input = part.args ?? part.input ?? {}
      return [{ kind: 'toolCall', id: of('toolCallId'), name: of('toolName'), input }]
    }
    case 'tool-result': {
      const text = outputIn(part.result ?? part.output)
      const error = part.isError === true
      return [{ kind: 'toolResult', id: of('toolCallId'), name: of('toolName'), text, error }]
    }
    case 'image':
      return blocksOf({ ...part, source: { data: of('image'), mimeType: of('mimeType') || of('mediaType') } })
    default:
      return words(part)
  }
}

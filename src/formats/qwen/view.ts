import { asString, field, items, type Json } from '../../model/json.ts'
import { OPAQUE, type Role, type Usage, type View } from '../../model/view.ts'
import { blocksOf } from '../blocks.ts'

/** Gives what an entry of Qwen Code means, from its kind and body. */
export function view(kind: string, body: Json): View {
  if (kind === 'chat_compression') {
    const replacement = items(field(field(body, 'systemPayload'), 'compressedHistory')).map(contentView)
    return { role: null, blocks: [], effect: { kind: 'compaction', replacement } }
  }
  if (kind !== 'user' && kind !== 'assistant' && kind !== 'tool_result') return OPAQUE
  const said = contentView(field(body, 'message') ?? null)
  const role: Role = kind === 'tool_result' ? 'tool' : kind
  const id = asString(field(body, 'model'))
  return {
    role,
    blocks: said.blocks,
    ...usageIn(field(body, 'usageMetadata')),
    ...(id !== undefined && role === 'assistant' && { sets: { model: { provider: 'qwen', id } } }),
  }
}

/** A content of Gemini's API: the user sends what tools answered. */
function contentView(content: Json): View {
  const blocks = blocksOf(field(content, 'parts'))
  if (field(content, 'role') === 'model') return { role: 'assistant', blocks }
  const answers = blocks.length > 0 && blocks.every((block) => block.kind === 'toolResult')
  return { role: answers ? 'tool' : 'user', blocks }
}

/** What was read from the cache is part of what went in, thinking is none of what came out. */
function usageIn(usage: Json | undefined): { readonly usage?: Usage } {
  const count = (name: string): number => {
    const value = field(usage, name)
    return typeof value === 'number' ? value : 0
  }
  if (field(usage, 'promptTokenCount') === undefined) return {}
  const cacheRead = count('cachedContentTokenCount')
  return {
    usage: {
      input: Math.max(0, count('promptTokenCount') - cacheRead),
      output: count('candidatesTokenCount') + count('thoughtsTokenCount'),
      cacheRead,
    },
  }
}

import { asString, field, type Json } from '../../model/json.ts'
import { OPAQUE, ROLES, type View } from '../../model/view.ts'
import { blocksOf } from '../blocks.ts'

/** Gives what an entry of Dash means, from its kind and body. What an agent of a swarm did shows nothing. */
export function view(kind: string, body: Json): View {
  if (kind === 'compaction') {
    const summary = asString(field(body, 'summary')) ?? ''
    return { role: null, blocks: [], effect: { kind: 'compaction', summary } }
  }
  return kind === 'message' ? messageView(body) : OPAQUE
}

function messageView(body: Json): View {
  const name = asString(field(body, 'role'))
  const role = ROLES.find((known) => known === name) ?? null
  const metadata = field(body, 'metadata')
  const [cost, id] = [field(metadata, 'cost'), asString(field(metadata, 'model'))]
  const provider = asString(field(metadata, 'provider'))
  return {
    role,
    blocks: blocksOf(field(body, 'content')),
    ...(typeof cost === 'number' && { usage: { cost } }),
    ...(id !== undefined && { sets: { model: { ...(provider !== undefined && { provider }), id } } }),
  }
}

import { asString, field, type Json } from '../../model/json.ts'
import { OPAQUE, ROLES, type View } from '../../model/view.ts'
import { blocksOf, wordsIn } from '../blocks.ts'

/** Gives what an entry of rollouts means, from its kind and body. */
export function view(kind: string, body: Json): View {
  const name = asString(field(body, 'role'))
  const role = ROLES.find((known) => known === name)
  if (kind !== 'message' || role === undefined) return OPAQUE
  const call = asString(field(body, 'tool_call_id'))
  const content = field(body, 'content')
  if (role === 'tool' && call !== undefined) {
    const error = field(field(body, 'details'), 'is_error') === true
    return { role, blocks: [{ kind: 'toolResult', id: call, text: wordsIn(content), error }] }
  }
  const [id, provider] = [asString(field(body, 'model')), asString(field(body, 'provider'))]
  const sets =
    id === undefined ? {} : { sets: { model: { ...(provider !== undefined && { provider }), id } } }
  return { role, blocks: blocksOf(content), ...sets }
}

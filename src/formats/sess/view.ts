import { asString, field, type Json } from '../../model/json.ts'
import { OPAQUE, ROLES, type Role, type Setting, type View } from '../../model/view.ts'
import { blocksOf } from '../blocks.ts'
import { usageIn } from '../usage.ts'

/**
 * Gives what an entry of sess's own means. A `message` has a role and a content, a text or blocks; a `custom_message`
 * a content that the user is taken to say; a `compaction` and a `branch_summary` a summary; an `edit` a replacement,
 * null or a content, for its target; `model_change`, `thinking_level_change` and `mode_change` what they set; an
 * `agent_action` what an agent did, which lists show and the model is not told. A message and a summary may tell the
 * usage of the model call that made them. Other kinds show nothing.
 */
export function view(kind: string, body: Json): View {
  switch (kind) {
    case 'message':
      return { role: roleIn(body), blocks: blocksOf(field(body, 'content')), ...usageIn(body) }
    case 'custom_message':
      return { role: 'user', blocks: blocksOf(field(body, 'content')) }
    case 'compaction':
      return {
        ...state({ effect: { kind: 'compaction', summary: asString(field(body, 'summary')) ?? '' } }),
        ...usageIn(body),
      }
    case 'branch_summary': {
      const text = asString(field(body, 'summary'))
      return text ? { ...state({ effect: { kind: 'summary', text } }), ...usageIn(body) } : OPAQUE
    }
    case 'merge': {
      const [from, summary] = [asString(field(body, 'from')) ?? '', asString(field(body, 'summary'))]
      return state({ effect: { kind: 'merge', from, ...(summary !== undefined && { summary }) } })
    }
    case 'edit':
      return editView(field(body, 'replacement'))
    case 'model_change': {
      const [provider, id] = [asString(field(body, 'provider')), asString(field(body, 'model'))]
      return id === undefined ? OPAQUE : sets({ model: { ...(provider !== undefined && { provider }), id } })
    }
    case 'thinking_level_change': {
      const thinking = asString(field(body, 'level'))
      return thinking === undefined ? OPAQUE : sets({ thinking })
    }
    case 'mode_change': {
      const mode = asString(field(body, 'mode'))
      return mode === undefined ? OPAQUE : sets({ mode })
    }
    case 'agent_action': {
      const [action, agent] = [asString(field(body, 'action')), asString(field(body, 'agentId'))]
      return { ...OPAQUE, note: `agent ${agent ?? '?'}: ${action ?? '?'}` }
    }
    default:
      return OPAQUE
  }
}

const state = (does: Pick<View, 'sets' | 'effect'>): View => ({ role: null, blocks: [], ...does })

const sets = (setting: Setting): View => state({ sets: setting })

function roleIn(body: Json): Role | null {
  const name = asString(field(body, 'role'))
  return ROLES.find((known) => known === name) ?? null
}

function editView(replacement: Json | undefined): View {
  if (replacement === undefined) return OPAQUE
  return state({ effect: { kind: 'edit', replacement: replacement === null ? null : blocksOf(replacement) } })
}

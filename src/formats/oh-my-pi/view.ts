import { asString, field, isObject, items, type Json, type JsonObject } from '../../model/json.ts'
import { type Block, type Effect, OPAQUE, type Setting, type View } from '../../model/view.ts'
import { view as piView } from '../pi/view.ts'

/** What stands for bytes that lie in a file of their own. */
const BLOB = /^blob:sha256:([0-9a-f]{64})$/

/** Gives what an entry of oh-my-pi means, from its kind and body: as in pi, but for what is its own. */
export function view(kind: string, body: Json): View {
  const said = viewOf(kind, body)
  const isAway = (block: Block): boolean => block.kind === 'image' && BLOB.test(block.data ?? '')
  if (!said.blocks.some(isAway)) return said
  return { ...said, blocks: said.blocks.map((block) => (isAway(block) ? withoutBytes(block) : block)) }
}

function withoutBytes(block: Block): Block {
  if (block.kind !== 'image') return block
  const [, blob = ''] = BLOB.exec(block.data ?? '') ?? []
  return { kind: 'image', mediaType: block.mediaType, bytes: 0, blob }
}

function viewOf(kind: string, body: Json): View {
  switch (kind) {
    case 'message':
      return messageView(body)
    case 'model_change':
      return modelView(asString(field(body, 'model')), asString(field(body, 'role')))
    case 'thinking_level_change':
      return sets({ thinking: asString(field(body, 'thinkingLevel')) ?? 'off' })
    case 'mode_change': {
      const mode = asString(field(body, 'mode'))
      return mode === undefined ? OPAQUE : sets({ mode })
    }
    case 'reset_boundary':
      return state({ effect: { kind: 'compaction', replacement: [] } })
    default:
      return piView(kind, body)
  }
}

const state = (does: { readonly sets?: Setting; readonly effect?: Effect }): View => ({
  role: null,
  blocks: [],
  ...does,
})

const sets = (setting: Setting): View => state({ sets: setting })

/** A model is named `provider/id`; what it is changed to in another role than the usual one answers nobody here. */
function modelView(name: string | undefined, role = 'default'): View {
  if (name === undefined || role !== 'default') return OPAQUE
  const slash = name.indexOf('/')
  return sets({
    model: slash < 0 ? { id: name } : { provider: name.slice(0, slash), id: name.slice(slash + 1) },
  })
}

function messageView(body: Json): View {
  const message = field(body, 'message')
  if (!isObject(message)) return piView('message', body)
  switch (message.role) {
    case 'developer':
      return { ...piView('message', { message: { ...message, role: 'user' } }), role: 'system' }
    case 'pythonExecution':
      return { role: message.excludeFromContext === true ? null : 'user', blocks: texts(python(message)) }
    case 'fileMention':
      return { role: 'user', blocks: items(message.files).flatMap((file) => texts(mention(file))) }
    default:
      return piView('message', body)
  }
}

const texts = (text: string): View['blocks'] => (text === '' ? [] : [{ kind: 'text', text }])

function python(message: JsonObject): string {
  const output = asString(message.output) ?? ''
  return `Ran Python:\n\`\`\`python\n${asString(message.code) ?? ''}\n\`\`\`\n${output || '(no output)'}`
}

const mention = (file: Json): string =>
  [asString(field(file, 'path')), asString(field(file, 'content'))].filter(Boolean).join('\n')

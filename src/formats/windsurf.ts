import { asString, field, isObject, type Json, type JsonObject, without } from '../model/json.ts'
import { OPAQUE, type View } from '../model/view.ts'
import { all, selectFields } from './core/allowlist.ts'
import { callBlock, resultBlock } from './core/contentblocks.ts'
import { defineFormat, entriesOf } from './core/define.ts'
import { isUuid } from './core/uuid.ts'

const SPOKEN: ReadonlySet<string> = new Set(['user_input', 'planner_response'])
function view(kind: string, body: Json): View {
  const type = asString(field(body, 'type')) ?? ''
  const step = field(body, type)
  if (!isObject(step)) return OPAQUE
  switch (kind) {
    case 'user_input':
      return { role: 'user', blocks: [{ kind: 'text', text: asString(step.user_response) ?? '' }] }
    case 'planner_response':
      return { role: 'assistant', blocks: [{ kind: 'text', text: asString(step.response) ?? '' }] }
    case 'step':
      return done(type, step, field(body, 'status') === 'error')
    default:
      return OPAQUE
  }
}

/** The fields with a tool's result, next to its arguments. */
const GIVEN = ['output', 'content', 'acknowledgement_type', 'exit_code', 'user_rejected', 'total_results']

/** Returns the view of a step with a call and its result, which have no id. */
function done(name: string, step: JsonObject, failed: boolean): View {
  const text = asString(step.output) ?? asString(step.content) ?? asString(step.acknowledgement_type) ?? ''
  const code = step.exit_code
  const error = failed || step.user_rejected === true || (typeof code === 'number' && code !== 0)
  const call = callBlock('', name, without(step, ...GIVEN))
  return { role: 'assistant', blocks: [call, resultBlock('', text, error, name)] }
}

/** Windsurf: `transcripts/<…>.jsonl`, the steps of a conversation; the content of a step is under its type. */
export const windsurf = defineFormat({
  name: 'windsurf',
  detect: ({ lines: objects }) =>
    objects.some(
      (line) =>
        typeof field(field(line, 'user_input'), 'user_response') === 'string' ||
        typeof field(field(line, 'planner_response'), 'response') === 'string',
    ),
  record: (name) => {
    const stem = name.replace(/\.jsonl$/, '')
    return {
      carries(record) {
        const type = asString(record.type)
        if (type === undefined || !isObject(record[type])) return undefined
        const body = selectFields(record, all('type', 'status', type))
        return { kind: SPOKEN.has(type) ? type : 'step', body }
      },
      known: isUuid(stem) ? { id: stem } : {},
    }
  },
  entries: entriesOf([...SPOKEN, 'step'], undefined, view),
})

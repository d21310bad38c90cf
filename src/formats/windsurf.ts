import { asString, field, isObject, type Json, without } from '../model/json.ts'
import { OPAQUE, type Role, type View } from '../model/view.ts'
import { all, defineFormat, type EntryDeclarations, selectFields } from './core/define.ts'
import { words } from './core/known.ts'
import { folderNamedLike } from './core/sidecar.ts'
import { fieldAt, idNamed } from './core/values.ts'
import { callBlock, resultBlock } from './core/views.ts'

const stepIn = (body: Json): Json | undefined => field(body, asString(field(body, 'type')) ?? '')

/** The fields with a tool's result, next to its arguments. */
const RESULT_KEYS = [
  'output',
  'content',
  'acknowledgement_type',
  'exit_code',
  'user_rejected',
  'total_results',
]

/** The view of a step with a call and its result, which have no id. */
function callView(body: Json): View {
  const [name, step] = [asString(field(body, 'type')) ?? '', stepIn(body)]
  if (!isObject(step)) return OPAQUE
  const text = asString(step.output) ?? asString(step.content) ?? asString(step.acknowledgement_type) ?? ''
  const code = step.exit_code
  const error =
    field(body, 'status') === 'error' ||
    step.user_rejected === true ||
    (typeof code === 'number' && code !== 0)
  const call = callBlock('', name, without(step, ...RESULT_KEYS))
  return { role: 'assistant', blocks: [call, resultBlock('', text, error, name)] }
}

const messageView =
  (role: Role, key: string) =>
  (body: Json): View => ({
    role,
    blocks: [{ kind: 'text', text: asString(field(stepIn(body), key)) ?? '' }],
  })

const ENTRIES: EntryDeclarations = {
  user_input: { view: messageView('user', 'user_response') },
  planner_response: { view: messageView('assistant', 'response') },
  step: { view: callView },
}

/** The types of steps, each in a field of this name. */
const STEPS = words(`
  user_input planner_response view_file code_action run_command list_directory find grep_search list_resources
`)

/** Windsurf: `transcripts/<…>.jsonl`, the steps of a conversation; the content of a step is under its type. */
export const windsurf = defineFormat({
  name: 'windsurf',
  detect: ({ lines: objects }) =>
    objects.some(
      (line) =>
        typeof fieldAt(line, 'user_input', 'user_response') === 'string' ||
        typeof fieldAt(line, 'planner_response', 'response') === 'string',
    ),
  record: (name) => ({
    carries(record) {
      const type = asString(record.type)
      if (type === undefined || !isObject(record[type])) return undefined
      const body = selectFields(record, all('type', 'status', type))
      return { kind: Object.hasOwn(ENTRIES, type) ? type : 'step', body }
    },
    known: idNamed(folderNamedLike(name)),
  }),
  entries: ENTRIES,
  known: { written: '2026-08', types: { type: STEPS }, fields: { '': [...STEPS, 'type', 'status'] } },
})

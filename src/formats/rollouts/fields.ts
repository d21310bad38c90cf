import { field, isObject, type Json } from '../../model/json.ts'
import { OPAQUE, type View } from '../../model/view.ts'
import { type AllowList, all } from '../core/define.ts'
import type { Sample } from '../core/sample.ts'
import { fieldAt } from '../core/values.ts'
import { blocksOf, modelIn, resultBlock, roleNamed, textOfOutput } from '../core/views.ts'

/** The fields of a message that are its body; its time is not. */
const FIELDS: readonly string[] = ['role', 'content', 'provider', 'api', 'model', 'tool_call_id', 'details']

/** The fields of a message that are its body. */
export const MESSAGE: AllowList = all(...FIELDS)

/**
 * Returns whether a source is a session of rollouts: its first object is a header with a model and no version, or it
 * is the `messages.jsonl` of a session folder and holds only messages. Other agents have files of that name too: if
 * the folder's name does not decide, only rollouts has fields for the model or the call of a result.
 */
export const detect = ({ name, folder, lines }: Sample): boolean =>
  isHeader(lines[0]) ||
  (name === 'messages.jsonl' && lines.every(isMessage) && (isSessionFolder(folder) || lines.some(isOurs)))

/** Returns whether a folder is named as rollouts names those of sessions: by the time and 6 hex digits. */
export const isSessionFolder = (name = ''): boolean => /^\d{8}_\d{6}_[0-9a-f]{6}$/.test(name)

/** Pi's first version names its model `modelId`. */
const isHeader = (value: Json | undefined): boolean =>
  field(value, 'type') === 'session' &&
  field(value, 'version') === undefined &&
  typeof field(value, 'id') === 'string' &&
  typeof field(value, 'model') === 'string'

const isMessage = (value: Json): boolean =>
  isObject(value) &&
  roleNamed(value.role) !== null &&
  Object.hasOwn(value, 'content') &&
  Object.keys(value).every((key) => FIELDS.includes(key) || key === 'timestamp')

const isOurs = (value: Json): boolean =>
  typeof field(value, 'model') === 'string' || typeof field(value, 'tool_call_id') === 'string'

/** Returns what an entry of rollouts means, from its kind and body. */
export function view(body: Json): View {
  const role = roleNamed(field(body, 'role'))
  if (role === null) return OPAQUE
  const call = field(body, 'tool_call_id')
  const content = field(body, 'content')
  if (role === 'tool' && typeof call === 'string') {
    const error = fieldAt(body, 'details', 'is_error') === true
    return { role, blocks: [resultBlock(call, textOfOutput(content), error)] }
  }
  return { role, blocks: blocksOf(content), ...modelIn(field(body, 'model'), field(body, 'provider')) }
}

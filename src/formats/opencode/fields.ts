import { field, isObject, items, type Json, type JsonObject } from '../../model/json.ts'
import { type AllowList, all, each, type FieldSelector, fields, selectFields } from '../core/allowlist.ts'

/** The tokens of a model call, without the sums that later releases add. */
const tokens = fields({ ...all('input', 'output', 'reasoning'), cache: fields(all('read', 'write')) })

/** The fields of a message that the model sees, or that describe its model call. */
const INFO: Readonly<Record<string, FieldSelector>> = {
  ...all('role', 'system', 'tools', 'agent', 'mode', 'variant', 'modelID', 'providerID', 'finish', 'error'),
  ...all('cost'),
  tokens,
  model: fields(all('providerID', 'modelID', 'variant')),
  // In a prompt it lists changes on disk, in an answer it marks the summary of a compaction.
  summary: (value) => (value === true ? value : {}),
}

const ATTACHMENT = all('type', 'mime', 'filename', 'url')

const PARTS: Readonly<Record<string, Readonly<Record<string, FieldSelector>>>> = {
  text: all('type', 'text', 'synthetic', 'ignored'),
  reasoning: all('type', 'text', 'metadata'),
  tool: {
    ...all('type', 'callID', 'tool'),
    state: fields({
      ...all('status', 'input', 'raw', 'output', 'error'),
      attachments: each(fields(ATTACHMENT)),
    }),
  },
  file: ATTACHMENT,
  agent: all('type', 'name'),
  subtask: {
    ...all('type', 'prompt', 'description', 'agent', 'command'),
    model: fields(all('providerID', 'modelID', 'variant')),
  },
  compaction: all('type', 'auto', 'overflow'),
  'step-start': all('type'),
  'step-finish': { ...all('type', 'reason', 'cost'), tokens },
  patch: all('type'),
  snapshot: all('type'),
  retry: all('type'),
}

/** The fields that copies of a part rewrite. */
const ENVELOPE: ReadonlySet<string> = new Set(['id', 'sessionID', 'messageID', 'time'])

function partBody(part: Json): Json {
  if (!isObject(part)) return part
  const known =
    typeof part.type === 'string' && Object.hasOwn(PARTS, part.type) ? PARTS[part.type] : undefined
  return selectFields(part, known ?? all(...Object.keys(part).filter((key) => !ENVELOPE.has(key))))
}

/** The fields of a message with its parts that are its body. */
export const MESSAGE: AllowList = { info: fields(INFO), parts: each(partBody) }

/** Returns the conversation-bearing part of a message with its parts: no ids but those of calls, no times. */
export const bodyOf = (message: JsonObject): JsonObject => selectFields(message, MESSAGE)

/** The text that replaces a tool result which OpenCode has cleared. */
const CLEARED = '[Old tool result content cleared]'

/** Returns when what a tool answered was cleared, in milliseconds since 1970. */
export function clearedAt(part: Json): number | undefined {
  const time = field(field(field(part, 'state'), 'time'), 'compacted')
  return typeof time === 'number' && time > 0 ? time : undefined
}

/** Returns the body of a message as the model sees it from a time on: what was cleared until then is. */
export function clearedBody(message: JsonObject, time: number): JsonObject {
  const body = bodyOf(message)
  const parts = items(body.parts).map((part, i) => {
    const cleared = clearedAt(items(message.parts)[i] as Json)
    const state = field(part, 'state')
    if (!isObject(part) || !isObject(state) || cleared === undefined || cleared > time) return part
    const { attachments: _, ...rest } = state
    return { ...part, state: { ...rest, output: CLEARED } }
  })
  return { ...body, parts }
}

import { isObject, type Json, type JsonObject } from '../../model/json.ts'
import { all, chosen, each, fields, type Select } from '../select.ts'

const setting = all('selectedModel', 'newModel', 'chosenModel', 'reasoningEffort')

const BODIES: Readonly<Record<string, Readonly<Record<string, Select>>>> = {
  'session.start': setting,
  'session.resume': setting,
  'session.model_change': setting,
  'session.auto_mode_resolved': setting,
  'session.compaction_complete': all('success', 'summaryContent'),
  'system.message': all('role', 'content'),
  'user.message': all('content', 'transformedContent', 'attachments', 'source'),
  'assistant.message': {
    ...all('messageId', 'model', 'content', 'phase', 'outputTokens'),
    ...all('reasoningText', 'reasoningOpaque', 'encryptedContent'),
    toolRequests: each(fields(all('toolCallId', 'name', 'arguments', 'type'))),
  },
  'tool.execution_complete': {
    ...all('toolCallId', 'success'),
    result: fields(all('content', 'contents')),
    error: fields(all('message', 'code')),
  },
}

/** The types of the events that may carry an entry. */
export const KINDS: ReadonlySet<string> = new Set(Object.keys(BODIES))

/** Those of them that set a model. */
export const SETTINGS: ReadonlySet<string> = new Set(
  Object.keys(BODIES).filter((kind) => BODIES[kind] === setting),
)

/** Gives the conversation-bearing part of an event of one of `KINDS`, a part of its `data`. */
export const bodyOf = (kind: string, data: JsonObject): Json =>
  chosen(data, BODIES[kind] as Readonly<Record<string, Select>>)

/** Gives the data of an event. */
export const dataOf = (event: JsonObject): JsonObject => (isObject(event.data) ? event.data : {})

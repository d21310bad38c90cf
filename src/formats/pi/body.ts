import { isObject, type Json, type JsonObject } from '../../model/json.ts'
import { all, chosen, each, fields, type Select } from '../select.ts'

const usage = fields({
  ...all('input', 'output', 'cacheRead', 'cacheWrite', 'cacheWrite1h', 'reasoning', 'totalTokens'),
  cost: fields(all('input', 'output', 'cacheRead', 'cacheWrite', 'total')),
})

const BLOCKS: Readonly<Record<string, Select>> = {
  text: fields(all('type', 'text', 'textSignature')),
  image: fields(all('type', 'data', 'mimeType')),
  thinking: fields(all('type', 'thinking', 'thinkingSignature', 'redacted')),
  toolCall: fields(all('type', 'id', 'name', 'arguments', 'thoughtSignature', 'namespace')),
}

/** A block of a type that is not known is taken whole: what it says may stand in any of its fields. */
export const block: Select = (value) => {
  const type = isObject(value) ? value.type : undefined
  return typeof type === 'string' && Object.hasOwn(BLOCKS, type) ? (BLOCKS[type] as Select)(value) : value
}

/** The fields of a message that are said, but for its usage. */
export const MESSAGE: Readonly<Record<string, Select>> = {
  ...all('role', 'api', 'provider', 'model', 'responseModel', 'responseId', 'providerThinkingLevel'),
  ...all(
    'thinkingLevel',
    'diagnostics',
    'stopReason',
    'deferred',
    'errorMessage',
    'rawStopReason',
    'endTurn',
  ),
  ...all('toolCallId', 'toolName', 'details', 'nestedCalls', 'isError'),
  ...all('command', 'output', 'exitCode', 'cancelled', 'truncated', 'fullOutputPath', 'excludeFromContext'),
  ...all('customType', 'display', 'sections', 'toolsAdded', 'toolsRemoved'),
  content: each(block),
}

const message = fields({ ...MESSAGE, usage })

const BODIES: Readonly<Record<string, Readonly<Record<string, Select>>>> = {
  message: { message },
  compaction: {
    ...all('summary', 'tokensBefore', 'details', 'fromHook'),
    usage,
    systemMessage: message,
    retainedTail: each(message),
  },
  branch_summary: { ...all('summary', 'details', 'fromHook'), usage },
  custom_message: { ...all('customType', 'display', 'details'), content: each(block) },
  thinking_level_change: all('thinkingLevel'),
  model_change: all('provider', 'modelId'),
  active_tools_change: all('activeToolNames'),
  context_edit: { replacement: fields({ content: each(block) }) },
}

/** The types of the records that carry an entry: what the model saw, and what changes what it sees. */
export const KINDS: ReadonlySet<string> = new Set(Object.keys(BODIES))

/**
 * Gives the conversation-bearing part of a record of one of `KINDS`, by an allow-list at every depth. Ids,
 * times and pointers to other records are no part of it.
 */
export const bodyOf = (kind: string, value: JsonObject): Json =>
  chosen(value, BODIES[kind] as Readonly<Record<string, Select>>)

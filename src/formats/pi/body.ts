import type { Json, JsonObject } from '../../model/json.ts'
import { all, byType, chosen, each, fields, type Select } from '../select.ts'

const usage = fields({
  ...all('input', 'output', 'cacheRead', 'cacheWrite', 'cacheWrite1h', 'reasoning', 'totalTokens'),
  cost: fields(all('input', 'output', 'cacheRead', 'cacheWrite', 'total')),
})

/** A block of another type is taken whole: any of its fields may hold the words. */
export const block = byType({
  text: all('type', 'text', 'textSignature'),
  image: all('type', 'data', 'mimeType'),
  thinking: all('type', 'thinking', 'thinkingSignature', 'redacted'),
  toolCall: all('type', 'id', 'name', 'arguments', 'thoughtSignature', 'namespace'),
})

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

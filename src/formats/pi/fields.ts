import { asString, field, type Json, type JsonObject } from '../../model/json.ts'
import { all, byType, each, type FieldSelector, fields, selectFields } from '../core/allowlist.ts'

const usage = fields({
  ...all('input', 'output', 'cacheRead', 'cacheWrite', 'cacheWrite1h', 'reasoning', 'totalTokens'),
  cost: fields(all('input', 'output', 'cacheRead', 'cacheWrite', 'total')),
})

/** A block of another type is taken whole, because any of its fields may hold text. */
export const blockFields = byType({
  text: all('type', 'text', 'textSignature'),
  image: all('type', 'data', 'mimeType'),
  thinking: all('type', 'thinking', 'thinkingSignature', 'redacted'),
  toolCall: all('type', 'id', 'name', 'arguments', 'thoughtSignature', 'namespace'),
})

/** The fields of a message that are part of its body, without its usage. */
export const MESSAGE: Readonly<Record<string, FieldSelector>> = {
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
  content: each(blockFields),
}

const messageFields = fields({ ...MESSAGE, usage })

/** The fields of each kind of entry that are its body. */
export const BODIES: Readonly<Record<string, Readonly<Record<string, FieldSelector>>>> = {
  message: { message: messageFields },
  compaction: {
    ...all('summary', 'tokensBefore', 'details', 'fromHook'),
    usage,
    systemMessage: messageFields,
    retainedTail: each(messageFields),
  },
  branch_summary: { ...all('summary', 'details', 'fromHook'), usage },
  custom_message: { ...all('customType', 'display', 'details'), content: each(blockFields) },
  thinking_level_change: all('thinkingLevel'),
  model_change: all('provider', 'modelId'),
  active_tools_change: all('activeToolNames'),
  context_edit: { replacement: fields({ content: each(blockFields) }) },
}

/** The types of the records that carry an entry: what the model saw, and what changes what it sees. */
export const KINDS: ReadonlySet<string> = new Set(Object.keys(BODIES))

/**
 * Returns the conversation-bearing part of a record of one of `KINDS`, by an allow-list at every depth. Ids,
 * times and pointers to other records are no part of it.
 */
export const bodyOf = (kind: string, value: JsonObject): Json =>
  selectFields(value, BODIES[kind] as Readonly<Record<string, FieldSelector>>)

/** The properties of one agent among those that write pi's form of files. */
export interface PiDialect {
  /** The part of entry types before the slash. */
  readonly name: string
  /** The types of the records that carry an entry. */
  readonly kinds: ReadonlySet<string>
  /** The types that are known and carry none. */
  readonly passed: ReadonlySet<string>
  /** Returns the conversation-bearing part of a record of one of `kinds`. */
  readonly bodyOf: (kind: string, value: JsonObject) => Json
  /** Returns the title in a record, empty if the record removes it; undefined if it has none. */
  readonly titleIn: (value: JsonObject) => string | undefined
}

const oneLine = (text: string): string => text.replace(/[\r\n]+/g, ' ').trim()

/** pi itself. */
export const PI: PiDialect = {
  name: 'pi',
  kinds: KINDS,
  passed: new Set(['custom', 'label', 'leaf', 'session_info', 'usage']),
  bodyOf,
  titleIn: ({ type, name }) => (type === 'session_info' ? oneLine(asString(name) ?? '') : undefined),
}

/**
 * Returns whether a value is the header of a pi session. Pi leaves `version` out of its first format, so that a
 * header of version 1 is Dash's; headers with a place in the tree (`parent`, `uuid`) are those of other
 * formats.
 */
export const isPiHeader = (value: Json | undefined): boolean =>
  field(value, 'type') === 'session' &&
  typeof field(value, 'id') === 'string' &&
  field(value, 'version') !== 1 &&
  field(value, 'parent') === undefined &&
  field(value, 'uuid') === undefined

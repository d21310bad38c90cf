import { asString, field, type Json, type JsonObject } from '../../model/json.ts'
import { type AllowList, all, each, fields, known, selectFields } from '../core/allowlist.ts'

/** The fields of a part of Gemini's API that the model sees. A part with none of them is taken whole. */
export const part = known(
  all(
    ...['text', 'thought', 'thoughtSignature', 'functionCall', 'functionResponse', 'inlineData', 'fileData'],
    ...['executableCode', 'codeExecutionResult', 'videoMetadata'],
  ),
)

/** The fields of a message that reach the model, or count its tokens: no ids, no times, nothing for display alone. */
export const MESSAGE: AllowList = {
  ...all('type', 'role', 'model'),
  content: each(part),
  parts: each(part),
  tokens: fields(all('input', 'output', 'cached', 'thoughts', 'tool', 'total')),
  thoughts: each(fields(all('subject', 'description', 'text'))),
  toolCalls: each(fields({ ...all('id', 'name', 'args', 'status'), result: each(part) })),
}

/** Returns the conversation-bearing part of a message. */
export const bodyOf = (message: JsonObject): Json => selectFields(message, MESSAGE)

const SPEAKERS: ReadonlyMap<string, GeminiKind> = new Map([
  ['user', 'user'],
  ['gemini', 'gemini'],
  ['model', 'gemini'],
  ['assistant', 'gemini'],
])

/** The speaker of a message: the kind of its entry. */
export type GeminiKind = 'user' | 'gemini'

/** Returns the speaker of a message; undefined for what the program itself shows (`info`, `warning`, `error`). */
export const speakerOf = (message: Json): GeminiKind | undefined =>
  SPEAKERS.get(asString(field(message, 'type')) ?? asString(field(message, 'role')) ?? '')

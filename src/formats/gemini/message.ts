import { asString, field, type Json, type JsonObject } from '../../model/json.ts'
import { all, chosen, each, fields, type Select } from '../select.ts'

/** What of a message reaches the model, or says what it cost: no ids, no times, nothing that is for display alone. */
const MESSAGE: Readonly<Record<string, Select>> = {
  ...all('type', 'role', 'content', 'parts', 'model', 'tokens'),
  thoughts: each(fields(all('subject', 'description', 'text'))),
  toolCalls: each(fields(all('id', 'name', 'args', 'result', 'status'))),
}

/** Gives the conversation-bearing part of a message. */
export const bodyOf = (message: JsonObject): Json => chosen(message, MESSAGE)

const SPEAKERS: ReadonlyMap<string, Speaker> = new Map([
  ['user', 'user'],
  ['gemini', 'gemini'],
  ['model', 'gemini'],
  ['assistant', 'gemini'],
])

/** Who says a message: the kind of its entry. */
export type Speaker = 'user' | 'gemini'

/** Tells who says a message; undefined for what the program itself shows (`info`, `warning`, `error`). */
export const speakerOf = (message: Json): Speaker | undefined =>
  SPEAKERS.get(asString(field(message, 'type')) ?? asString(field(message, 'role')) ?? '')

import type { Json, JsonObject } from '../../model/json.ts'
import { all, chosen } from '../select.ts'

/** The fields of a message that are said; its time is not. */
export const FIELDS: readonly string[] = [
  'role',
  'content',
  'provider',
  'api',
  'model',
  'tool_call_id',
  'details',
]

const ALLOWED = all(...FIELDS)

/** Gives the conversation-bearing part of a message. */
export const bodyOf = (message: JsonObject): Json => chosen(message, ALLOWED)

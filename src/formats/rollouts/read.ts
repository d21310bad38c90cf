import { asString, field, isObject, type Json, type JsonObject } from '../../model/json.ts'
import type { Facts, Reader, Reading, RecordIndex } from '../format.ts'
import { millis } from '../pi/time.ts'
import { bodyOf } from './body.ts'
import { isSessionFolder } from './detect.ts'

/**
 * Reads the records of one session of rollouts: every message continues the one before. Headers and changes of the
 * configuration are records, so that a session that copied the messages of another shares them. The folder of a session
 * is its id.
 */
export function rolloutsReader(_name: string, folder?: string): Reader {
  let count = 0
  let last: RecordIndex | null = null
  let header: JsonObject | undefined
  return {
    read({ value }): Reading {
      const handle = count++
      if (!isObject(value)) return {}
      if (value.type === 'session') header ??= value
      const nested = value.type === 'message' && isObject(value.message)
      const message = nested ? (value.message as JsonObject) : value
      const time = millis(value.timestamp) ?? millis(message.timestamp)
      const [at, native] = [time === undefined ? {} : { time }, asString(value.id)]
      const envelope = { ...at, ...(native !== undefined && { native }) }
      if (!nested && !(value.type === undefined && typeof value.role === 'string')) return envelope
      const entry = { type: 'rollouts/message', body: bodyOf(message), parent: last }
      last = handle
      return { ...envelope, entry: nested ? { ...entry, bodyPath: ['message'] } : entry }
    },
    active: () => last,
    facts: () => ({ ...(isSessionFolder(folder) && { id: folder as string }), ...factsOf(header) }),
  }
}

function factsOf(header: Json | undefined): Facts {
  const [id, cwd] = [asString(field(header, 'id')), asString(field(header, 'cwd'))]
  const created = millis(field(header, 'timestamp'))
  return {
    ...(id !== undefined && { id }),
    ...(cwd && { cwd }),
    ...(created !== undefined && { created }),
  }
}

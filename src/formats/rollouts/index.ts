import { asString, field, isObject, type Json, type JsonObject } from '../../model/json.ts'
import { defineFormat, entriesOf } from '../core/define.ts'
import type { Agent, Facts, Format, Reader, Reading, RecordIndex, SidecarFiles } from '../core/format.ts'
import { sidecar } from '../core/sidecar.ts'
import { millis } from '../pi/read.ts'
import { bodyOf, detect, isSessionFolder, MESSAGE, view } from './fields.ts'
import { folder as folderWriter, writer } from './write.ts'

/** rollouts: it looks for a session by its id. */
const agent: Agent = { title: 'rollouts', resume: ({ id }) => ['rollouts', '-s', id] }

/**
 * A session folder of rollouts holds, beside the messages, what is known of the session and its environment. What it was
 * branched from is the session that it came from.
 */
const beside: SidecarFiles = {
  folder: (name, folder) => (name === 'messages.jsonl' && isSessionFolder(folder) ? '' : undefined),
  holds: (path) => path === 'session.json' || path === 'environment.json',
  facts(path, value) {
    if (path !== 'session.json') return {}
    const parent = asString(field(value, 'parent_id'))
    const created = millis(field(value, 'created_at'))
    return { ...(parent !== undefined && { parent }), ...(created !== undefined && { created }) }
  },
}

/**
 * Reads the records of one session of rollouts: every message continues the one before. Headers and changes of the
 * configuration are records, so that a session that copied the messages of another shares them. The folder of a session
 * is its id.
 */
function rolloutsReader(_name: string, folder?: string): Reader {
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

/** What a session folder of rollouts says of its session: status, tags, reward, what it is a branch of. */
export const rolloutsSession: Format = sidecar({
  name: 'rollouts-session',
  detect: ({ head }) =>
    /^\s*\{\s*"session_id"\s*:\s*"[^"]*"\s*,\s*"parent_id"\s*:[^]*"branch_point"\s*:/.test(
      new TextDecoder().decode(head.subarray(0, 4096)),
    ),
  facts: (_name, folder = '') => (isSessionFolder(folder) ? { id: `${folder}-session` } : {}),
})

/** The sessions of rollouts: JSONL files with a header, and the `messages.jsonl` of session folders. */
export const rollouts = defineFormat({
  name: 'rollouts',
  detect,
  reader: rolloutsReader,
  sidecars: beside,
  entries: entriesOf(['message'], MESSAGE, view),
  writer,
  agent,
  variants: { 'rollouts-folder': { writer: folderWriter, agent } },
})

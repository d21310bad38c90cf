import { asString, field, isObject, type JsonObject } from '../../model/json.ts'
import { defineFormat, type RecordDeclaration } from '../core/define.ts'
import type { Agent, Facts, Format, SidecarFiles } from '../core/format.ts'
import { words } from '../core/known.ts'
import { beginsAs } from '../core/sample.ts'
import { sidecar } from '../core/sidecar.ts'
import { factsAt, factsOf } from '../core/values.ts'
import { millis } from '../pi/read.ts'
import { detect, isSessionFolder, MESSAGE, view } from './fields.ts'
import { folder as folderWriter, writer } from './write.ts'

/** rollouts: it looks for a session by its id. */
const agent: Agent = { title: 'rollouts', resume: ({ id }) => ['rollouts', '-s', id] }

/**
 * A session folder of rollouts also holds metadata of the session and its environment. The parent is the session that
 * it was branched from.
 */
const sidecars: SidecarFiles = {
  folder: (name, folder) => (name === 'messages.jsonl' && isSessionFolder(folder) ? '' : undefined),
  holds: (path) => path === 'session.json' || path === 'environment.json',
  facts: (path, value) =>
    path === 'session.json' ? factsAt(value, { parent: 'parent_id', created: 'created_at' }) : {},
}

const isNested = ({ type, message }: JsonObject): boolean => type === 'message' && isObject(message)

/**
 * Every message continues the one before. Headers and changes of the configuration are records, so that a session that
 * copied the messages of another shares them.
 */
const records = (_name: string, folder?: string): RecordDeclaration => ({
  id: 'id',
  time: (record) =>
    millis(record.timestamp) ?? (isNested(record) ? millis(field(record.message, 'timestamp')) : undefined),
  carries(record) {
    if (isNested(record)) return { kind: 'message', bodyPath: ['message'] }
    return record.type === undefined && typeof record.role === 'string' ? 'message' : undefined
  },
  facts: (record) => (record.type === 'session' ? headerFacts(record) : undefined),
  // The folder of a session is named by its id.
  known: isSessionFolder(folder) ? { id: folder as string } : {},
})

const headerFacts = ({ id, cwd, timestamp }: JsonObject): Facts =>
  factsOf({ id: asString(id), cwd: asString(cwd), created: millis(timestamp) })

/** The metadata of a session folder: status, tags, reward, the session that it is a branch of. */
export const rolloutsSession: Format = sidecar({
  name: 'rollouts-session',
  detect: beginsAs(/^\s*\{\s*"session_id"\s*:\s*"[^"]*"\s*,\s*"parent_id"\s*:[^]*"branch_point"\s*:/),
  facts: (_name, folder = '') => (isSessionFolder(folder) ? { id: `${folder}-session` } : {}),
})

/** The sessions of rollouts: JSONL files with a header, and the `messages.jsonl` of session folders. */
export const rollouts = defineFormat({
  name: 'rollouts',
  detect,
  record: records,
  sidecars,
  entries: { message: { body: MESSAGE, view } },
  known: {
    written: '2026-08',
    types: { type: words('session message config_change') },
    fields: {
      '': words(`
        type id timestamp cwd provider model message endpoint environment_type role content api tool_call_id details
        parent_session thinking_level
      `),
      message: words('role content provider api model tool_call_id details timestamp usage'),
    },
  },
  writer,
  agent,
  variants: { 'rollouts-folder': { writer: folderWriter, agent } },
})

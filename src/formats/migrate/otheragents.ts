import { asString, isObject, type Json, type JsonObject, without } from '../../model/json.ts'
import type { View } from '../../model/view.ts'
import { bodyOf, selectFields, viewOf } from '../core/define.ts'
import { ENTRIES as DASH } from '../dash.ts'
import { assistantMessage, contentOf, text, userMessages } from '../pi/makemessages.ts'
import { millis } from '../pi/read.ts'
import { MESSAGE as ROLLOUTS, view as rolloutsView } from '../rollouts/fields.ts'
import { type MigrationStep, RecordIds, sessionIdIn } from './migration.ts'

/** Returns the messages of pi for a view. */
function messagesOf(view: View, tools: Map<string, string>, timestamp: number): JsonObject[] {
  for (const block of view.blocks) if (block.kind === 'toolCall') tools.set(block.id, block.name)
  if (view.role === 'assistant') return [assistantMessage(view, contentOf(view.blocks), timestamp)]
  if (view.role === 'system') return [{ role: 'system', content: contentOf(view.blocks), timestamp }]
  return [...userMessages(view, tools, timestamp)]
}

const headerOf = (header: JsonObject): JsonObject => ({
  type: 'session',
  version: 3,
  id: sessionIdIn(header),
  timestamp: header.timestamp ?? null,
  cwd: asString(header.cwd) ?? '',
  ...(typeof header.parentSession === 'string' && { parentSession: header.parentSession }),
})

/**
 * Dash to pi's version 3: the same tree. Tool messages become results; agent actions and branch points become custom
 * records; a branch becomes a label on its newest record; the session's name becomes a record at the end.
 */
const dash: MigrationStep = {
  from: 'dash',
  to: 'v3',
  *migrate([first, ...items]) {
    const header = first?.value ?? {}
    yield headerOf(header)
    const ids = new RecordIds(sessionIdIn(header))
    const tools = new Map<string, string>()
    /** The branch of each record by its id, and the newest record of each branch. */
    const branches = new Map<Json | undefined, string>()
    const tips = new Map<string, string>()
    let [last, time]: [string | null, Json] = [null, null]
    for (const { value } of items) {
      const { type, id: own, parentId = null, timestamp = null, ...rest } = value
      const id = ids.next(value, own)
      const branch = asString(rest.branchName) ?? branches.get(parentId)
      if (branch !== undefined) tips.set(branch, id)
      if (branch !== undefined) branches.set(id, branch)
      const place = { id, parentId, timestamp }
      if (type === 'message') {
        const message = dashMessage(value, id, tools)
        yield { type, ...place, message, ...(rest.metadata !== undefined && { metadata: rest.metadata }) }
      } else if (type === 'compaction' || type === 'label') yield { type, ...place, ...rest }
      else yield { type: 'custom', ...place, customType: asString(type) ?? 'dash', data: rest }
      last = id
      time = timestamp
    }
    const after = (record: JsonObject): JsonObject => {
      const id = ids.next(record)
      const made = { ...record, id, parentId: last, timestamp: time }
      last = id
      return made
    }
    for (const [label, targetId] of tips) yield after({ type: 'label', targetId, label })
    const name = asString(header.name)
    if (name) yield after({ type: 'session_info', name })
  },
}

function dashMessage(value: JsonObject, id: string, tools: Map<string, string>): JsonObject {
  const timestamp = millis(value.timestamp) ?? 0
  const content = asString(value.content)
  if (value.role === 'tool' && content !== undefined)
    return {
      role: 'toolResult',
      toolCallId: id,
      toolName: 'unknown',
      content: [text(content)],
      isError: false,
      timestamp,
    }
  const view = viewOf(DASH, 'message', bodyOf(DASH, 'message', value))
  const [message] = messagesOf(view, tools, timestamp)
  return message ?? { role: 'user', content: [], timestamp }
}

/** rollouts to pi's version 3: each message continues the one before; changes of the configuration are custom records. */
const rollouts: MigrationStep = {
  from: 'rollouts',
  to: 'v3',
  *migrate(items) {
    const header = items.find(({ value }) => value.type === 'session')?.value ?? {}
    yield headerOf(header)
    const ids = new RecordIds(sessionIdIn(header))
    const tools = new Map<string, string>()
    let parentId: string | null = null
    for (const { value } of items) {
      if (value.type === 'session') continue
      const message = value.type === 'message' && isObject(value.message) ? value.message : value
      const isMessage = value.type === 'message' || value.type === undefined
      const time = millis(value.timestamp) ?? millis(message.timestamp) ?? 0
      const timestamp = value.timestamp ?? message.timestamp ?? null
      const records = isMessage
        ? messagesOf(rolloutsView(selectFields(message, ROLLOUTS)), tools, time).map((one) => ({
            message: one,
          }))
        : [{ customType: asString(value.type) ?? 'rollouts', data: without(value, 'type', 'timestamp') }]
      for (const fields of records) {
        const id = ids.next({ ...value, ...fields })
        yield { type: isMessage ? 'message' : 'custom', id, parentId, timestamp, ...fields }
        parentId = id
      }
    }
  },
}

export const otherSteps: readonly MigrationStep[] = [dash, rollouts]

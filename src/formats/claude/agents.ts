import type { JsonObject } from '../../model/json.ts'
import type { RecordIndex } from '../format.ts'
import { at, idAt, listAt, textAt } from './look.ts'

/** Gathers the sub-agents that a session started, and the entries that hold the calls. */
export class Agents {
  /** By the id of the sub-agent's own session. */
  readonly found = new Map<string, RecordIndex>()

  /**
   * Takes a record: what reports on a sub-agent's progress, or brings its result, names it beside the tool call.
   * `callerOf` gives the entry that holds a call; where that is not known, the result's own stands for it.
   */
  add(record: JsonObject, callerOf: (call: string) => RecordIndex | undefined, entry?: RecordIndex): void {
    const isProgress = textAt(record, 'type') === 'progress'
    const agent = isProgress ? idAt(record, 'data', 'agentId') : idAt(at(record, 'toolUseResult'), 'agentId')
    if (agent === undefined) return
    const call = isProgress ? idAt(record, 'parentToolUseID') : resultIn(record)
    const caller = (call === undefined ? undefined : callerOf(call)) ?? entry
    const id = `agent-${agent}`
    if (caller !== undefined && !this.found.has(id)) this.found.set(id, caller)
  }
}

const resultIn = (record: JsonObject): string | undefined =>
  listAt(record, 'message', 'content')
    .map((block) => idAt(block, 'tool_use_id'))
    .find((id) => id !== undefined)

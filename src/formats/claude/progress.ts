import { field, isObject, type JsonObject } from '../../model/json.ts'
import type { Reading, RecordIndex } from '../format.ts'
import { bodyOf, kindOf } from './body.ts'
import { idAt, textAt } from './look.ts'
import { timeOf } from './time.ts'

/** Where the message of a sub-agent stands in a record of its progress. */
const AT = ['data', 'message'] as const

/**
 * What sub-agents said, as far as the records of their progress hold it: one conversation for each, in the order of the
 * file, as in the file of its own that later releases keep. A message that is told again is a record.
 */
export class Progress {
  /** The newest entry of each, by the id of its own session. */
  readonly tips = new Map<string, RecordIndex>()
  readonly #told = new Set<string>()

  /** Takes a record, and gives what it says of the conversation of a sub-agent; undefined where it is none of these. */
  add(record: JsonObject, handle: RecordIndex): Reading | undefined {
    if (textAt(record, 'type') !== 'progress' || textAt(record, 'data', 'type') !== 'agent_progress')
      return undefined
    const message = field(record.data, 'message')
    const [agent, native] = [idAt(record, 'data', 'agentId'), idAt(message, 'uuid')]
    const kind = isObject(message) ? kindOf(message) : undefined
    if (!isObject(message) || agent === undefined || native === undefined) return undefined
    if ((kind !== 'user' && kind !== 'assistant') || this.#told.has(`${agent} ${native}`)) return undefined
    this.#told.add(`${agent} ${native}`)
    const id = `agent-${agent}`
    const parent = this.tips.get(id) ?? null
    this.tips.set(id, handle)
    const time = timeOf(message)
    return {
      entry: { type: `claude/${kind}`, body: bodyOf(message, kind), bodyPath: AT, parent },
      native,
      ...(time !== undefined && { time }),
    }
  }
}

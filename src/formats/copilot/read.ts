import { asString, field, isObject, items, type JsonObject, jsonText } from '../../model/json.ts'
import type { Facts, Reader, Reading, RecordIndex } from '../format.ts'
import { millis } from '../hints.ts'
import type { Unit } from '../unit.ts'
import { bodyOf, dataOf, KINDS, SETTINGS } from './body.ts'
import { settingIn } from './view.ts'

/** One line of talk: the main one, or that of a sub-agent. */
interface Thread {
  last: RecordIndex | null
  setting: string
  system: string
}

/**
 * Reads the events of one session of Copilot CLI. Order is identity: every event names the one before it as its parent,
 * hooks and progress included. What a sub-agent says names the call that started it, and is a chain of its own.
 */
export class CopilotReader implements Reader {
  readonly #main: Thread = newThread()
  readonly #agents = new Map<string, Thread>()
  /** The messages that hold the calls. */
  readonly #calls = new Map<string, RecordIndex>()
  #start: JsonObject | undefined
  #created: number | undefined
  #next: RecordIndex = 0

  read({ value }: Unit): Reading {
    const handle = this.#next++
    if (!isObject(value)) return {}
    const [time, native] = [millis(value.timestamp), asString(value.id)]
    const kind = asString(value.type) ?? ''
    const data = dataOf(value)
    this.#created ??= time
    if (kind === 'session.start') this.#start ??= data
    const envelope = { ...(time !== undefined && { time }), ...(native !== undefined && { native }) }
    const thread = this.#threadOf(value, data)
    if (!isNews(kind, data, thread)) return envelope
    const parent = thread.last
    thread.last = handle
    for (const call of items(data.toolRequests))
      this.#calls.set(asString(field(call, 'toolCallId')) ?? '', handle)
    return {
      ...envelope,
      entry: { type: `copilot/${kind}`, body: bodyOf(kind, data), bodyPath: ['data'], parent },
    }
  }

  active(): RecordIndex | null {
    return this.#main.last
  }

  facts(): Facts {
    const id = asString(this.#start?.sessionId)
    const cwd = asString(field(this.#start?.context, 'cwd'))
    const created = millis(this.#start?.startTime) ?? this.#created
    return {
      ...(id && { id }),
      ...(cwd && { cwd }),
      ...(created !== undefined && { created }),
      ...(this.#agents.size > 0 && this.#namedAgents()),
    }
  }

  /** What a sub-agent says has no session of its own: it is a branch that is called as the call is. */
  #namedAgents(): Pick<Facts, 'subagents' | 'branches'> {
    const [agents, branches] = [new Map<string, RecordIndex>(), new Map<string, RecordIndex>()]
    for (const [call, { last }] of this.#agents) {
      const caller = this.#calls.get(call)
      if (caller !== undefined) agents.set(`agent-${call}`, caller)
      if (last !== null) branches.set(`agent-${call}`, last)
    }
    return { subagents: agents, branches }
  }

  #threadOf({ agentId }: JsonObject, { parentToolCallId }: JsonObject): Thread {
    const agent = asString(parentToolCallId) ?? asString(agentId)
    if (agent === undefined) return this.#main
    const known = this.#agents.get(agent) ?? newThread()
    this.#agents.set(agent, known)
    return known
  }
}

const newThread = (): Thread => ({ last: null, setting: '', system: '' })

/** Tells whether an event says something that was not said: settings and the system's prompt are repeated. */
function isNews(kind: string, data: JsonObject, thread: Thread): boolean {
  if (!KINDS.has(kind)) return false
  if (SETTINGS.has(kind)) {
    const setting = settingIn(data)
    const key = setting ? jsonText(setting) : thread.setting
    const isNew = key !== thread.setting
    thread.setting = key
    return isNew
  }
  if (kind === 'system.message') {
    const words = asString(data.content) ?? ''
    const isNew = words !== thread.system
    thread.system = words
    return isNew
  }
  return kind !== 'session.compaction_complete' || typeof data.summaryContent === 'string'
}

import { field, isObject, type JsonObject } from '../../model/json.ts'
import { bodyOf } from '../core/define.ts'
import type { Facts, Reading, RecordIndex } from '../core/format.ts'
import { factsOf } from '../core/values.ts'
import { at, idAt, kindOf, listAt, textAt, timeOf } from './fields.ts'
import { ENTRIES } from './view.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const AGENT = /^agent-[\w-]*[0-9a-f]{6}$/i

/**
 * Collects the facts of a session from its records. The first folder counts, because a session may move between
 * projects.
 */
export class SessionFacts {
  readonly #stem: string
  #session: string | undefined
  #agent: string | undefined
  #first = true
  /** Whether anything is said in a sidechain, and outside of one. */
  #hasSidechain = false
  #hasMain = false
  /** The session that this one was forked from. */
  #source: string | undefined
  #cwd: string | undefined
  #created: number | undefined
  /** The session in which it goes on. */
  #continuedIn: string | undefined
  #customTitle: string | undefined
  #aiTitle: string | undefined
  readonly #summaries: { readonly text: string; readonly leaf: string | undefined }[] = []

  /** Begins with the name of the file: agents name it by the session. */
  constructor(name: string) {
    this.#stem = name.replace(/\.jsonl?(\.\w+)?$/, '')
  }

  add(record: JsonObject, time: number | undefined): void {
    this.#session ??= idAt(record, 'sessionId')
    this.#source ??= idAt(record, 'forkedFrom', 'sessionId')
    this.#cwd ??= idAt(record, 'cwd')
    this.#created ??= time
    if (this.#first && idAt(record, 'uuid') !== undefined) {
      this.#first = false
      if (record.isSidechain === true) this.#agent = idAt(record, 'agentId')
    }
    const type = textAt(record, 'type')
    if (type === 'continued-in') this.#continuedIn = idAt(record, 'continuedInSessionId')
    if (type === 'user' || type === 'assistant') this.#noteSaid(record.isSidechain === true)
    if (type === 'custom-title') this.#customTitle = idAt(record, 'customTitle') ?? this.#customTitle
    else if (type === 'ai-title') this.#aiTitle = idAt(record, 'aiTitle') ?? this.#aiTitle
    else if (type === 'summary') this.#addSummary(record)
  }

  /** Whether the file is a sub-agent's own. */
  get isAgent(): boolean {
    return this.#agentId() !== undefined
  }

  /** Returns the facts. `isHere` returns whether the file has a record with an id. */
  facts(isHere: (id: string) => boolean): Facts {
    const id = UUID.test(this.#stem) ? this.#stem : (this.#agentId() ?? this.#session)
    const source = this.isAgent ? this.#session : this.#source
    // The transcript of a sub-agent that does not name it has the id of its caller.
    const subagent = this.#hasSidechain && !this.#hasMain && id === this.#session
    const parent = subagent ? id : source === id ? undefined : source
    const own = this.#summaries.findLast(({ leaf }) => leaf !== undefined && isHere(leaf))
    const title = this.#customTitle ?? this.#aiTitle ?? (own ?? this.#summaries.at(-1))?.text
    return factsOf({
      ...{ id, title, parent, cwd: this.#cwd, created: this.#created },
      subagent: subagent || undefined,
      continuedIn: this.#continuedIn === id ? undefined : this.#continuedIn,
    })
  }

  #agentId(): string | undefined {
    if (AGENT.test(this.#stem)) return this.#stem
    return this.#agent === undefined ? undefined : `agent-${this.#agent}`
  }

  #noteSaid(inSidechain: boolean): void {
    if (inSidechain) this.#hasSidechain = true
    else this.#hasMain = true
    // A session in which somebody speaks again does not go on elsewhere.
    if (!inSidechain) this.#continuedIn = undefined
  }

  #addSummary(record: JsonObject): void {
    const text = idAt(record, 'summary')
    if (text !== undefined) this.#summaries.push({ text, leaf: idAt(record, 'leafUuid') })
  }
}

/** Collects the sub-agents that a session started, and the entries with the calls. */
export class ClaudeSubagents {
  /** By the id of the sub-agent's own session. */
  readonly found = new Map<string, RecordIndex>()

  /**
   * Takes a record. Progress of a sub-agent and the result of its call name the sub-agent. `callerOf` returns the
   * entry that holds a call; if it is unknown, the entry of the result is used.
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

/** The path to the message of a sub-agent in a record of its progress. */
const AT = ['data', 'message'] as const

/**
 * The conversations of sub-agents, as far as records of their progress hold them: one for each sub-agent, in the
 * order of the file, as in the file of its own that later releases keep. A repeated message is a record.
 */
export class SubagentProgress {
  /** The newest entry of each, by the id of its own session. */
  readonly tips = new Map<string, RecordIndex>()
  readonly #seen = new Set<string>()

  /** Returns the reading of a record that holds a message of a sub-agent; undefined for any other record. */
  add(record: JsonObject, handle: RecordIndex): Reading | undefined {
    if (textAt(record, 'type') !== 'progress' || textAt(record, 'data', 'type') !== 'agent_progress')
      return undefined
    const message = field(record.data, 'message')
    const [agent, native] = [idAt(record, 'data', 'agentId'), idAt(message, 'uuid')]
    const kind = isObject(message) ? kindOf(message) : undefined
    if (!isObject(message) || agent === undefined || native === undefined) return undefined
    if ((kind !== 'user' && kind !== 'assistant') || this.#seen.has(`${agent} ${native}`)) return undefined
    this.#seen.add(`${agent} ${native}`)
    const id = `agent-${agent}`
    const parent = this.tips.get(id) ?? null
    this.tips.set(id, handle)
    const time = timeOf(message)
    return {
      entry: { type: `claude/${kind}`, body: bodyOf(ENTRIES, kind, message), bodyPath: AT, parent },
      native,
      ...(time !== undefined && { time }),
    }
  }
}

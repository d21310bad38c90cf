import { asString, field, isObject, items, type Json, type JsonObject } from '../model/json.ts'
import { type Block, OPAQUE, type View } from '../model/view.ts'
import {
  type AllowList,
  all,
  bodyOf,
  type CarriedEntry,
  defineFormat,
  type EntryDeclarations,
  each,
  fields,
  type RecordDeclaration,
  selectFields,
  viewOf,
} from './core/define.ts'
import type { Facts, Format, RecordIndex } from './core/format.ts'
import { type KnownRecords, words } from './core/known.ts'
import { beginsAs, type Sample } from './core/sample.ts'
import { isNoTranscript, sidecar } from './core/sidecar.ts'
import { isUuid } from './core/uuid.ts'
import { factsAt, factsOf, fieldAt, millis } from './core/values.ts'
import {
  blocksOf,
  callBlock,
  callsIn,
  compactionView,
  countsIn,
  modelIn,
  resultBlock,
  roleNamed,
  textOfOutput,
  thinkingBlock,
} from './core/views.ts'

/** The agent of a file, by its folders. */
export interface KimiFile {
  /** The session whose agents it is one of. */
  readonly session: string
  /** Its own id, which the main agent shares with the session. */
  readonly id: string
  /** The session that started it, of an agent that is not the main one. */
  readonly parent?: string
  /** The agent's own folder, relative to the file's; undefined if another file has it. */
  readonly folder?: string
}

const SESSION = /^session_[\w-]+$/
/** The context of an agent of Kimi CLI, and what it was before it was reverted. */
const CONTEXT = /^context(?:_\d+)?\.jsonl$/

/**
 * Returns whose a file is: Kimi Code keeps `<session>/agents/<agent>/wire.jsonl`; Kimi CLI the context of a session, and
 * its events, in a folder that has its id, those of its agents in `subagents/<agent>/` there.
 */
function fileOf(name: string, folder: string, [within, above = '']: readonly string[]): KimiFile | undefined {
  if (name === 'wire.jsonl' && within === 'agents' && SESSION.test(above))
    return folder === 'main'
      ? { session: above, id: above, folder: '../..' }
      : { session: above, id: agentId(above, folder), parent: above, folder: '' }
  const isAgent = within === 'subagents' && isUuid(above)
  const session = isAgent ? above : folder
  if (!isAgent && !isUuid(folder)) return undefined
  const id = isAgent ? agentId(above, folder) : folder
  if (!CONTEXT.test(name)) return { session, id: `${id}-${name.replace(/\.jsonl$/, '')}` }
  return { session, id, ...(isAgent && { parent: session }), ...(name === 'context.jsonl' && { folder: '' }) }
}

/** Returns the id of an agent's session: its own is one among those of the session that started it. */
const agentId = (session: string, agent: string): string => `${session}-${agent}`

/** The line before an agent's findings with which the result of a call names the agent. */
const STARTED = /^agent_id: ([\w-]+)$/gm

/** Collects the agents that the calls of a session started. */
class KimiSubagents {
  /** By the ids of their sessions. */
  readonly found = new Map<string, RecordIndex>()
  readonly #session: string
  private readonly calls = new Map<string, RecordIndex>()

  /** Begins with the id of the session. */
  constructor(session: string) {
    this.#session = session
  }

  /** Takes an entry, which may hold such a call or its result. */
  add({ blocks }: View, entry: RecordIndex): void {
    for (const block of blocks) {
      if (block.kind === 'toolCall' && block.name.startsWith('Agent')) this.calls.set(block.id, entry)
      const caller = block.kind === 'toolResult' ? this.calls.get(block.id) : undefined
      if (block.kind !== 'toolResult' || caller === undefined) continue
      const [head = ''] = block.text.split('\n\n', 1)
      for (const [, agent = ''] of head.matchAll(STARTED)) {
        const id = agentId(this.#session, agent)
        if (!this.found.has(id)) this.found.set(id, caller)
      }
    }
  }
}

function messageView(body: Json): View {
  const name = field(body, 'role')
  const role = name === '_system_prompt' ? 'system' : roleNamed(name)
  const content = field(body, 'content')
  const id = asString(field(body, 'toolCallId')) ?? asString(field(body, 'tool_call_id'))
  if (role === 'tool' && id !== undefined) {
    const text = typeof content === 'string' ? content : textOfOutput(content)
    return { role, blocks: [resultBlock(id, text, field(body, 'isError') === true)] }
  }
  const parts = Array.isArray(content) ? items(content).flatMap(part) : blocksOf(content)
  return {
    role,
    blocks: [...parts, ...callsIn(field(body, 'toolCalls')), ...callsIn(field(body, 'tool_calls'))],
  }
}

/** Kimi calls a thought `think`. */
function part(value: Json): Block[] {
  const thought = asString(field(value, 'think'))
  return thought === undefined ? blocksOf(value) : [thinkingBlock(thought)]
}

function eventView(body: Json): View {
  const id = field(body, 'toolCallId')
  switch (asString(field(body, 'type'))) {
    case 'content.part':
      return { role: 'assistant', blocks: part(field(body, 'part') ?? null) }
    case 'tool.call':
      return { role: 'assistant', blocks: [callBlock(id, field(body, 'name'), field(body, 'args'))] }
    case 'tool.result': {
      const result = field(body, 'result')
      const error = field(result, 'isError') === true
      return { role: 'tool', blocks: [resultBlock(id, textOfOutput(result), error)] }
    }
    case 'step.end':
      return { role: null, blocks: [], ...countsIn(field(body, 'usage'), COUNTS) }
    default:
      return OPAQUE
  }
}

function wireView(body: Json): View {
  const payload = field(body, 'payload')
  switch (asString(field(body, 'type'))) {
    case 'TurnBegin': {
      const input = field(payload, 'user_input')
      return { role: 'user', blocks: Array.isArray(input) ? items(input).flatMap(part) : blocksOf(input) }
    }
    case 'ContentPart':
      return { role: 'assistant', blocks: part(payload ?? null) }
    case 'ToolCall':
      return { role: 'assistant', blocks: callsIn(payload === undefined ? [] : [payload]) }
    case 'ToolResult': {
      const result = field(payload, 'return_value') ?? field(payload, 'result')
      const error = field(result, 'is_error') === true
      return {
        role: 'tool',
        blocks: [resultBlock(field(payload, 'tool_call_id'), textOfOutput(result), error)],
      }
    }
    default:
      return OPAQUE
  }
}

const compactedView = (body: Json): View =>
  compactionView(asString(field(body, 'contextSummary')) ?? field(body, 'summary'))

const modeView = (body: Json): View => ({
  ...OPAQUE,
  sets: { mode: field(body, 'type') === 'plan_mode.enter' ? 'plan' : 'default' },
})

function settingView(body: Json): View {
  const thinking = asString(field(body, 'thinkingEffort'))
  const { sets } = modelIn(field(body, 'modelAlias'), 'moonshot')
  return { ...OPAQUE, sets: { ...sets, ...(thinking !== undefined && { thinking }) } }
}

/** The names of the counts that the end of a step has. */
const COUNTS = {
  input: 'inputOther',
  output: 'output',
  cacheRead: 'inputCacheRead',
  cacheWrite: 'inputCacheCreation',
} as const

const calls = each(
  fields({
    ...all('type', 'id', 'name', 'arguments', 'args', 'input'),
    function: fields(all('name', 'arguments')),
  }),
)
/** The fields of an event of the model's loop, by its type; the end of a step has its usage. */
const EVENTS: ReadonlyMap<string, AllowList> = new Map(
  Object.entries({
    'content.part': all('type', 'part'),
    'tool.call': all('type', 'toolCallId', 'name', 'args'),
    'tool.result': { ...all('type', 'toolCallId'), result: fields(all('output', 'isError', 'content')) },
    'step.end': { ...all('type', 'finishReason'), usage: fields(all(...Object.values(COUNTS))) },
  }),
)
/** The events of Kimi CLI, which hold a payload. */
const WIRE: ReadonlySet<string> = new Set(['TurnBegin', 'ContentPart', 'ToolCall', 'ToolResult'])
const MODES: ReadonlySet<Json | undefined> = new Set(['plan_mode.enter', 'plan_mode.exit'])
const SETTINGS: ReadonlySet<Json | undefined> = new Set(['config.update', 'profile.bind'])
const LOOP_EVENT = 'context.append_loop_event'

const ENTRIES: EntryDeclarations = {
  message: {
    body: {
      ...all('role', 'content', 'toolCallId', 'tool_call_id', 'name', 'isError'),
      toolCalls: calls,
      tool_calls: calls,
    },
    view: messageView,
  },
  setting: { body: all('type', 'modelAlias', 'thinkingEffort'), view: settingView },
  compaction: { body: all('type', 'summary', 'contextSummary'), view: compactedView },
  mode: { body: all('type'), view: modeView },
  event: { view: eventView },
  wire: { view: wireView },
}

/** The state of reading a session of Kimi. */
class KimiState {
  /** The prompts of the user, in order: a compaction keeps the last ones. */
  readonly prompts: RecordIndex[] = []
  readonly agents: KimiSubagents | undefined

  /** Begins with the id of the session, if the names of the file show it. */
  constructor(session: string | undefined) {
    this.agents = session === undefined ? undefined : new KimiSubagents(session)
  }
}

/** The records of a session of Kimi: its context, or the log of its events. */
function records(name: string, folder = '', above: readonly string[] = []): RecordDeclaration {
  const file = fileOf(name, folder, above)
  const state = new KimiState(file?.session)
  return {
    state,
    id: ({ type, event }) =>
      type === LOOP_EVENT && eventFields(event) ? asString(field(event, 'uuid')) : undefined,
    time: ({ time, timestamp }) => millis(time) ?? millis(timestamp),
    facts: factsIn,
    carries(record, at) {
      const carried = carriedBy(record, state.prompts)
      if (!carried) return undefined
      if (fieldAt(record.message, 'origin', 'kind') === 'user') state.prompts.push(at)
      state.agents?.add(viewOf(ENTRIES, carried.kind, carried.body), at)
      return carried
    },
    known: factsOf({ id: file?.id, parent: file?.parent, subagents: state.agents?.found }),
  }
}

function factsIn({ type, created_at, cwd, environmentDisclosure }: JsonObject): Facts | undefined {
  if (type === 'metadata') return factsOf({ created: millis(created_at) })
  if (!SETTINGS.has(type)) return undefined
  return factsOf({ cwd: asString(cwd) ?? asString(field(environmentDisclosure, 'cwd')) })
}

type Carried = CarriedEntry & { readonly body: Json }

function carriedBy(record: JsonObject, prompts: readonly RecordIndex[]): Carried | undefined {
  const { type, message, event } = record
  switch (type) {
    case 'context.append_message':
      if (!isObject(message)) return undefined
      return { kind: 'message', body: bodyOf(ENTRIES, 'message', message), bodyPath: ['message'] }
    case LOOP_EVENT: {
      const body = eventFields(event)
      return body && { kind: 'event', body, bodyPath: ['event'] }
    }
    case 'context.apply_compaction':
      return { ...carriedAs('compaction', record), ...keptBy(record, prompts) }
    case undefined:
      return isObject(message) ? wireEvent(message) : contextLine(record)
    default:
      if (SETTINGS.has(type)) return setting(record)
      return MODES.has(type) ? carriedAs('mode', record) : undefined
  }
}

const carriedAs = (kind: string, record: JsonObject): Carried => ({
  kind,
  body: bodyOf(ENTRIES, kind, record),
})

function eventFields(event: Json | undefined): JsonObject | undefined {
  const allowed = isObject(event) ? EVENTS.get(asString(event.type) ?? '') : undefined
  return allowed && selectFields(event as JsonObject, allowed)
}

function wireEvent(message: JsonObject): Carried | undefined {
  if (!WIRE.has(asString(message.type) ?? '')) return undefined
  return { kind: 'wire', body: selectFields(message, all('type', 'payload')), bodyPath: ['message'] }
}

/** Names that begin with a line are marks of the program; its prompt is what the model saw. */
function contextLine(record: JsonObject): Carried | undefined {
  const role = asString(record.role)
  if (role === undefined || (role.startsWith('_') && role !== '_system_prompt')) return undefined
  return carriedAs('message', record)
}

function setting(record: JsonObject): Carried | undefined {
  const sets = asString(record.modelAlias) ?? asString(record.thinkingEffort)
  return sets === undefined ? undefined : carriedAs('setting', record)
}

function keptBy(
  { keptUserMessageCount: count }: JsonObject,
  prompts: readonly RecordIndex[],
): Pick<Carried, 'links'> {
  const kept = typeof count === 'number' && count > 0 ? prompts.slice(-count) : []
  return kept.length > 0 ? { links: { kept } } : {}
}

/** The folders of other agents. */
const ANOTHERS = /^(?:agents\/(?!main\/)|subagents\/)/

/** The state of a session of Kimi Code: its title, its folder, its agents. */
export const kimiState: Format = sidecar({
  name: 'kimi-state',
  detect: beginsAs(/^\s*\{[^]*"agents"\s*:\s*\{[^]*"homedir"\s*:[^]*"workDir"\s*:/),
})

/** A log of events begins with its protocol; a context holds marks that only Kimi sets. */
function detect({ lines: objects }: Sample): boolean {
  const [first] = objects
  if (field(first, 'type') === 'metadata' && field(first, 'protocol_version') !== undefined) return true
  return objects.some((line) => isContextEvent(line) || isMark(line))
}

const isContextEvent = (line: Json): boolean => {
  const type = field(line, 'type')
  return type === 'context.append_message' || type === 'context.append_loop_event'
}

const isMark = (line: Json): boolean =>
  ['_system_prompt', '_checkpoint', '_usage'].some((role) => field(line, 'role') === role)

/** The types and fields of both forms of Kimi's files. */
const KNOWN: KnownRecords = {
  written: '2026-08',
  types: {
    type: words(`
      metadata config.update profile.bind runtime.set_binding plugin.session_start permission.set_mode
      permission.record_approval_result tools.set_active_tools llm.tools_snapshot llm.request usage.record
      turn.prompt turn.steer turn.cancel turn.ended context.append_message context.append_loop_event
      context.apply_compaction full_compaction.begin full_compaction.complete plan_mode.enter plan_mode.exit
      token_counting.measured token_counting.turn_recorded
    `),
    role: words('_system_prompt _checkpoint _usage system user assistant tool'),
    'event.type': words('step.begin step.end content.part tool.call tool.result'),
  },
  fields: {
    '': words(`
      type role time timestamp protocol_version created_at profileName systemPrompt systemPromptHash subagentNames
      subagents names modelAlias model provider thinkingEffort thinkingKeep maxTokens toolSelect tools toolsHash hash
      activeToolNames disallowedTools agentsMdPaths environmentDisclosure input origin message event messageCount
      turnStep turnId agentId usage usageScope toolCallId toolName action sessionApprovalRule result id source
      droppedCount summary contextSummary compactedCount keptUserMessageCount tokensBefore tokensAfter attempt mode kind
      reason durationMs content workspaceId runtimeId cwd length tokens tool_calls tool_call_id token_count name
    `),
    event: words(`
      type uuid parentUuid turnId step stepUuid part usage finishReason providerFinishReason rawFinishReason messageId
      toolCallId name args description display result llmFirstTokenLatencyMs llmStreamDurationMs llmRequestBuildMs
      llmServerFirstTokenMs llmServerDecodeMs llmClientConsumeMs
    `),
    message: words('role content toolCalls toolCallId origin type payload isError name'),
  },
}

/** Kimi: `context.jsonl` and `wire.jsonl` of Kimi CLI, and the `wire.jsonl` of Kimi Code. */
export const kimi = defineFormat({
  name: 'kimi',
  detect,
  record: records,
  sidecars: {
    folder: (name, folder, above) => fileOf(name, folder, above)?.folder,
    own: true,
    holds: (path) => isNoTranscript(path) && !ANOTHERS.test(path),
    facts: (path, value) =>
      path === 'state.json' ? factsAt(value, { title: 'title', cwd: 'workDir', created: 'createdAt' }) : {},
  },
  entries: ENTRIES,
  known: KNOWN,
})

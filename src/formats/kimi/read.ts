import { asString, field, isObject, type Json, type JsonObject } from '../../model/json.ts'
import type { Reader, RecordIndex } from '../format.ts'
import { millis } from '../hints.ts'
import { given, linearReader, type Taken } from '../linearreader.ts'
import { all, chosen, each, fields, type Select } from '../select.ts'
import { Agents } from './agents.ts'
import { placeOf } from './place.ts'
import { COUNTS, view } from './view.ts'

type Body = Readonly<Record<string, Select>>

const calls = each(
  fields({
    ...all('type', 'id', 'name', 'arguments', 'args', 'input'),
    function: fields(all('name', 'arguments')),
  }),
)
const MESSAGE: Body = {
  ...all('role', 'content', 'toolCallId', 'tool_call_id', 'name', 'isError'),
  toolCalls: calls,
  tool_calls: calls,
}
/** What an event of the model's loop says, by its type; the usage of a step tells what its answer cost. */
const EVENTS: ReadonlyMap<string, Body> = new Map(
  Object.entries({
    'content.part': all('type', 'part'),
    'tool.call': all('type', 'toolCallId', 'name', 'args'),
    'tool.result': { ...all('type', 'toolCallId'), result: fields(all('output', 'isError', 'content')) },
    'step.end': { ...all('type', 'finishReason'), usage: fields(all(...Object.values(COUNTS))) },
  }),
)
/** The same of Kimi CLI, whose events hold a payload. */
const WIRE: ReadonlySet<string> = new Set(['TurnBegin', 'ContentPart', 'ToolCall', 'ToolResult'])
const SETTING: Body = all('type', 'modelAlias', 'thinkingEffort')
const COMPACTION: Body = all('type', 'summary', 'contextSummary')
const MODES: ReadonlySet<string> = new Set(['plan_mode.enter', 'plan_mode.exit'])

/** Starts reading a session of Kimi: its context, or the log of its events. */
export function kimiReader(name: string, folder = '', above: readonly string[] = []): Reader {
  /** What the user said, in order: a compaction keeps the last of it. */
  const prompts: RecordIndex[] = []
  const place = placeOf(name, folder, above)
  const agents = place && new Agents(place.session)
  const known = place && { id: place.id, ...given('parent', place.parent) }
  const reader = linearReader(
    'kimi',
    (value, handle) => {
      const taken = takenFrom(value, prompts)
      const { entry } = taken
      const isPrompt = field(field(value.message, 'origin'), 'kind') === 'user'
      if (isPrompt && entry) prompts.push(handle)
      if (entry) agents?.add(view(entry.kind, entry.body), handle)
      return { ...given('time', millis(value.time) ?? millis(value.timestamp)), ...taken }
    },
    known,
  )
  return { ...reader, facts: () => ({ ...reader.facts(), ...given('subagents', agents?.found) }) }
}

function takenFrom(value: JsonObject, prompts: readonly RecordIndex[]): Taken {
  const { type, message, event } = value
  switch (type) {
    case 'metadata':
      return { facts: given('created', millis(value.created_at)) }
    case 'context.append_message':
      return isObject(message) ? said('message', chosen(message, MESSAGE), ['message']) : {}
    case 'context.append_loop_event':
      return isObject(event) ? eventIn(event) : {}
    case 'context.apply_compaction':
      return compaction(value, prompts)
    case 'config.update':
    case 'profile.bind':
      return setting(value)
    case undefined:
      return isObject(message) ? wireEvent(message) : contextLine(value)
    default:
      return MODES.has(asString(type) ?? '') ? said('mode', chosen(value, all('type'))) : {}
  }
}

const said = (kind: string, body: Json, at?: readonly string[]): Taken => ({
  entry: { kind, body, ...given('bodyPath', at) },
})

function eventIn(event: JsonObject): Taken {
  const body = EVENTS.get(asString(event.type) ?? '')
  if (body === undefined) return {}
  return { ...given('native', asString(event.uuid)), ...said('event', chosen(event, body), ['event']) }
}

const wireEvent = (message: JsonObject): Taken =>
  WIRE.has(asString(message.type) ?? '')
    ? said('wire', chosen(message, all('type', 'payload')), ['message'])
    : {}

/** Names that begin with a line are marks of the program; its prompt is what the model saw. */
function contextLine(value: JsonObject): Taken {
  const role = asString(value.role)
  if (role === undefined || (role.startsWith('_') && role !== '_system_prompt')) return {}
  return said('message', chosen(value, MESSAGE))
}

function setting(value: JsonObject): Taken {
  const cwd = asString(value.cwd) ?? asString(field(value.environmentDisclosure, 'cwd'))
  const facts = cwd === undefined ? {} : { facts: { cwd } }
  const sets = asString(value.modelAlias) ?? asString(value.thinkingEffort)
  return { ...facts, ...(sets !== undefined && said('setting', chosen(value, SETTING))) }
}

function compaction(value: JsonObject, prompts: readonly RecordIndex[]): Taken {
  const count = value.keptUserMessageCount
  const kept = typeof count === 'number' && count > 0 ? prompts.slice(-count) : []
  const links = kept.length > 0 ? { links: { kept } } : {}
  return { entry: { kind: 'compaction', body: chosen(value, COMPACTION), ...links } }
}

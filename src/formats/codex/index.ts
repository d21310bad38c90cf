import { Verbatim } from '../../model/encoding/verbatim.ts'
import { asString, isObject, items, type Json, type JsonObject } from '../../model/json.ts'
import { defineFormat } from '../core/define.ts'
import type { Agent, Reading } from '../core/format.ts'
import { jsonDocument } from '../core/jsondocument.ts'
import { headText, type Sample, startText } from '../core/sample.ts'
import { counter } from './counter.ts'
import { KNOWN, KNOWN_DOCUMENT } from './known.ts'
import { baseOf, ordinalOf, RolloutReader } from './read.ts'
import { ENTRIES, view } from './view.ts'
import { writer } from './write.ts'

/** Codex CLI: it looks for a session by the id in the name of its file. */
const agent: Agent = { title: 'Codex', resume: ({ id }) => ['codex', 'resume', id] }

const LINES: ReadonlySet<string> = new Set([
  ...['session_meta', 'response_item', 'event_msg', 'turn_context', 'compacted', 'world_state'],
  ...['inter_agent_communication', 'inter_agent_communication_metadata', 'token_usage_record'],
  ...['security_risk_score', 'realtime_item'],
])

/** A header longer than the sample, which then holds no complete line. */
const LONG_HEADER =
  /^\s*\{"timestamp":(?:"[^"]*"|[\d.]+),(?:"ordinal":\d+,)?"type":"session_meta","payload":\{/

/**
 * Returns whether a source is a rollout of Codex: a line wrapped in `{timestamp, type, payload}`, or an unwrapped header,
 * state line or message of mid-2025.
 */
export function detect(sample: Sample): boolean {
  if (sample.lines.length === 0) return LONG_HEADER.test(startText(sample.head))
  if (sample.lines.some((line) => isObject(line) && (isWrapped(line) || isBare(line)))) return true
  const first = sample.lines[0]
  return isObject(first) && isBareHeader(first)
}

const isWrapped = (line: JsonObject): boolean =>
  line.timestamp !== undefined &&
  LINES.has(asString(line.type) ?? '') &&
  (isObject(line.payload) || line.payload instanceof Verbatim)

const isBareHeader = (line: JsonObject): boolean =>
  line.type === undefined &&
  asString(line.id) !== undefined &&
  asString(line.timestamp) !== undefined &&
  Object.hasOwn(line, 'instructions')

const isBare = (line: JsonObject): boolean =>
  line.record_type === 'state' || (line.type === 'message' && items(line.content).some(isOwnPart))

const isOwnPart = (part: Json): boolean =>
  isObject(part) && ['input_text', 'output_text'].includes(asString(part.type) ?? '')

/** The name of the format, and of its dialect. */
const NAME = 'codex-json'

/** Returns what was read of an item of a document: its type is that of a line, but for the name of the format. */
const renamed = ({ entry, ...rest }: Reading): Reading =>
  entry ? { ...rest, entry: { ...entry, type: `${NAME}${entry.type.slice(entry.type.indexOf('/'))}` } } : rest

/** Codex CLI: `sessions/YYYY/MM/DD/rollout-<time>-<uuid>.jsonl` of 2025-05 and later. */
export const codex = defineFormat({
  name: 'codex',
  reading: 2,
  detect,
  reader: (name, _folder, _above, inherited) => new RolloutReader(name, inherited),
  base: baseOf,
  ordinal: ordinalOf,
  counter,
  entries: ENTRIES,
  known: KNOWN,
  otherView: view,
  writer,
  agent,
})

/**
 * A rollout of Codex CLI of April 2025: one document, `{"session":{…},"items":[…]}`, whose items have no envelope.
 */
export const codexDocument = defineFormat({
  name: NAME,
  rewrittenWhole: true,
  detect: ({ head }) =>
    /^\s*\{\s*"session"\s*:\s*\{[^{}]*"id"\s*:[^{}]*\}\s*,\s*"items"\s*:\s*\[/.test(headText(head)),
  splitter: () => jsonDocument('items'),
  reader(name) {
    const inner = new RolloutReader(name)
    const header = new RolloutReader(name)
    return {
      read(unit) {
        const session = unit.enclosing?.session
        if (session !== undefined) header.read({ ...unit, value: session })
        return renamed(inner.read(unit))
      },
      active: () => inner.active(),
      facts: () => ({ ...inner.facts(), ...header.facts() }),
    }
  },
  entries: ENTRIES,
  known: KNOWN_DOCUMENT,
  otherView: view,
})

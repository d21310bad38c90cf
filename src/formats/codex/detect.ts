import { asString, isObject, items, type Json, type JsonObject, Verbatim } from '../../model/json.ts'
import type { Sample } from '../format.ts'

const LINES: ReadonlySet<string> = new Set([
  ...['session_meta', 'response_item', 'event_msg', 'turn_context', 'compacted', 'world_state'],
  ...['inter_agent_communication', 'inter_agent_communication_metadata', 'token_usage_record'],
  ...['security_risk_score', 'realtime_item'],
])

/** A header longer than the sample, which then holds no complete line. */
const LONG_HEADER =
  /^\s*\{"timestamp":(?:"[^"]*"|[\d.]+),(?:"ordinal":\d+,)?"type":"session_meta","payload":\{/

/**
 * Tells whether a source is a rollout of Codex: a line with its envelope, or the header, a state mark or a
 * message of the bare files of mid-2025.
 */
export function detect(sample: Sample): boolean {
  if (sample.lines.length === 0)
    return LONG_HEADER.test(new TextDecoder().decode(sample.head.subarray(0, 512)))
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

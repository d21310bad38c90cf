import { codex } from '../../../src/formats/codex/index.ts'
import type { FormatReader, Inherited, Reading } from '../../../src/formats/core/format.ts'
import type { Unit } from '../../../src/formats/core/splitter.ts'
import { digestOf, NO_LINKS, oidOfEntry } from '../../../src/model/encoding/entry.ts'
import type { Oid } from '../../../src/model/encoding/oid.ts'
import type { Json } from '../../../src/model/json.ts'
import { parseJson } from '../../../src/model/value.ts'

export const ID = '0199a213-81c0-7800-8aa1-bbab2a035a53'

/** A line with its envelope; every line of a test has another time. */
export const line = (type: string, payload: Json, second = 0): Json => ({
  timestamp: new Date(Date.UTC(2026, 0, 2, 3, 4, second)).toISOString(),
  type,
  payload,
})
export const meta = (id = ID): Json =>
  line('session_meta', { id, timestamp: '2026-01-02T03:04:05.678Z', cwd: '/w' })
export const item = (payload: Json): Json => line('response_item', payload)
export const event = (payload: Json): Json => line('event_msg', payload)
export const message = (role: string, text: string): Json =>
  item({
    type: 'message',
    role,
    content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text }],
  })
export const user = (text: string): Json => message('user', text)
export const assistant = (text: string): Json => message('assistant', text)
export const context = (model: string, effort?: string): Json =>
  line('turn_context', { turn_id: 't', cwd: '/w', model, ...(effort === undefined ? {} : { effort }) })
export const rollback = (turns: Json): Json => event({ type: 'thread_rolled_back', num_turns: turns })
export const environment = (): Json => user('<environment_context>\n  <cwd>/w</cwd>\n</environment_context>')

const utf8 = new TextEncoder()

export function unit(text: string, position = 0): Unit {
  const parsed = parseJson(text, true)
  const bytes = utf8.encode(text)
  const base = { line: position + 1, bytes, lead: 0, salvaged: false }
  return parsed === undefined ? base : { ...base, value: parsed.value, text }
}

/** Reads lines; gives the readings and the reader after them. */
export function read(
  lines: readonly Json[],
  name = 'x.jsonl',
  inherited?: Inherited,
): { readings: Reading[]; reader: FormatReader } {
  const reader = codex.reader(name, undefined, undefined, inherited)
  return { readings: lines.map((value, i) => reader.read(unit(JSON.stringify(value), i))), reader }
}

/** Returns `type <- parent` for each line that carries an entry. */
export const chainOf = (readings: readonly Reading[]): string[] =>
  readings.flatMap(({ entry }, i) =>
    entry ? [`${i} ${entry.type.slice('codex/'.length)} <- ${entry.parent ?? ''}`] : [],
  )

/** Returns the oids of the entries in file order. */
export function oidsOf(readings: readonly Reading[]): Oid[] {
  const oids = new Map<number, Oid>()
  readings.forEach(({ entry }, i) => {
    if (!entry) return
    const parents = entry.parent === null ? [] : [oids.get(entry.parent) as Oid]
    oids.set(i, oidOfEntry({ parents, type: entry.type, digest: digestOf(entry.body), links: NO_LINKS }))
  })
  return [...oids.values()]
}

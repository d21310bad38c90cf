import { readFileSync } from 'node:fs'
import { ClaudeReader } from '../../../src/formats/claude-code/read.ts'
import type { Reading, RecordIndex } from '../../../src/formats/core/format.ts'
import type { Unit } from '../../../src/formats/core/splitter.ts'
import type { Json, JsonObject } from '../../../src/model/json.ts'
import { parseJson } from '../../../src/model/value.ts'

export type Records = readonly JsonObject[]

/** Returns the unit that a splitter makes of a value on a line of its own. */
export const unit = (value: Json, line = 1): Unit => ({
  line,
  bytes: new Uint8Array(),
  lead: 0,
  value,
  salvaged: false,
})

/** Returns the records of a fixture. */
export function fixture(name: string): Records {
  const text = readFileSync(new URL(`../../fixtures/claude/${name}`, import.meta.url), 'utf8')
  return text
    .trimEnd()
    .split('\n')
    .map((line) => parseJson(line)?.value as JsonObject)
}

/** Returns the reader of a file after it read records, and what it made of each. */
export function readAll(
  records: readonly Json[],
  name = 'some.jsonl',
  folder?: string,
): { reader: ClaudeReader; readings: Reading[] } {
  const reader = new ClaudeReader(name, folder)
  return { reader, readings: records.map((record, i) => reader.read(unit(record, i + 1))) }
}

/** Returns the reader of a file after it read units, and the reading of each. */
export function readUnits(units: readonly Unit[]): { reader: ClaudeReader; readings: Reading[] } {
  const reader = new ClaudeReader('some.jsonl')
  return { reader, readings: units.map((one) => reader.read(one)) }
}

/** Returns the parents of the entries among records, by handle; undefined where a record carries none. */
export const parentsOf = (records: readonly Json[]): (RecordIndex | null | undefined)[] =>
  readAll(records).readings.map((reading) => reading.entry?.parent)

/** Returns a user's record. */
export const user = (uuid: string, parentUuid: string | null, more: JsonObject = {}): JsonObject => ({
  type: 'user',
  uuid,
  parentUuid,
  message: { role: 'user', content: uuid },
  ...more,
})

/** Returns an assistant's record with one block: a tool call where one is named, else text. */
export const assistant = (uuid: string, parentUuid: string, message: string, call?: string): JsonObject => ({
  type: 'assistant',
  uuid,
  parentUuid,
  message: {
    id: message,
    role: 'assistant',
    content: [call ? { type: 'tool_use', id: call, name: 'Bash', input: {} } : { type: 'text', text: uuid }],
  },
})

/** Returns a user's record that answers tool calls. */
export const result = (uuid: string, parentUuid: string, ...calls: string[]): JsonObject =>
  user(uuid, parentUuid, {
    message: {
      role: 'user',
      content: calls.map((id) => ({ type: 'tool_result', tool_use_id: id, content: uuid })),
    },
  })

/** Returns a record of any other type. */
export const other = (
  type: string,
  uuid: string,
  parentUuid: string | null,
  more: JsonObject = {},
): JsonObject => ({
  type,
  uuid,
  parentUuid,
  ...more,
})

/** Returns a compaction's record. */
export const boundary = (
  uuid: string,
  logicalParentUuid: string | null,
  compactMetadata: Json = {},
): JsonObject => ({
  type: 'system',
  subtype: 'compact_boundary',
  uuid,
  parentUuid: null,
  logicalParentUuid,
  content: 'Conversation compacted',
  compactMetadata,
})

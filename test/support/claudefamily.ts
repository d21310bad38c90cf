import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { JsonObject } from '../../src/model/json.ts'
import { answered, asked, claudeLine } from './transcripts.ts'

/** The id of a session of Claude Code that starts sub-agents. */
export const FAMILY = '5d0c0b7e-2f6a-4b8c-9d7e-1a2b3c4d5e6f'

const text = (records: readonly JsonObject[], more: JsonObject = {}): string =>
  records.map((record, i) => claudeLine(FAMILY, i, { ...record, ...more })).join('')

/** Returns a record of a message that calls a tool. */
export const calls = (id: string, parent: string, call: string, name = 'Agent'): JsonObject => ({
  ...answered(id, parent),
  message: {
    role: 'assistant',
    id: `msg-${id}`,
    content: [{ type: 'tool_use', id: call, name, input: { prompt: 'look' } }],
  },
})

/** Returns a record with the result of a call. */
export const returns = (
  id: string,
  parent: string,
  call: string,
  { content = 'seen', ...more }: JsonObject = {},
): JsonObject => ({
  ...asked(id, parent),
  message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: call, content }] },
  ...more,
})

/** Returns the file of the session. */
export const sessionFile = (...records: readonly JsonObject[]): string => text(records)

/** Returns the file of one of its sub-agents. */
export const agentFile = (agentId: string, ...records: readonly JsonObject[]): string =>
  text(records, { isSidechain: true, agentId })

/** An hour before the clock of a test's store begins, in seconds since 1970. */
const OLD = Date.UTC(2025, 11, 31, 23) / 1000

/** Writes files that were last changed long ago, or now, and gives their folder. */
export function writeFiles(
  folder: string,
  files: Readonly<Record<string, string>>,
  { fresh = false } = {},
): string {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
    if (!fresh) utimesSync(join(folder, name), OLD, OLD)
  }
  return folder
}

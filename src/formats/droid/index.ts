import { field, isObject, type Json } from '../../model/json.ts'
import { namedWith } from '../beside.ts'
import type { Format, Sample } from '../format.ts'
import { headText } from '../headtext.ts'
import { lines } from '../lines.ts'
import { sidecar } from '../sidecar.ts'
import { countsIn } from '../usage.ts'
import { DroidReader } from './read.ts'
import { view } from './view.ts'

/** The sessions of Factory's Droid, and what `droid exec` prints as JSON while it works. */
export const droid: Format = {
  name: 'droid',
  dialect: 'droid',
  reading: 1,
  conversational: true,
  detect,
  splitter: lines,
  reader: () => new DroidReader(),
  sidecars: {
    names: (name) => namedWith(name, '.settings.json'),
    facts: (_path, value) => countsIn(field(value, 'tokenUsage'), TOKENS),
  },
  view,
}

const TOKENS = {
  input: 'inputTokens',
  output: 'outputTokens',
  cacheRead: 'cacheReadTokens',
  cacheWrite: 'cacheCreationTokens',
} as const

function detect({ lines: records }: Sample): boolean {
  const [first] = records
  if (field(first, 'type') === 'session_start') return typeof field(first, 'id') === 'string'
  return records.length > 0 && records.every(isPrinted) && records.some(isTold)
}

const PRINTED: ReadonlySet<Json | undefined> = new Set([
  'system',
  'message',
  'tool_call',
  'tool_result',
  'completion',
  'error',
])

const isPrinted = (value: Json): boolean =>
  isObject(value) &&
  PRINTED.has(value.type) &&
  (typeof value.session_id === 'string' || typeof value.sessionId === 'string')

/** What other agents print holds its messages; Droid's say what they say themselves. */
const isTold = (value: Json): boolean =>
  (field(value, 'type') === 'message' && typeof field(value, 'text') === 'string') ||
  typeof field(value, 'finalText') === 'string'

/** The settings that Droid keeps beside a session: its model, and the tokens that it took in all. */
export const droidSettings: Format = sidecar({
  name: 'droid-settings',
  detect: ({ name, head }) =>
    name.endsWith('.settings.json') && headText(head).includes('"assistantActiveTimeMs"'),
})

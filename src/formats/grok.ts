import { asString, field, isObject, items, type Json, type JsonObject } from '../model/json.ts'
import { type Block, OPAQUE, type View } from '../model/view.ts'
import { all } from './core/allowlist.ts'
import {
  blocksOf,
  callBlock,
  callOf,
  resultBlock,
  textOfOutput,
  thinkingBlock,
} from './core/contentblocks.ts'
import { defineFormat, entriesOf } from './core/define.ts'
import type { Format } from './core/format.ts'
import { headText } from './core/sample.ts'
import { sidecar } from './core/sidecar.ts'
import { isUuid } from './core/uuid.ts'
import { factsOf, millis } from './core/values.ts'
import { modelIn } from './core/viewparts.ts'

/** The fields that reach the model: no ids of thoughts, no positions of prompts, no state. */
const BODY = all(
  ...['type', 'content', 'summary', 'encrypted_content', 'tool_calls', 'tool_call_id', 'kind'],
  ...['model_id', 'reasoning_effort'],
)
const KINDS: ReadonlySet<string> = new Set([
  ...['system', 'user', 'assistant', 'reasoning', 'tool_result', 'backend_tool_call'],
])
/** Fields that only Grok writes. */
const MARKS = ['model_id', 'model_fingerprint', 'prompt_index', 'synthetic_reason', 'prior_turn_interrupt']

/** The metadata of a session: its title, its folder, its model. */
export const grokSummary: Format = sidecar({
  name: 'grok-summary',
  detect: ({ head }) => /^\s*\{\s*"info"\s*:[^]*"num_chat_messages"\s*:/.test(headText(head)),
  facts: (_name, folder = '') => (isUuid(folder) ? { id: `${folder}-summary` } : {}),
})

/** A line in a file that is named as Grok names those of sessions, before a mark comes. */
const isPlain = (line: Json): boolean =>
  kindOf(line) !== undefined && field(line, 'message') === undefined && field(line, 'uuid') === undefined

function kindOf(line: Json): string | undefined {
  const type = asString(field(line, 'type')) ?? ''
  return KINDS.has(type) ? type : undefined
}

function view(kind: string, body: Json): View {
  if (!isObject(body)) return OPAQUE
  switch (kind) {
    case 'system':
    case 'user':
      return { role: kind, blocks: blocksOf(body.content) }
    case 'reasoning':
      return { role: 'assistant', blocks: items(body.summary).flatMap(thoughtIn) }
    case 'assistant':
      return answer(body)
    case 'tool_result':
      return { role: 'tool', blocks: [resultBlock(body.tool_call_id, textOfOutput(body.content))] }
    case 'backend_tool_call':
      // It ran at the provider: its result is not in the file.
      return {
        role: 'assistant',
        blocks: [callBlock('', field(body.kind, 'tool_type'), field(body.kind, 'action'))],
      }
    default:
      return OPAQUE
  }
}

function thoughtIn(part: Json): Block[] {
  const text = asString(field(part, 'text'))
  return text === undefined ? [] : [thinkingBlock(text)]
}

function answer(body: JsonObject): View {
  const calls = items(body.tool_calls).flatMap((call) =>
    isObject(call) ? (callOf(call, 'tool_call') ?? []) : [],
  )
  const thinking = asString(body.reasoning_effort)
  const sets = { ...modelIn(body.model_id, 'xai').sets, ...(thinking !== undefined && { thinking }) }
  const blocks = [...blocksOf(body.content), ...calls]
  return { role: 'assistant', blocks, ...(Object.keys(sets).length > 0 && { sets }) }
}

/** Grok: `sessions/<folder>/<session>/chat_history.jsonl`. */
export const grok = defineFormat({
  name: 'grok',
  detect: ({ name, lines: objects }) =>
    (name === 'chat_history.jsonl' && objects.length > 0 && objects.every(isPlain)) ||
    objects.some(
      (line) => kindOf(line) !== undefined && MARKS.some((mark) => field(line, mark) !== undefined),
    ),
  record: (_name, folder = '') => ({
    id: 'id',
    carries: kindOf,
    known: isUuid(folder) ? { id: folder } : {},
  }),
  sidecars: {
    folder: (name) => (name === 'chat_history.jsonl' ? '' : undefined),
    holds: (path) => path === 'summary.json',
    facts: (_path, value) =>
      factsOf({
        title: asString(field(value, 'generated_title')) ?? asString(field(value, 'session_summary')),
        cwd: asString(field(field(value, 'info'), 'cwd')),
        created: millis(field(value, 'created_at')),
      }),
  },
  entries: entriesOf(KINDS, BODY, view),
})

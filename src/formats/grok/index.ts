import { asString, field, items, type Json } from '../../model/json.ts'
import type { Block, Role, View } from '../../model/view.ts'
import { all, defineFormat, type EntryDeclarations } from '../core/define.ts'
import type { Format } from '../core/format.ts'
import { words } from '../core/known.ts'
import { headText } from '../core/sample.ts'
import { sidecar } from '../core/sidecar.ts'
import { isUuid } from '../core/uuid.ts'
import {
  blocksOf,
  callBlock,
  callsIn,
  modelIn,
  resultBlock,
  roleNamed,
  textOfOutput,
  thinkingBlock,
} from '../core/views.ts'
import { guessView } from '../generic/heuristics.ts'
import { GROK, grokFacts, knownGrokFacts } from './about.ts'
import { usageInLines } from './updates.ts'

/** The fields that reach the model: no ids of thoughts, no positions of prompts, no state. */
const BODY = all(
  ...['type', 'content', 'summary', 'encrypted_content', 'tool_calls', 'tool_call_id', 'kind'],
  ...['model_id', 'reasoning_effort'],
)
const OLDER = all('role', 'content', 'tool_calls', 'tool_call_id', 'name', 'reasoning_content')

const HISTORY = 'chat_history.jsonl'

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
  return type !== 'message' && Object.hasOwn(ENTRIES, type) ? type : undefined
}

function thoughtIn(part: Json): Block[] {
  const text = asString(field(part, 'text'))
  return text === undefined ? [] : [thinkingBlock(text)]
}

function answerView(body: Json): View {
  const thinking = asString(field(body, 'reasoning_effort'))
  const sets = {
    ...modelIn(field(body, 'model_id'), 'xai').sets,
    ...(thinking !== undefined && { thinking }),
  }
  const blocks = [...blocksOf(field(body, 'content')), ...callsIn(field(body, 'tool_calls'))]
  return { role: 'assistant', blocks, ...(Object.keys(sets).length > 0 && { sets }) }
}

const messageView =
  (role: Role) =>
  (body: Json): View => ({ role, blocks: blocksOf(field(body, 'content')) })

function resultView(body: Json): View {
  const text = textOfOutput(field(body, 'content'))
  return { role: 'tool', blocks: [resultBlock(field(body, 'tool_call_id'), text)] }
}

/** It ran at the provider: its result is not in the file. */
function backendCallView(body: Json): View {
  const call = field(body, 'kind')
  return { role: 'assistant', blocks: [callBlock('', field(call, 'tool_type'), field(call, 'action'))] }
}

const ENTRIES: EntryDeclarations = {
  system: { body: BODY, view: messageView('system') },
  user: { body: BODY, view: messageView('user') },
  assistant: { body: BODY, view: answerView },
  reasoning: {
    body: BODY,
    view: (body) => ({ role: 'assistant', blocks: items(field(body, 'summary')).flatMap(thoughtIn) }),
  },
  tool_result: { body: BODY, view: resultView },
  backend_tool_call: { body: BODY, view: backendCallView },
  message: { body: OLDER, view: guessView },
}

/** A line of an older history, which has a role in place of a type. */
const isOlder = (line: Json): boolean =>
  field(line, 'type') === undefined && roleNamed(field(line, 'role')) !== null

/** Grok: `sessions/<folder>/<session>/chat_history.jsonl`. */
export const grok = defineFormat({
  name: 'grok',
  detect: ({ name, folder = '', lines: objects }) =>
    (name === HISTORY &&
      objects.length > 0 &&
      (objects.every(isPlain) || (isUuid(folder) && objects.every(isOlder)))) ||
    objects.some(
      (line) => kindOf(line) !== undefined && MARKS.some((mark) => field(line, mark) !== undefined),
    ),
  record: (_name, folder, above) => ({
    id: 'id',
    carries: (line) => kindOf(line) ?? (isOlder(line) ? 'message' : undefined),
    known: knownGrokFacts(folder, above),
  }),
  sidecars: {
    folder: (name) => (name === HISTORY ? '' : undefined),
    holds: (path) => path === 'summary.json' || path === 'updates.jsonl',
    facts: (_path, value) => grokFacts(value),
    lines: { path: 'updates.jsonl', mark: '"usage"', collect: usageInLines },
  },
  entries: ENTRIES,
  agent: GROK,
  known: {
    written: '2026-08',
    types: { type: words('system user assistant reasoning tool_result backend_tool_call') },
    fields: {
      '': words(`
        type id content synthetic_reason prompt_index prior_turn_interrupt summary encrypted_content status tool_calls
        tool_call_id kind model_id model_fingerprint reasoning_effort
      `),
      tool_calls: words('id name arguments'),
    },
  },
})

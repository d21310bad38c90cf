import { asString, field, items, type Json } from '../model/json.ts'
import type { Role, View } from '../model/view.ts'
import { type AllowList, all, defineFormat, each, fields } from './core/define.ts'
import type { Facts } from './core/format.ts'
import { words } from './core/known.ts'
import { isUuid } from './core/uuid.ts'
import { blocksOf, callBlock, compactionView, resultBlock, thinkingBlock } from './core/views.ts'

const BODY: AllowList = {
  ...all('type', 'source', 'content', 'thinking'),
  tool_calls: each(fields(all('name', 'args'))),
}

/** Its transcripts are in `<conversation>/.system_generated/logs`, all of one name. */
const idIn = ([folder, conversation = '']: readonly string[] = []): Facts =>
  folder === '.system_generated' && isUuid(conversation) ? { id: conversation } : {}

const isStep = (line: Json): boolean =>
  typeof field(line, 'step_index') === 'number' &&
  asString(field(line, 'source')) !== undefined &&
  asString(field(line, 'type')) !== undefined

const hasContent = (step: Json): boolean =>
  ['content', 'thinking', 'tool_calls'].some((key) => field(step, key) !== undefined)

/** The kinds that are understood; the result of a tool is a step of the tool's own type. */
const KINDS: ReadonlyMap<string, string> = new Map([
  ['USER_INPUT', 'user'],
  ['PLANNER_RESPONSE', 'planner'],
  ['CHECKPOINT', 'checkpoint'],
  ['SYSTEM_MESSAGE', 'system'],
])
const kindOf = (step: Json): string => KINDS.get(asString(field(step, 'type')) ?? '') ?? 'step'

const textIn = (body: Json): string => asString(field(body, 'content')) ?? ''

const messageView =
  (role: Role) =>
  (body: Json): View => ({ role, blocks: blocksOf(textIn(body)) })

function plannerView(body: Json): View {
  const thought = field(body, 'thinking')
  // Calls have no ids.
  const calls = items(field(body, 'tool_calls')).map((call) =>
    callBlock('', field(call, 'name'), field(call, 'args')),
  )
  return {
    role: 'assistant',
    blocks: [...(thought ? [thinkingBlock(thought)] : []), ...blocksOf(textIn(body)), ...calls],
  }
}

const stepView = (body: Json): View => ({
  role: 'tool',
  blocks: [resultBlock('', textIn(body), false, (asString(field(body, 'type')) ?? '').toLowerCase())],
})

/** Antigravity: the steps of a conversation, a line each. */
export const antigravity = defineFormat({
  name: 'antigravity',
  detect: ({ lines: objects }) => objects.some(isStep),
  record: (_name, _folder, above) => ({
    time: 'created_at',
    carries: (step) => (isStep(step) && hasContent(step) ? kindOf(step) : undefined),
    known: idIn(above),
  }),
  entries: {
    user: { body: BODY, view: messageView('user') },
    planner: { body: BODY, view: plannerView },
    checkpoint: { body: BODY, view: (body) => compactionView(textIn(body)) },
    system: { body: BODY, view: messageView('system') },
    step: { body: BODY, view: stepView },
  },
  known: {
    written: '2026-08',
    types: {
      type: words(`
        USER_INPUT PLANNER_RESPONSE SYSTEM_MESSAGE CHECKPOINT CONVERSATION_HISTORY CODE_ACTION RUN_COMMAND COMMAND_STATUS
        VIEW_FILE VIEW_FILE_OUTLINE VIEW_CODE_ITEM LIST_DIRECTORY FIND GREP_SEARCH CODEBASE_SEARCH SEARCH_WEB
        READ_URL_CONTENT BROWSER_NAVIGATE BROWSER_SUBAGENT MCP_TOOL MEMORY TASK_BOUNDARY NOTIFY_USER GENERATE_IMAGE
        ERROR_MESSAGE EPHEMERAL_MESSAGE KNOWLEDGE_ARTIFACTS GENERIC
      `),
    },
    fields: {
      '': words(`
        step_index source type status created_at content thinking promptVariant tool_calls telemetry truncated_fields
      `),
      tool_calls: words('name args'),
    },
  },
})

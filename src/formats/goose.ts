import { asString, field, isObject, items, type Json, type JsonObject, jsonText } from '../model/json.ts'
import type { Block, View } from '../model/view.ts'
import { type AllowList, all, byType, defineFormat, each } from './core/define.ts'
import type { Facts } from './core/format.ts'
import { words } from './core/known.ts'
import type { Sample } from './core/sample.ts'
import { factsOf, millis, rowOf } from './core/values.ts'
import {
  blocksOf,
  callBlock,
  compactionView,
  countsIn,
  resultBlock,
  roleNamed,
  textIn,
  textOfOutput,
  thinkingBlock,
} from './core/views.ts'

const contentBlocks = (body: Json): Block[] =>
  items(field(body, 'content_json') ?? field(body, 'content')).flatMap(blocksIn)

function messageView(body: Json): View {
  const blocks = contentBlocks(body)
  const answers = blocks.length > 0 && blocks.every((block) => block.kind === 'toolResult')
  return { role: answers ? 'tool' : roleNamed(field(body, 'role')), blocks }
}

function blocksIn(item: Json): Block[] {
  const id = asString(field(item, 'id')) ?? ''
  switch (field(item, 'type')) {
    case 'toolRequest':
    case 'frontendToolRequest': {
      const call = field(item, 'toolCall')
      const value = field(call, 'value') ?? call
      return [callBlock(id, field(value, 'name'), field(value, 'arguments'))]
    }
    case 'toolResponse':
      return [resultOf(id, field(item, 'toolResult'))]
    case 'thinking':
    case 'reasoning':
      return [thinkingBlock(field(item, 'thinking') ?? field(item, 'text'), field(item, 'signature'))]
    case 'redactedThinking':
      return [thinkingBlock('', field(item, 'data'), true)]
    case 'text':
    case 'image':
      return blocksOf([item])
    default:
      return []
  }
}

/** A result is what the tool gave, as `value`, or `error`, why there is none. */
function resultOf(id: string, result: Json | undefined): Block {
  const failed = field(result, 'error')
  if (failed !== undefined) return resultBlock(id, asString(failed) ?? jsonText(failed), true)
  const value = field(result, 'value') ?? result
  const content = isObject(value) ? value.content : value
  return resultBlock(id, textOfOutput(content), field(value, 'isError') === true)
}

const isHeader = (value: Json | undefined): boolean =>
  field(value, 'working_dir') !== undefined && field(value, 'role') === undefined

/** Before the database, a file began with the session's metadata: its folder, its number of messages and tokens. */
function detect({ lines: [first] }: Sample): boolean {
  if (field(rowOf(first, 'sessions'), 'working_dir') !== undefined) return true
  return (
    isHeader(first) &&
    ['description', 'message_count', 'total_tokens'].some((key) => field(first, key) !== undefined)
  )
}

const factsIn = (session: JsonObject): Facts =>
  factsOf({
    id: asString(session.id),
    title: asString(session.name) || asString(session.description),
    cwd: asString(session.working_dir),
    parent: asString(session.parent_session_id),
    created: timeOf(session.created_at),
    usage: countsIn(session, { input: 'accumulated_input_tokens', output: 'accumulated_output_tokens' })
      .usage,
  })

/** SQLite writes times without a zone; they are UTC. */
function timeOf(value: Json | undefined): number | undefined {
  const text = asString(value)
  return millis(
    text !== undefined && /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/.test(text) ? `${text.replace(' ', 'T')}Z` : value,
  )
}

/** An item of a message. One of another type is taken whole, because any of its fields may hold text. */
const item = byType({
  text: all('type', 'text'),
  image: all('type', 'data', 'mimeType'),
  toolRequest: all('type', 'id', 'toolCall'),
  frontendToolRequest: all('type', 'id', 'toolCall'),
  toolResponse: all('type', 'id', 'toolResult'),
  thinking: all('type', 'thinking', 'signature'),
  redactedThinking: all('type', 'data'),
  reasoning: all('type', 'text'),
})
const BODY: AllowList = { ...all('role'), content: each(item), content_json: each(item) }

/** The types of content. */
const BLOCKS = words(`
  text image thinking redactedThinking reasoning toolRequest toolResponse toolConfirmationRequest actionRequired
  frontendToolRequest contextLengthExceeded summarizationRequested conversationCompacted systemNotification
`)

/** The sessions of Goose: the rows of its database, and the lines of the files that it kept before. */
export const goose = defineFormat({
  name: 'goose',
  rewrittenWhole: true,
  detect,
  known: {
    written: '2026-08',
    types: {
      table: words('sessions messages'),
      'content.type': BLOCKS,
      'row.content_json.type': BLOCKS,
    },
    fields: {
      '': words(`
        table row working_dir description message_count total_tokens input_tokens output_tokens
        accumulated_total_tokens accumulated_input_tokens accumulated_output_tokens schedule_id recipe
        extension_data name id role created content metadata
      `),
      row: words(`
        id name description user_set_name session_type working_dir created_at updated_at extension_data total_tokens
        input_tokens output_tokens accumulated_total_tokens accumulated_input_tokens accumulated_output_tokens
        accumulated_cost schedule_id recipe_json user_recipe_values_json provider_name model_config_json goose_mode
        thread_id archived_at project_id
        message_id session_id role content_json created_timestamp timestamp tokens metadata_json
      `),
    },
  },
  record: (name) => {
    const stem = name.replace(/\.jsonl$/, '')
    const state = new GooseState()
    const messageIn = (record: JsonObject): JsonObject => rowOf(record, 'messages') ?? record
    const sessionIn = (record: JsonObject): JsonObject | undefined =>
      rowOf(record, 'sessions') ?? (!state.isKnown && isHeader(record) ? { id: stem, ...record } : undefined)
    const isMessage = (record: JsonObject): boolean => asString(messageIn(record).role) !== undefined
    return {
      state,
      id: (record) => (isMessage(record) ? idOf(messageIn(record)) : undefined),
      time: (record) => {
        const { created_timestamp, created } = messageIn(record)
        return isMessage(record) ? millis(created_timestamp ?? created) : undefined
      },
      facts(record) {
        const session = sessionIn(record)
        state.isKnown ||= session !== undefined
        return session && factsIn(session)
      },
      carries(record) {
        if (!isMessage(record)) return undefined
        const message = messageIn(record)
        const metadata = message.metadata_json ?? message.metadata
        const kind = state.wasHidden && field(metadata, 'userVisible') === false ? 'summary' : 'message'
        state.wasHidden = field(metadata, 'agentVisible') === false
        return message === record ? kind : { kind, bodyPath: ['row'] }
      },
    }
  },
  entries: {
    message: { body: BODY, view: messageView },
    summary: { body: BODY, view: (body) => compactionView(textIn(contentBlocks(body))) },
  },
})

/** The state of reading a session of Goose. */
class GooseState {
  /** Whether its header was read. */
  isKnown = false
  /**
   * Whether the last message is hidden from the model. When Goose compacts, it hides what the model has, and adds a summary
   * that only the model sees.
   */
  wasHidden = false
}

const idOf = ({ message_id, id }: JsonObject): string | undefined =>
  asString(message_id) ?? (typeof id === 'number' ? `${id}` : asString(id))

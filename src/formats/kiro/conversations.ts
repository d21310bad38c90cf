import { asString, field, isObject, items, type Json, type JsonObject, jsonText } from '../../model/json.ts'
import { parseJson } from '../../model/value.ts'
import type { Block } from '../../model/view.ts'
import { all, type CarriedEntry, defineFormat, each, fields } from '../core/define.ts'
import type { Facts } from '../core/format.ts'
import { words } from '../core/known.ts'
import { factsOf, fieldAt, millis, rowOf } from '../core/values.ts'
import { callBlock, compactionView, resultBlock, speakerOf, textBlock } from '../core/views.ts'
import { imageIn, KIRO } from './events.ts'

/** The row of a conversation; older releases have another table. */
const conversationIn = (line: Json | undefined): JsonObject | undefined =>
  rowOf(line, 'conversations_v2') ?? rowOf(line, 'conversations')

/** Returns the conversation in a row: a document over several lines is a text there. */
function documentIn(row: JsonObject | undefined): Json | undefined {
  const text = asString(row?.value)
  return text === undefined ? row?.value : parseJson(text)?.value
}

/** The kinds of what the user sends: a prompt, results, or a prompt in place of calls that were cancelled. */
const PROMPTS = ['Prompt', 'CancelledToolUses'] as const
const RESULTS = ['ToolUseResults', 'CancelledToolUses'] as const

const userBlocks = (content: Json | undefined): Block[] => [
  ...RESULTS.flatMap((kind) => items(fieldAt(content, kind, 'tool_use_results')).map(resultIn)),
  ...PROMPTS.flatMap((kind) => textBlock(fieldAt(content, kind, 'prompt'))),
]

function resultIn(result: Json): Block {
  const text = items(field(result, 'content')).map((part) => {
    const said = asString(field(part, 'Text'))
    return said ?? jsonText(field(part, 'Json') ?? part)
  })
  const isError = asString(field(result, 'status'))?.toLowerCase() === 'error'
  return resultBlock(field(result, 'tool_use_id'), text.join('\n'), isError)
}

const answerBlocks = (answer: Json | undefined): Block[] => [
  ...textBlock(field(answer, 'content')).filter((block) => block.kind === 'text' && block.text !== ''),
  ...items(field(answer, 'tool_uses')).map((call) =>
    callBlock(field(call, 'id'), field(call, 'name'), field(call, 'args')),
  ),
]

const ANSWER = fields({
  content: (content) => content,
  tool_uses: each(fields(all('id', 'name', 'args'))),
})

/** Returns what tells the entry of a line: the summary of a compaction, the user's part of a turn, or the answer. */
function entryIn(line: JsonObject): CarriedEntry | undefined {
  const row = conversationIn(line)
  if (row) {
    const summary = field(documentIn(row), 'latest_summary')
    const text = asString(summary) ?? asString(items(summary)[0])
    return text === undefined ? undefined : { kind: 'summary', body: { summary: text } }
  }
  for (const [key, kind] of SPEAKERS) if (isObject(line[key])) return { kind, bodyPath: [key] }
  return undefined
}

/** The keys of the parts of a turn; in older releases it is a list of both. */
const SPEAKERS = [
  ['user', 'user'],
  ['assistant', 'assistant'],
  ['0', 'user'],
  ['1', 'assistant'],
] as const

/** Collects the facts of the rows: the first is the newest, the others name further folders. */
class RowFacts {
  private readonly folders: string[] = []

  of(line: JsonObject): Facts | undefined {
    const row = conversationIn(line)
    if (!row) return undefined
    const value = documentIn(row)
    const folder = asString(row.key)
    const isFirst = this.folders.length === 0
    if (folder !== undefined) this.folders.unshift(folder)
    return factsOf({
      id: asString(row.conversation_id) ?? asString(field(value, 'conversation_id')),
      cwd: isFirst ? folder : undefined,
      // The list grows with the rows that follow.
      folders: isFirst ? undefined : this.folders,
      created: millis(row.created_at),
      model: asString(fieldAt(value, 'model_info', 'model_id')) ?? asString(field(value, 'model')),
    })
  }
}

/** Kiro's first engine: the rows of its database. */
export const kiroDatabase = defineFormat({
  name: 'kiro-database',
  rewrittenWhole: true,
  detect: ({ lines: [first] }) => field(documentIn(conversationIn(first)), 'history') !== undefined,
  record: () => {
    const rows = new RowFacts()
    return {
      state: rows,
      id: ({ assistant }) =>
        asString(fieldAt(assistant, 'ToolUse', 'message_id') ?? fieldAt(assistant, 'Response', 'message_id')),
      time: ({ user, request_metadata: request }) =>
        millis(field(user, 'timestamp') ?? field(request, 'stream_end_timestamp_ms')),
      carries: entryIn,
      facts: (line) => rows.of(line),
    }
  },
  entries: {
    user: {
      body: all('additional_context', 'content', 'images'),
      view: (body) => {
        const blocks = [
          ...userBlocks(field(body, 'content')),
          ...items(field(body, 'images')).flatMap(imageIn),
        ]
        return { role: speakerOf('user', blocks), blocks }
      },
    },
    assistant: {
      body: { ToolUse: ANSWER, Response: ANSWER },
      view: (body) => ({
        role: 'assistant',
        blocks: [...answerBlocks(field(body, 'ToolUse')), ...answerBlocks(field(body, 'Response'))],
      }),
    },
    summary: { view: (body) => compactionView(field(body, 'summary')) },
  },
  known: {
    written: '2026-10',
    fields: {
      '': words('rows 0 1 user assistant request_metadata'),
      rows: words('conversations conversations_v2'),
      user: words('additional_context env_context content timestamp images'),
      'user.content': words('Prompt ToolUseResults CancelledToolUses'),
      assistant: words('ToolUse Response'),
      'assistant.ToolUse': words('message_id content tool_uses'),
      'assistant.Response': words('message_id content'),
    },
  },
  agent: KIRO,
})

import { asString, field, items, type Json, type JsonObject } from '../model/json.ts'
import type { Block, View } from '../model/view.ts'
import { type AllowList, all, defineFormat, each, fields } from './core/define.ts'
import type { Facts, RecordIndex } from './core/format.ts'
import { words } from './core/known.ts'
import { factsAt, factsOf, fieldAt, millis, rowOf } from './core/values.ts'
import {
  blocksOf,
  callBlock,
  compactionView,
  imageBlock,
  modelIn,
  parsedArguments,
  resultBlock,
  roleNamed,
  textIn,
  thinkingBlock,
} from './core/views.ts'

const blocksIn = (body: Json): Block[] => items(field(body, 'parts')).flatMap(partBlocks)

const settingIn = (body: Json): Pick<View, 'sets'> =>
  modelIn(field(body, 'model') || undefined, field(body, 'provider') || undefined)

const messageView = (body: Json): View => ({
  role: roleNamed(field(body, 'role')),
  blocks: blocksIn(body),
  ...settingIn(body),
})

const summaryView = (body: Json): View => ({
  ...compactionView(textIn(blocksIn(body))),
  ...settingIn(body),
})

function partBlocks(part: Json): Block[] {
  const data = field(part, 'data')
  const of = (key: string): string => asString(field(data, key)) ?? ''
  switch (field(part, 'type')) {
    case 'text':
      return [{ kind: 'text', text: of('text') }]
    case 'reasoning':
      return [thinkingBlock(of('thinking'), of('signature'))]
    case 'tool_call':
      return [callBlock(of('id'), of('name'), parsedArguments(of('input')))]
    case 'tool_result': {
      const error = field(data, 'is_error') === true
      const result = resultBlock(of('tool_call_id'), of('content'), error, of('name'))
      return [result, ...imageOf(of('mime_type'), of('data'))]
    }
    case 'image_url':
      return blocksOf([{ type: 'image', source: { url: of('url') } }])
    case 'binary': {
      // The keys of a file may be spelled as the fields of Crush's own type.
      const type = of('MIMEType') || of('mime_type')
      const image = imageOf(type, of('Data') || of('data'))
      return image.length > 0 ? image : [{ kind: 'text', text: `[${type}: ${of('Path') || of('path')}]` }]
    }
    default:
      return []
  }
}

const imageOf = (type: string, data: string): Block[] =>
  type.startsWith('image/') ? [imageBlock(type, data)] : []

const factsIn = (session: JsonObject): Facts =>
  factsOf({
    ...factsAt(session, { id: 'id', title: 'title', parent: 'parent_session_id', created: 'created_at' }),
    usage: typeof session.cost === 'number' && session.cost > 0 ? { cost: session.cost } : undefined,
  })

/** Crush names the session of a sub-agent by the message and the call in it that started it. */
const startedIn = ({ id, parts }: JsonObject): string[] =>
  items(parts).flatMap((part) => {
    const [name, call] = ['name', 'id'].map((key) => asString(fieldAt(part, 'data', key)))
    const starts = field(part, 'type') === 'tool_call' && name !== undefined && STARTS.has(name)
    return starts && call !== undefined ? [`${asString(id)}$$${call}`] : []
  })

const STARTS: ReadonlySet<string> = new Set(['agent', 'agentic_fetch'])

const PART = fields({
  type: (type) => type,
  data: fields({
    ...all('text', 'thinking', 'signature', 'url', 'detail', 'path', 'mime_type', 'data'),
    ...all('Path', 'MIMEType', 'Data'),
    ...all('id', 'name', 'input', 'tool_call_id', 'content', 'is_error', 'reason', 'message', 'details'),
  }),
})

const BODY: AllowList = { ...all('role', 'model', 'provider'), parts: each(PART) }

/** The state of reading a session of Crush. */
class CrushState {
  /** The message with which the context begins again, where no message is marked as a summary. */
  summary: string | undefined
  readonly subagents = new Map<string, RecordIndex>()
}

/** The sessions of Crush: the rows of its database. */
export const crush = defineFormat({
  name: 'crush',
  reading: 2,
  rewrittenWhole: true,
  detect: ({ lines: [first] }) => field(rowOf(first, 'sessions'), 'parent_session_id') !== undefined,
  projectLevels: (_name, folder) => (folder === '.crush' ? 1 : undefined),
  known: {
    written: '2026-08',
    types: {
      table: words('sessions messages'),
      'row.parts.type': words('text reasoning image_url binary tool_call tool_result finish shell_command'),
    },
    fields: {
      '': words('table row'),
      row: words(`
        id parent_session_id title message_count prompt_tokens completion_tokens cost summary_message_id todos created_at
        updated_at session_id role parts model provider is_summary_message finished_at
      `),
      'row.parts': words('type data'),
    },
  },
  record: () => {
    const state = new CrushState()
    return {
      state,
      id: (record) => asString(rowOf(record, 'messages')?.id),
      time: (record) => millis(rowOf(record, 'messages')?.created_at),
      carries(record) {
        const message = rowOf(record, 'messages')
        if (!message) return undefined
        const isSummary =
          message.is_summary_message === 1 || (state.summary !== undefined && message.id === state.summary)
        return isSummary ? 'summary' : 'message'
      },
      facts(record, at) {
        const [session, message] = [rowOf(record, 'sessions'), rowOf(record, 'messages')]
        if (session) state.summary = asString(session.summary_message_id)
        const started = message ? startedIn(message) : []
        for (const id of started) state.subagents.set(id, at)
        if (session) return factsIn(session)
        return started.length > 0 ? { subagents: state.subagents } : undefined
      },
    }
  },
  at: ['row'],
  entries: {
    message: { body: BODY, view: messageView },
    summary: { body: BODY, view: summaryView },
  },
  agent: { title: 'Crush', resume: ({ id }) => ['crush', '--session', id] },
})

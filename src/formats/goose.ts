import { asString, field, isObject, items, type Json, type JsonObject, jsonText } from '../model/json.ts'
import { type Block, OPAQUE, ROLES, type View } from '../model/view.ts'
import { blocksOf, wordsIn } from './core/contentblocks.ts'
import { defineFormat, entriesOf } from './core/define.ts'
import { type AllowList, all, byType, each, selectFields } from './core/fields.ts'
import type { Facts } from './core/format.ts'
import { linear, type Told } from './core/linearreader.ts'
import type { Sample } from './core/sample.ts'
import { countsIn } from './core/usage.ts'
import { factsOf, millis, rowOf } from './core/values.ts'

/** Returns what an entry of Goose means, from its kind and body. */
function view(kind: string, body: Json): View {
  const content = field(body, 'content_json') ?? field(body, 'content')
  const blocks = items(content).flatMap(blocksIn)
  if (kind === 'summary') {
    const summary = blocks.flatMap((block) => (block.kind === 'text' ? [block.text] : [])).join('\n')
    return { ...OPAQUE, effect: { kind: 'compaction', summary } }
  }
  const name = asString(field(body, 'role'))
  const role = ROLES.find((known) => known === name) ?? null
  const answers = blocks.length > 0 && blocks.every((block) => block.kind === 'toolResult')
  return { role: answers ? 'tool' : role, blocks }
}

function blocksIn(item: Json): Block[] {
  const id = asString(field(item, 'id')) ?? ''
  switch (field(item, 'type')) {
    case 'toolRequest':
    case 'frontendToolRequest': {
      const call = field(item, 'toolCall')
      const value = field(call, 'value') ?? call
      const input = field(value, 'arguments') ?? {}
      return [{ kind: 'toolCall', id, name: asString(field(value, 'name')) ?? '', input }]
    }
    case 'toolResponse':
      return [resultOf(id, field(item, 'toolResult'))]
    case 'thinking':
    case 'reasoning':
      return [thought(item)]
    case 'redactedThinking': {
      const value = asString(field(item, 'data')) ?? ''
      return [{ kind: 'thinking', text: '', seal: { api: 'anthropic', value, redacted: true } }]
    }
    case 'text':
    case 'image':
      return blocksOf([item])
    default:
      return []
  }
}

function thought(item: Json): Block {
  const value = asString(field(item, 'signature'))
  const text = asString(field(item, 'thinking') ?? field(item, 'text')) ?? ''
  return { kind: 'thinking', text, ...(value && { seal: { api: 'anthropic', value } }) }
}

/** A result is what the tool gave, as `value`, or `error`, why there is none. */
function resultOf(id: string, result: Json | undefined): Block {
  const failed = field(result, 'error')
  if (failed !== undefined)
    return { kind: 'toolResult', id, text: asString(failed) ?? jsonText(failed), error: true }
  const value = field(result, 'value') ?? result
  const content = isObject(value) ? value.content : value
  return { kind: 'toolResult', id, text: wordsIn(content), error: field(value, 'isError') === true }
}

const isHeader = (value: Json | undefined): boolean =>
  field(value, 'working_dir') !== undefined && field(value, 'role') === undefined

/** Before the database, a file began with what the session is: where it works, and how many messages and tokens it has. */
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

/** An item of a message. One of another type is taken whole: any of its fields may hold the words. */
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

/** When Goose compacts, it hides from the model what it has, and puts behind it a summary that only the model sees. */
function spoken(
  message: JsonObject,
  { compacts, at }: { readonly compacts: boolean; readonly at?: readonly string[] },
): Told {
  const time = millis(message.created_timestamp ?? message.created)
  const native =
    asString(message.message_id) ??
    (typeof message.id === 'number' ? String(message.id) : asString(message.id))
  return {
    entry: {
      type: compacts ? 'goose/summary' : 'goose/message',
      body: selectFields(message, BODY),
      ...(at && { bodyPath: at }),
    },
    ...(time !== undefined && { time }),
    ...(native !== undefined && { native }),
  }
}

/** The sessions of Goose: the rows of its database, and the lines of the files that it kept before. */
export const goose = defineFormat({
  name: 'goose',
  rewrittenWhole: true,
  detect,
  reader: (name) => {
    const stem = name.replace(/\.jsonl$/, '')
    let facts: Facts | undefined
    let hidden = false
    return linear(
      ({ value }) => {
        const row = rowOf(value, 'messages')
        const header = !facts && isHeader(value) && isObject(value) ? { id: stem, ...value } : undefined
        const session = rowOf(value, 'sessions') ?? header
        const message = row ?? value
        if (session) facts = factsIn(session)
        if (session || !isObject(message) || asString(message.role) === undefined) return {}
        const metadata = message.metadata_json ?? message.metadata
        const compacts = hidden && field(metadata, 'userVisible') === false
        hidden = field(metadata, 'agentVisible') === false
        return spoken(message, { compacts, ...(row && { at: ['row'] }) })
      },
      () => facts ?? {},
    )
  },
  entries: entriesOf(['message', 'summary'], BODY, view),
})

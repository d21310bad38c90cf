import { asString, field, isObject, type Json, type JsonObject } from '../../model/json.ts'
import type { Facts, Format, Sample } from '../format.ts'
import { millis } from '../hints.ts'
import { linear, type Told } from '../linear.ts'
import { lines } from '../lines.ts'
import { factsOf, rowOf } from '../rows.ts'
import { all, byType, chosen, each, type Fields } from '../select.ts'
import { countsIn } from '../usage.ts'
import { view } from './view.ts'

/** The sessions of Goose: the rows of its database, and the lines of the files that it kept before. */
export const goose: Format = {
  name: 'goose',
  dialect: 'goose',
  reading: 1,
  conversational: true,
  rewrittenWhole: true,
  detect,
  splitter: lines,
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
  view,
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
const BODY: Fields = { ...all('role'), content: each(item), content_json: each(item) }

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
      body: chosen(message, BODY),
      ...(at && { bodyPath: at }),
    },
    ...(time !== undefined && { time }),
    ...(native !== undefined && { native }),
  }
}

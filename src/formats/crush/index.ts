import { asString, field, type JsonObject } from '../../model/json.ts'
import type { Facts, Format } from '../format.ts'
import { millis } from '../hints.ts'
import { linear, type Told } from '../linear.ts'
import { lines } from '../lines.ts'
import { factsOf, rowOf } from '../rows.ts'
import { all, chosen, each, fields } from '../select.ts'
import { view } from './view.ts'

/** The sessions of Crush: the rows of its database. */
export const crush: Format = {
  name: 'crush',
  dialect: 'crush',
  reading: 1,
  conversational: true,
  rewritten: true,
  detect: ({ lines: [first] }) => field(rowOf(first, 'sessions'), 'parent_session_id') !== undefined,
  splitter: lines,
  reader: () => {
    let summary: string | undefined
    let facts: Facts = {}
    return linear(
      ({ value }) => {
        const session = rowOf(value, 'sessions')
        const message = rowOf(value, 'messages')
        if (session) {
          summary = asString(session.summary_message_id)
          facts = factsIn(session)
        }
        return message ? spoken(message, summary) : {}
      },
      () => facts,
    )
  },
  view,
}

const factsIn = (session: JsonObject): Facts =>
  factsOf({
    id: asString(session.id),
    title: asString(session.title),
    parent: asString(session.parent_session_id),
    created: millis(session.created_at),
  })

const PART = fields({
  type: (type) => type,
  data: fields({
    ...all('text', 'thinking', 'signature', 'url', 'detail', 'path', 'mime_type', 'data'),
    ...all('id', 'name', 'input', 'tool_call_id', 'content', 'is_error', 'reason', 'message', 'details'),
  }),
})

/** `summary` is the message with which the context begins anew, where messages do not say so themselves. */
function spoken(message: JsonObject, summary: string | undefined): Told {
  const [time, native] = [millis(message.created_at), asString(message.id)]
  const compacts = message.is_summary_message === 1 || (native !== undefined && native === summary)
  return {
    entry: {
      type: compacts ? 'crush/summary' : 'crush/message',
      body: chosen(message, { ...all('role', 'model', 'provider'), parts: each(PART) }),
      at: ['row'],
    },
    ...(time !== undefined && { time }),
    ...(native !== undefined && { native }),
  }
}

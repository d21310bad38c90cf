import { asString, field, isObject, type Json } from '../model/json.ts'
import { ROLES } from '../model/view.ts'
import { blocksOf } from './core/contentblocks.ts'
import { defineFormat } from './core/define.ts'
import type { Sample } from './core/format.ts'
import { millis } from './pi/read.ts'
import { all } from './core/fields.ts'
import { speakerOf } from './core/speaker.ts'

/**
 * Others name more in their messages, or keep such lines as the messages of a session that has other files. Beyond that
 * only their care tells these lines: keys in one order, times in UTC to the millisecond that never go back, and a
 * beginning that is not the model's.
 */
function detect({ name, lines: records }: Sample): boolean {
  const messages = records.filter(isMessage)
  const times = messages.map(({ timestamp }) => asString(timestamp) ?? '')
  return (
    name !== 'messages.jsonl' &&
    messages.length === records.length &&
    STARTS.has(messages[0]?.role) &&
    messages.every((message) => Object.keys(message).join() === 'role,content,timestamp') &&
    times.every((time, i) => STAMP.test(time) && (times[i - 1] ?? '') <= time)
  )
}

const STARTS: ReadonlySet<Json | undefined> = new Set(['user', 'system'])
const STAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

const isMessage = (value: Json | undefined): value is { readonly [key: string]: Json } =>
  isObject(value) &&
  ROLES.some((role) => role === value.role) &&
  typeof value.content === 'string' &&
  !Number.isNaN(Date.parse(asString(value.timestamp) ?? ''))

/** The sessions of Clawdbot, which became OpenClaw: lines of messages, each with its time, and nothing else. */
export const clawdbot = defineFormat({
  name: 'clawdbot',
  detect,
  record: {
    time: ({ timestamp }) => millis(timestamp),
    kind: (record) => (isMessage(record) ? 'message' : undefined),
  },
  entries: {
    message: {
      body: all('role', 'content'),
      view: (body) => {
        const blocks = blocksOf(field(body, 'content'))
        return { role: speakerOf(field(body, 'role'), blocks), blocks }
      },
    },
  },
})

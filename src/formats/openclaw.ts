import { asString, field, isObject, type Json, type JsonObject } from '../model/json.ts'
import { all, defineFormat } from './core/define.ts'
import type { Sample } from './core/sample.ts'
import { blocksOf, roleNamed, speakerOf } from './core/views.ts'
import { ENTRIES } from './pi/entries.ts'
import { KNOWN } from './pi/known.ts'
import { PI, PiReader, millis as piMillis } from './pi/read.ts'

/** Without a mark of OpenClaw a file is the same in both agents, and is pi's but where OpenClaw keeps its own. */
function detect({ name, folder, lines: [header, ...records], above }: Sample): boolean {
  const id = field(header, 'id')
  if (field(header, 'type') !== 'session' || typeof id !== 'string') return false
  if (field(header, 'version') !== 3 && typeof field(header, 'version') !== 'string') return false
  return (
    typeof field(header, 'version') === 'string' ||
    above?.includes('.openclaw') === true ||
    name === 'openclaw-agent.sqlite' ||
    (folder === 'sessions' && above?.[1] === 'agents') ||
    records.some((record) => isOwn(record, id))
  )
}

/** The first records name the session as their parent; its own additions have its name. */
const isOwn = (record: Json, id: string): boolean =>
  isObject(record) &&
  (record.parentId === id ||
    /^openclaw\b/.test(asString(record.customType) ?? '') ||
    field(record.message, 'provider') === 'openclaw')

/**
 * The sessions of OpenClaw: the tree of pi, version 3, as an agent writes it that has pi inside. The first records may
 * name the session as their parent, and a tool's result its call.
 */
export const openclaw = defineFormat({
  name: 'openclaw',
  detect,
  reader: () => new PiReader({ ...PI, name: 'openclaw' }),
  entries: ENTRIES,
  agent: {
    title: 'OpenClaw',
    resume: () => [],
    opens: () => 'OpenClaw goes on with the chat that has the session: openclaw tui --session KEY',
  },
  known: { ...KNOWN, written: '2026-08' },
})

/**
 * Other agents have more fields in such messages, or keep such lines in a file of another name. Otherwise only
 * regularity identifies these lines: keys in one order, UTC times with milliseconds that never decrease, and a first
 * message that is not the model's.
 */
function isClawdbot({ name, lines: records }: Sample): boolean {
  const messages = records.filter(isClawdbotMessage)
  const times = messages.map(({ timestamp }) => asString(timestamp) ?? '')
  return (
    name !== 'messages.jsonl' &&
    messages.length === records.length &&
    FIRST_ROLES.has(messages[0]?.role) &&
    messages.every((message) => Object.keys(message).join() === 'role,content,timestamp') &&
    times.every((time, i) => STAMP.test(time) && (times[i - 1] ?? '') <= time)
  )
}

const FIRST_ROLES: ReadonlySet<Json | undefined> = new Set(['user', 'system'])
const STAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

const isClawdbotMessage = (value: Json | undefined): value is JsonObject =>
  isObject(value) &&
  roleNamed(value.role) !== null &&
  typeof value.content === 'string' &&
  !Number.isNaN(Date.parse(asString(value.timestamp) ?? ''))

/** The sessions of Clawdbot, which became OpenClaw: lines of messages, each with its time, and nothing else. */
export const clawdbot = defineFormat({
  name: 'clawdbot',
  detect: isClawdbot,
  record: {
    time: ({ timestamp }) => piMillis(timestamp),
    carries: (record) => (isClawdbotMessage(record) ? 'message' : undefined),
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
  known: { written: '2026-01', fields: { '': ['timestamp'] } },
})

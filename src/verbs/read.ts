import { defined } from '../model/json.ts'
import type { Turn } from '../model/turn.ts'
import { entryCursor } from '../ops/rows/cursor.ts'
import { current, flag, optional } from './input.ts'
import { first } from './page.ts'
import {
  anyOf,
  anything,
  arrayOf,
  boolean,
  described,
  integer,
  nullable,
  object,
  oneOf,
  string,
} from './schema.ts'
import { count, revision, text } from './values.ts'
import { list, sentAs } from './verb.ts'
import { oidSchema, subagentsSchema, timestamp, USAGE_TOTALS } from './wire.ts'

const answer = object({
  oid: described('the entry that holds it', oidSchema),
  error: boolean,
  text: described('its first line; with tools all of it', string),
  lines: described('how many lines it has', integer),
})

const part = anyOf(
  object({
    kind: oneOf('text', 'thinking', 'aside'),
    oid: oidSchema,
    text: described('of an aside: what the agent says in the name of the user, or as the system', string),
  }),
  object({
    kind: oneOf('tool'),
    oid: oidSchema,
    name: described('null where only the result is there', nullable(string)),
    input: anything,
    result: nullable(answer),
    agents: described('the sub-agents that it started', subagentsSchema),
  }),
  object({ kind: oneOf('image'), oid: oidSchema, mediaType: string, bytes: integer }),
  object({
    kind: oneOf('mark'),
    oid: oidSchema,
    does: oneOf('compaction', 'summary', 'edit', 'merge', 'rollback', 'setting'),
    text: described('the summary, the new words, the setting, or the number of turns', string),
  }),
)

const turn = sentAs(
  object(
    {
      session: nullable(string),
      oid: described('its first entry', oidSchema),
      who: described(
        'null for what nobody says, such as a compaction',
        nullable(oneOf('user', 'assistant', 'system')),
      ),
      continues: described('whether it goes on with the turn before it: long turns come in pieces', boolean),
      time: nullable(timestamp),
      model: nullable(string),
      parts: arrayOf(part),
    },
    { usage: described('with meta: that of its model calls, each counted once', object(USAGE_TOTALS)) },
  ),
  (one: Turn) => one,
)

/** Returns the cursor of an entry in a list of turns: a page before it ends there, and one after it begins there. */
export const cursorOfEntry = entryCursor

export const read = list({
  name: 'read',
  summary: 'read a conversation, from its beginning on',
  input: {
    revision: current(revision(), 'a session, an entry, or a range A..B'),
    limit: optional(count(), 'show at most N turns'),
    at: optional(text('oid'), 'of a page: begin with the turn of this entry', {
      excludes: ['after', 'before'],
    }),
    tools: flag('show whole calls and results of tools'),
    meta: flag('show entries, models, settings, tokens and cost'),
  },
  item: turn,
  cursor: entryCursor,
  items: async function* ({ repo, priceOf }, { revision: name, limit, tools, meta }) {
    // Loaded while the database opens.
    const { turns } = await import('../ops/read/read.ts')
    yield* first(turns(repo, name, { whole: tools, meta, priceOf }), limit)
  },
  page: ({ repo, priceOf }, { revision: name, tools, meta, at }, options) =>
    import('../ops/read/read.ts').then(({ turnPage }) =>
      turnPage(repo, name, { ...options, ...defined({ at }), whole: tools, meta, priceOf }),
    ),
})

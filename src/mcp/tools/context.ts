import { context as contextVerb } from '../../verbs/context.ts'
import { handoff } from '../../verbs/handoff.ts'
import { optional, required } from '../../verbs/input.ts'
import { described, integer, nullable, object, string } from '../../verbs/schema.ts'
import type { ContextMessage } from '../../verbs/types.ts'
import { revision, text } from '../../verbs/values.ts'
import { perform } from '../../verbs/verb.ts'
import { CITED, cited } from '../cited.ts'
import { textOfView } from '../entrytext.ts'
import { Quoted } from '../quoted.ts'
import { sessionOf, timesOf } from '../times.ts'
import { type Answer, PER_TOKEN, readTool, type ToolCall } from '../tool.ts'

/** The part of an answer that its texts have: the rest names where they are from. */
const SHARE = 0.75

export const context = readTool({
  name: 'context',
  title: 'Get the context of a session, or a briefing for a goal',
  description: `Get what the model of a session saw at an entry, fitted to budget: old results are dropped first, then old messages. Use it to go on with former work. With goal it is a briefing (a handoff) instead: where the work comes from, what was said that bears on the goal, and a digest of the session; prefer that for long sessions.`,
  input: {
    revision: required(revision(), 'a session, or the oid of an entry'),
    goal: optional(text('goal'), 'the task that is to be done now: returns a briefing for it'),
  },
  about: { tokens: described('of the whole, estimated', nullable(integer)) },
  item: object({ ...CITED, role: nullable(string), part: string, text: string }),
  run: (call, { revision: name, goal }) =>
    goal === undefined ? fitted(call, name) : briefing(call, name, goal),
})

async function briefing({ context: call, room }: ToolCall, name: string, goal: string): Promise<Answer> {
  const { result } = await perform(handoff, call, { goal, revision: name })
  if (!result) return { items: [] }
  const { session, tip, text: written } = result
  const quote = new Quoted(written, { limit: Math.floor(room * 0.9), lines: true })
  const from = session ?? (await sessionOf(call, name))
  const times = await timesOf(call, from, [tip])
  return {
    about: { tokens: null },
    items: [
      {
        data: {
          ...cited({ session: from, oid: tip, time: times.get(tip) ?? null }),
          role: null,
          part: 'briefing',
          text: quote,
        },
      },
    ],
    left:
      quote.rest > 0
        ? `${quote.rest} characters of the briefing did not fit: ask for a larger budget.`
        : undefined,
  }
}

async function fitted({ context: call, room }: ToolCall, name: string): Promise<Answer> {
  const texts = Math.floor(room * SHARE)
  const budget = Math.floor(texts / PER_TOKEN)
  const { result } = await perform(contextVerb, call, { revision: name, budget })
  if (!result) return { items: [] }
  const { messages, left, tokens } = result
  // The newest messages count most, and an answer is cut at its end.
  const limits = limitsOf(messages, texts)
  const first = limits.findIndex((limit) => limit > 0)
  const shown = messages.slice(Math.max(0, first))
  const session = await sessionOf(call, name)
  const times = await timesOf(call, session, [...new Set(shown.map(({ oid }) => oid))])
  const dropped = left.length + (messages.length - shown.length)
  return {
    about: { tokens },
    items: shown.map((message, i) => {
      const { oid, role, part } = message
      const time = times.get(oid) ?? null
      const limit = limits[messages.length - shown.length + i] ?? 0
      const said = new Quoted(textOfMessage(message), { limit, lines: true })
      return { data: { ...cited({ session, oid, time }), role, part, text: said } }
    }),
    left:
      dropped > 0
        ? `${dropped} older messages or results were dropped: ask for a larger budget, or show them by log.`
        : undefined,
  }
}

const textOfMessage = ({ role, blocks }: ContextMessage): string => textOfView({ role, blocks })

/** Returns how much of each message is shown, so that all have room, from the newest on. */
function limitsOf(messages: readonly ContextMessage[], room: number): readonly number[] {
  let left = room
  return messages
    .toReversed()
    .map((message) => {
      const size = Math.min(left - PER_ITEM, textOfMessage(message).length)
      left -= size + PER_ITEM
      return Math.max(0, size)
    })
    .toReversed()
}

/** The size of the properties of an item besides its text. */
const PER_ITEM = 220

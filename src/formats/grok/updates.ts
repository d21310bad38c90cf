import { asString, field, isObject, items, type Json, type JsonObject } from '../../model/json.ts'
import type { Block, Role, Usage, View } from '../../model/view.ts'
import { all, type CarriedEntry, defineFormat, type EntryDeclaration } from '../core/define.ts'
import type { Facts } from '../core/format.ts'
import { words } from '../core/known.ts'
import { factsAt, factsOf, fieldAt, millis } from '../core/values.ts'
import { blocksOf, callBlock, outputText, resultBlock, thinkingBlock } from '../core/views.ts'
import { GROK, grokFacts, knownGrokFacts } from './about.ts'
import { messageUnits, updateOf } from './messageunits.ts'

/** Returns the blocks of a message's content; a file that it refers to is named, with its text if that is there. */
const contentBlocks = (content: Json | undefined): Block[] =>
  (Array.isArray(content) ? items(content) : [content]).flatMap((block) => {
    const resource = field(block, 'resource') ?? block
    const uri = asString(field(resource, 'uri'))
    if (uri === undefined || field(block, 'type') === 'image') return blocksOf(block)
    const text = asString(field(resource, 'text'))
    return [{ kind: 'text', text: text === undefined ? `[${uri}]` : `[${uri}]\n${text}` }]
  })

const messageOf = (role: Role): EntryDeclaration => ({
  body: all('content'),
  view: (body): View => ({ role, blocks: contentBlocks(field(body, 'content')) }),
})

const thoughtView = (body: Json): View => ({
  role: 'assistant',
  blocks: contentBlocks(field(body, 'content')).map((block) =>
    block.kind === 'text' ? thinkingBlock(block.text) : block,
  ),
})

/** A call has no name of its own in the protocol: its title, else its kind, stands for it. */
const callIn = (body: Json): Block =>
  callBlock(
    field(body, 'toolCallId'),
    asString(field(body, 'title')) ?? field(body, 'kind') ?? 'tool',
    field(body, 'rawInput'),
  )

/** Returns the blocks of a result: its text with its changes of files, else what the tool returned, and its images. */
function resultBlocks(body: Json): Block[] {
  const parts = items(field(body, 'content'))
  const blocks = parts.flatMap((part) => contentBlocks(field(part, 'content')))
  const texts = blocks.flatMap((block) => (block.kind === 'text' ? [block.text] : []))
  const changes = parts.flatMap((part) => {
    const path = field(part, 'type') === 'diff' ? asString(field(part, 'path')) : undefined
    return path === undefined ? [] : [`[${path}]\n${asString(field(part, 'newText')) ?? ''}`]
  })
  const text = [...texts, ...changes].join('\n') || outputText(field(body, 'rawOutput'))
  const isError = field(body, 'status') === 'failed'
  return [
    resultBlock(field(body, 'toolCallId'), text, isError),
    ...blocks.filter(({ kind }) => kind === 'image'),
  ]
}

const CALL = ['toolCallId', 'title', 'kind', 'rawInput'] as const
const RESULT = ['toolCallId', 'status', 'content', 'rawOutput'] as const

const ENTRIES = {
  user: messageOf('user'),
  assistant: messageOf('assistant'),
  thought: { body: all('content'), view: thoughtView },
  call: { body: all(...CALL), view: (body: Json): View => ({ role: 'assistant', blocks: [callIn(body)] }) },
  result: {
    body: all(...RESULT),
    view: (body: Json): View => ({ role: 'tool', blocks: resultBlocks(body) }),
  },
  answered_call: {
    body: all(...CALL, ...RESULT),
    view: (body: Json): View => ({ role: 'assistant', blocks: [callIn(body), ...resultBlocks(body)] }),
  },
} satisfies Readonly<Record<string, EntryDeclaration>>

const MESSAGES: ReadonlyMap<string, keyof typeof ENTRIES> = new Map([
  ['user_message_chunk', 'user'],
  ['agent_message_chunk', 'assistant'],
  ['agent_thought_chunk', 'thought'],
])

/** A call that has begun; `shown` once an entry has its input. */
interface OpenCall {
  readonly call: JsonObject
  readonly shown: boolean
}

const path = ['params', 'update']

/**
 * Finds the entries of updates. The input of a call may come with a later update of it: the entry of the call is the first
 * update that has it, or the one that ends the call.
 */
class UpdateEntries {
  private readonly calls = new Map<string, OpenCall>()
  private readonly ended = new Set<string>()

  /** Returns the entry that a line carries, if any. */
  carriedBy(line: JsonObject): CarriedEntry | undefined {
    const update = updateOf(line)
    const type = asString(update?.sessionUpdate) ?? ''
    // A turn of the program around the agent is none of the conversation.
    if (!update || fieldAt(update, '_meta', 'hostTurn') === true) return undefined
    const message = MESSAGES.get(type)
    if (message) return { kind: message, bodyPath: path }
    if (type !== 'tool_call' && type !== 'tool_call_update') return undefined
    const id = asString(update.toolCallId) ?? ''
    if (this.ended.has(id)) return undefined
    const { call: begun, shown = false } = this.calls.get(id) ?? {}
    const call = { ...begun, ...update }
    const isEnd = update.status === 'completed' || update.status === 'failed'
    const shows = !shown && update.rawInput !== undefined && update.rawInput !== null
    if (isEnd) {
      this.calls.delete(id)
      this.ended.add(id)
    } else this.calls.set(id, { call, shown: shown || shows })
    if (!isEnd) return shows ? { kind: 'call', ...bodyFrom(begun, update, CALL) } : undefined
    return shown
      ? { kind: 'result', bodyPath: path }
      : { kind: 'answered_call', ...bodyFrom(begun, update, [...CALL, ...RESULT]) }
  }
}

/** Returns the body of a call: that of its update where nothing is known from before. */
function bodyFrom(
  begun: JsonObject | undefined,
  update: JsonObject,
  keys: readonly string[],
): Pick<CarriedEntry, 'body' | 'bodyPath'> {
  const missing = keys.filter((key) => update[key] === undefined && begun?.[key] !== undefined)
  if (missing.length === 0) return { bodyPath: path }
  const call: JsonObject = { ...begun, ...update }
  return {
    body: Object.fromEntries(keys.flatMap((key) => (call[key] === undefined ? [] : [[key, call[key]]]))),
  }
}

type Sums = { -readonly [K in keyof Omit<Usage, 'call'>]: number }

/** The unit of a cost: dollars are 10,000,000,000 of it. */
const TICKS = 1e10

/** Sums up the usage of the turns of a session; a turn that is reported again counts as reported last. */
class TurnUsage {
  private readonly sums: Sums = {}
  private readonly turns = new Map<string, Sums>()

  /** Takes an update, and returns the sums if they have changed. */
  add(update: JsonObject): Facts | undefined {
    const { usage } = update
    if (typeof usage !== 'object' || usage === null) return undefined
    const count = (key: string): number => Number(field(usage, key) ?? 0) || 0
    const cost = count('costUsdTicks') / TICKS
    const now: Sums = {
      input: Math.max(0, count('inputTokens') - count('cachedReadTokens')),
      output: count('outputTokens'),
      cacheRead: count('cachedReadTokens'),
      ...(cost > 0 && { cost }),
    }
    const turn = asString(update.prompt_id) ?? String(this.turns.size)
    const before = this.turns.get(turn)
    this.turns.set(turn, now)
    for (const [key, value] of Object.entries(now) as [keyof Sums, number][])
      this.sums[key] = (this.sums[key] ?? 0) + value - (before?.[key] ?? 0)
    const models = field(usage, 'modelUsage')
    const [model] = isObject(models) ? Object.keys(models) : []
    return factsOf({ usage: this.sums, model })
  }
}

/** The state of reading the updates of a session. */
class UpdateState {
  readonly entries = new UpdateEntries()
  readonly usage = new TurnUsage()
}

/** Returns what collects the usage in the lines of updates that belong to a session with a history. */
export function usageInLines(): (line: Json) => Facts {
  const usage = new TurnUsage()
  let facts: Facts = {}
  return (line) => {
    const update = updateOf(line)
    facts = (update && usage.add(update)) ?? facts
    return facts
  }
}

/** Returns the facts of a line beside the usage. */
const lineFacts = (line: JsonObject, update: JsonObject): Facts =>
  factsOf({
    ...factsAt(line, { id: ['params', 'sessionId'] }),
    model: asString(fieldAt(line, 'params', '_meta', 'modelId')),
    title: update.sessionUpdate === 'session_info_update' ? asString(update.title) : undefined,
  })

/** The updates that Grok sends to its interface: the only transcript of sessions without `chat_history.jsonl`. */
export const grokUpdates = defineFormat({
  name: 'grok-updates',
  detect: ({ lines }) => lines.some((line) => updateOf(line) !== undefined),
  splitter: messageUnits,
  yieldsTo: 'chat_history.jsonl',
  record: (_name, folder, above) => {
    const state = new UpdateState()
    return {
      state,
      id: (line) => asString(fieldAt(line, ...path, 'messageId')),
      time: ({ timestamp }) => millis(timestamp),
      carries: (line) => state.entries.carriedBy(line),
      facts: (line) => {
        const update = updateOf(line)
        return update && { ...lineFacts(line, update), ...state.usage.add(update) }
      },
      known: knownGrokFacts(folder, above),
    }
  },
  sidecars: {
    folder: (name) => (name === 'updates.jsonl' ? '' : undefined),
    holds: (file) => file === 'summary.json',
    facts: (_path, value) => grokFacts(value),
  },
  at: path,
  entries: ENTRIES,
  known: {
    written: '2026-08',
    types: {
      'params.update.sessionUpdate': words(`
        user_message_chunk agent_message_chunk agent_thought_chunk tool_call tool_call_update plan session_info_update
        turn_completed available_commands_update current_mode_update usage_update
      `),
    },
    fields: {
      '': words('timestamp jsonrpc method params'),
      params: words('sessionId update _meta'),
    },
  },
  agent: GROK,
})

import { joined } from '../../model/bytes.ts'
import { asString, field, isObject, items, type Json, type JsonObject } from '../../model/json.ts'
import { jsonLines } from '../core/jsonlines.ts'
import { newlines, type Splitter, type Unit } from '../core/splitter.ts'
import { fieldAt } from '../core/values.ts'

/** The updates that are pieces of a message. */
const CHUNKS: ReadonlySet<string> = new Set([
  'user_message_chunk',
  'agent_message_chunk',
  'agent_thought_chunk',
])

/** Updates about the session as a whole, which may come while a message is written. */
const ASIDES: ReadonlySet<string> = new Set([
  ...['available_commands_update', 'current_mode_update', 'config_option_update'],
  ...['session_info_update', 'usage_update'],
])

/** A message of more bytes of lines is continued in another one, so that no more is held in memory. */
const MAX_MESSAGE_BYTES = 8 << 20

/** Returns the update of a line of the Agent Client Protocol; undefined of any other value. */
export function updateOf(line: Json | undefined): JsonObject | undefined {
  const update = fieldAt(line, 'params', 'update')
  return isObject(update) && typeof update.sessionUpdate === 'string' ? update : undefined
}

/** Returns what the chunks of one message have in common; undefined of a line that is no chunk. */
function messageKey({ value, salvaged, warning }: Unit): string | undefined {
  const update = updateOf(value)
  const type = asString(update?.sessionUpdate) ?? ''
  if (!update || salvaged || warning || !CHUNKS.has(type)) return undefined
  const turn = fieldAt(value, 'params', '_meta', 'promptId')
  const { messageId = null, _meta: about } = update
  return JSON.stringify([type, messageId, turn ?? null, field(about, 'promptIndex') ?? null])
}

const isAside = ({ value }: Unit): boolean => ASIDES.has(asString(updateOf(value)?.sessionUpdate) ?? '')

/** Returns the content of some chunks: texts that follow one another are one. */
function joinContent(chunks: readonly Unit[]): Json {
  const blocks: Json[] = []
  for (const block of chunks.flatMap(({ value }) => contentBlocks(updateOf(value)?.content))) {
    const [last, text] = [blocks.at(-1), asString(field(block, 'text'))]
    const before = asString(field(last, 'text'))
    if (text === undefined || before === undefined || !isObject(last) || !isText(last) || !isText(block))
      blocks.push(block)
    else blocks[blocks.length - 1] = { ...last, text: before + text }
  }
  return blocks.length === 1 ? (blocks[0] as Json) : blocks
}

const contentBlocks = (content: Json | undefined): readonly Json[] =>
  typeof content === 'string'
    ? [{ type: 'text', text: content }]
    : isObject(content)
      ? [content]
      : items(content)

const isText = (block: Json): boolean => field(block, 'type') === 'text'

/** Returns the lines of a message as one unit: the first line with the content of all. */
function messageUnit(lines: readonly Unit[], chunks: readonly Unit[]): Unit[] {
  const [first] = lines
  if (!first || lines.length === 1) return [...lines]
  const value = first.value as { readonly params: JsonObject }
  const update = { ...updateOf(first.value), content: joinContent(chunks) }
  const { line, lead } = first
  const bytes = joined(lines.map((one) => one.bytes))
  return [{ line, lead, bytes, salvaged: false, value: { ...value, params: { ...value.params, update } } }]
}

/**
 * Splits lines of the Agent Client Protocol: the chunks of one message are one unit, with the updates about the session
 * that come between them. Chunks belong to one message if they follow one another and neither their kind, their message
 * nor their turn changes. At the end of the source its last message counts as complete: a source that has grown may
 * have more of it, and is then read again.
 */
export function messageUnits(): Splitter {
  const splitter = jsonLines()
  let key: string | undefined
  let chunks: Unit[] = []
  let lines: Unit[] = []
  let asides: Unit[] = []
  let size = 0

  return {
    push: (bytes) => splitter.push(bytes).flatMap(takeLine),
    pendingLines() {
      const held = [...lines, ...asides].reduce((sum, { bytes }) => sum + newlines(bytes), 0)
      const pending = splitter.pendingLines?.()
      return pending === undefined ? undefined : held + pending
    },
    end() {
      const { units, ...rest } = splitter.end()
      return { units: [...units.flatMap(takeLine), ...flush()], ...rest }
    },
  }

  function takeLine(unit: Unit): Unit[] {
    const next = messageKey(unit)
    if (key !== undefined && next === key && size < MAX_MESSAGE_BYTES) {
      lines.push(...asides.splice(0), unit)
      chunks.push(unit)
      size += unit.bytes.length
      return []
    }
    if (key !== undefined && isAside(unit)) {
      asides.push(unit)
      size += unit.bytes.length
      return []
    }
    const done = flush()
    if (next === undefined) return [...done, unit]
    key = next
    lines = [unit]
    chunks = [unit]
    size = unit.bytes.length
    return done
  }

  function flush(): Unit[] {
    const done = [...messageUnit(lines, chunks), ...asides]
    key = undefined
    lines = []
    chunks = []
    asides = []
    return done
  }
}

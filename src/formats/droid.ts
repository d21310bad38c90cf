import { asString, field, isObject, type Json, type JsonObject } from '../model/json.ts'
import { OPAQUE, type View } from '../model/view.ts'
import { all, byType, each, type FieldSelector, fields, selectFields } from './core/allowlist.ts'
import { blocksOf, callBlock, outputText, resultBlock } from './core/contentblocks.ts'
import { defineFormat, entriesBy } from './core/define.ts'
import type { Facts, Format, FormatReader, ParsedEntry, Reading, RecordIndex } from './core/format.ts'
import { IdTree } from './core/idtree.ts'
import { NONE } from './core/recordtree.ts'
import { headText, type Sample } from './core/sample.ts'
import { fileNamedLike, sidecar } from './core/sidecar.ts'
import type { Unit, Warning } from './core/splitter.ts'
import { countsIn } from './core/usage.ts'
import { factsOf, millis } from './core/values.ts'
import { compactionView, modelIn, speakerOf } from './core/viewparts.ts'

/** A block of another type is taken whole, because any of its fields may hold text. */
const block = byType({
  text: all('type', 'text'),
  thinking: all('type', 'thinking', 'signature'),
  redacted_thinking: all('type', 'data'),
  image: all('type', 'source'),
  tool_use: all('type', 'id', 'name', 'input'),
  tool_result: { ...all('type', 'tool_use_id', 'is_error'), content: each(part) },
})

/** A part of a tool's result: a block like those of a message. */
function part(value: Json): Json {
  return block(value)
}

/** The names of the counts that the end of a run has. */
const COUNTS = {
  input: 'input_tokens',
  output: 'output_tokens',
  cacheRead: 'cache_read_input_tokens',
  cacheWrite: 'cache_creation_input_tokens',
} as const

const BODIES: Readonly<Record<string, Readonly<Record<string, FieldSelector>>>> = {
  message: {
    ...all('role', 'text', 'visibility'),
    message: fields({ ...all('role', 'model'), content: each(block) }),
  },
  compaction_state: all('summaryText', 'summaryTokens', 'summaryKind'),
  system: all('model', 'reasoning_effort'),
  tool_call: all('id', 'toolCallId', 'toolName', 'parameters'),
  tool_result: all('id', 'toolCallId', 'toolName', 'isError', 'value', 'error'),
  completion: { ...all('finalText'), usage: fields(all(...Object.values(COUNTS))) },
}

/** The types of the records that carry an entry. */
const KINDS: ReadonlySet<string> = new Set(Object.keys(BODIES))

/** Returns the conversation-bearing part of a record of one of `KINDS`. What answers a call keeps the call's id. */
function bodyOf(kind: string, value: JsonObject): Json {
  const body = selectFields(value, BODIES[kind] as Readonly<Record<string, FieldSelector>>)
  if (body.toolCallId === undefined || body.id === undefined) return body
  const { id: _, ...rest } = body
  return rest
}

/** The records that carry no entry. */
const PASSED: ReadonlySet<string> = new Set([
  'session_start',
  'todo_state',
  'agent_turn_outcome',
  'session_end',
  'error',
])

/** Reads the records of one session of Droid, or of what `droid exec` printed, in order. */
class DroidReader implements FormatReader {
  readonly #tree = new IdTree()
  /** The compaction that came after a node: what continues the node continues the compaction. */
  readonly #compacted = new Map<RecordIndex, RecordIndex>()
  readonly #unknown = new Set<string>()
  #header: JsonObject | undefined
  #session: string | undefined
  #created: number | undefined
  /** The last text of the assistant in printed output, which the completion repeats. */
  #said: string | undefined

  read(unit: Unit): Reading {
    const { value } = unit
    if (!isObject(value)) {
      this.#tree.skip(unit)
      return {}
    }
    const at = this.#tree.length
    const [time, native] = [millis(value.timestamp), asString(value.id)]
    const kind = asString(value.type) ?? ''
    this.#gather(kind, value, time)
    const warnings: Warning[] = []
    if (!this.#isEntry(kind, value, warnings)) {
      this.#tree.skip(unit)
      return { time, native, warnings: warnings.length > 0 ? warnings : undefined }
    }
    const parent = this.#parentOf(value, warnings)
    const isCompaction = kind === 'compaction_state'
    const links = isCompaction ? this.#linksOf(value, parent, warnings) : {}
    const entry = { type: `droid/${kind}`, body: bodyOf(kind, this.#once(kind, value)), ...links }
    const { parentId } = value
    // In other kinds the id is that of a call, which its result has, too.
    const isNamed = isCompaction || kind === 'message'
    const reading = this.#tree.add(unit, { native, time, parent, parentId, entry, warnings, isNamed })
    if (isCompaction && parent !== NONE && this.#tree.nodes.isNode(at))
      this.#compacted.set(this.#tree.origin(parent), at)
    return reading
  }

  active(): RecordIndex | null {
    return this.#tree.entryOf(this.#tree.last)
  }

  facts(): Facts {
    const { title, sessionTitle, cwd } = this.#header ?? {}
    return factsOf({
      id: this.#session,
      title: asString(title) || asString(sessionTitle),
      cwd: asString(cwd),
      created: this.#created,
    })
  }

  #gather(kind: string, value: JsonObject, time: number | undefined): void {
    this.#created ??= time
    if (kind === 'session_start' || kind === 'system') this.#header ??= value
    this.#session ??=
      kind === 'session_start' ? asString(value.id) : asString(value.session_id ?? value.sessionId)
  }

  #isEntry(kind: string, value: JsonObject, warnings: Warning[]): boolean {
    if (kind === 'message' && !isObject(value.message) && typeof value.text !== 'string') {
      warnings.push({ code: 'bad-message', message: 'a message record holds no message' })
      return false
    }
    if (KINDS.has(kind)) return kind !== 'system' || typeof value.model === 'string'
    if (PASSED.has(kind) || this.#unknown.has(kind)) return false
    this.#unknown.add(kind)
    warnings.push({ code: 'unknown-type', message: `records of type '${kind}' are kept as records only` })
    return false
  }

  /** Returns the node that a record continues: the one before if it names none. */
  #parentOf({ parentId }: JsonObject, warnings: Warning[]): RecordIndex {
    if (parentId === undefined) return this.#tree.last
    if (parentId === this.#session) return NONE
    const parent = this.#tree.parent(parentId, warnings)
    const compaction = this.#compacted.get(this.#tree.origin(parent))
    return compaction === undefined ? parent : this.#tree.current(compaction)
  }

  /** The anchor is the last message that was compacted. */
  #linksOf(value: JsonObject, parent: RecordIndex, warnings: Warning[]): Pick<ParsedEntry, 'links'> {
    const { nodes } = this.#tree
    const anchor = this.#tree.named(field(value.anchorMessage, 'id'))
    if (anchor === undefined || !nodes.isOn(anchor, parent)) {
      if (value.anchorMessage !== undefined)
        warnings.push({ code: 'dangling-target', message: 'its anchor is no message before it on its path' })
      return {}
    }
    const firstKept = nodes.entryAfter(anchor, parent)
    return firstKept === undefined ? {} : { links: { firstKept } }
  }

  /** Returns a record without a repeated text. */
  #once(kind: string, value: JsonObject): JsonObject {
    const words: Json | undefined = kind === 'completion' ? value.finalText : value.text
    const again = kind === 'completion' && words !== undefined && words === this.#said
    if (kind === 'completion') this.#said = undefined
    else if (kind === 'message') this.#said = value.role === 'assistant' ? asString(words) : undefined
    if (!again) return value
    const { finalText: _, ...rest } = value
    return rest
  }
}

/** Returns what an entry of Droid means, from its kind and body. */
function view(kind: string, body: Json): View {
  const text = (name: string): string => asString(field(body, name)) ?? ''
  const id = text('toolCallId') || text('id')
  switch (kind) {
    case 'message':
      return messageView(body)
    case 'compaction_state':
      return compactionView(text('summaryText'))
    case 'system':
      return { ...OPAQUE, sets: { model: { id: text('model') }, ...thinkingIn(body) } }
    case 'tool_call':
      return { role: 'assistant', blocks: [callBlock(id, text('toolName'), field(body, 'parameters'))] }
    case 'tool_result': {
      const value = field(body, 'value') ?? field(body, 'error') ?? ''
      return { role: 'tool', blocks: [resultBlock(id, outputText(value), field(body, 'isError') === true)] }
    }
    case 'completion':
      return completionView(body)
    default:
      return OPAQUE
  }
}

const thinkingIn = (body: Json): { readonly thinking?: string } => {
  const thinking = asString(field(body, 'reasoning_effort'))
  return thinking === undefined ? {} : { thinking }
}

/** A message is a field of a session's record; a printed record is itself the message. */
function messageView(body: Json): View {
  const message = field(body, 'message') ?? body
  const blocks = blocksOf(field(message, 'content') ?? field(message, 'text'))
  return { role: speakerOf(field(message, 'role'), blocks), blocks, ...modelIn(field(message, 'model')) }
}

function completionView(body: Json): View {
  const blocks = blocksOf(field(body, 'finalText'))
  return { role: blocks.length > 0 ? 'assistant' : null, blocks, ...countsIn(field(body, 'usage'), COUNTS) }
}

const TOKENS = {
  input: 'inputTokens',
  output: 'outputTokens',
  cacheRead: 'cacheReadTokens',
  cacheWrite: 'cacheCreationTokens',
} as const

function detect({ lines: records }: Sample): boolean {
  const [first] = records
  if (field(first, 'type') === 'session_start') return typeof field(first, 'id') === 'string'
  return records.length > 0 && records.every(isPrinted) && records.some(isTold)
}

const PRINTED: ReadonlySet<Json | undefined> = new Set([
  'system',
  'message',
  'tool_call',
  'tool_result',
  'completion',
  'error',
])

const isPrinted = (value: Json): boolean =>
  isObject(value) &&
  PRINTED.has(value.type) &&
  (typeof value.session_id === 'string' || typeof value.sessionId === 'string')

/** Other agents print records that contain messages; Droid's records are the messages. */
const isTold = (value: Json): boolean =>
  (field(value, 'type') === 'message' && typeof field(value, 'text') === 'string') ||
  typeof field(value, 'finalText') === 'string'

/** The settings file of a session: its model, and its token counts. */
export const droidSettings: Format = sidecar({
  name: 'droid-settings',
  detect: ({ name, head }) =>
    name.endsWith('.settings.json') && headText(head).includes('"assistantActiveTimeMs"'),
})

/** The sessions of Factory's Droid, and what `droid exec` prints as JSON while it works. */
export const droid = defineFormat({
  name: 'droid',
  detect,
  reader: () => new DroidReader(),
  sidecars: {
    names: (name) => fileNamedLike(name, '.settings.json'),
    facts: (_path, value) => countsIn(field(value, 'tokenUsage'), TOKENS),
  },
  entries: entriesBy(BODIES, view),
})

import { asString, field, isObject, type Json, type JsonObject, without } from '../model/json.ts'
import { OPAQUE, type View } from '../model/view.ts'
import { all, bodyOf, byType, defineFormat, type EntryDeclarations, each, fields } from './core/define.ts'
import { PlaceHistory } from './core/facthistory.ts'
import {
  type Facts,
  type Format,
  type FormatReader,
  NONE,
  type ParsedEntry,
  type Reading,
  type RecordIndex,
} from './core/format.ts'
import { IdTree } from './core/idtree.ts'
import { words } from './core/known.ts'
import { headText, type Sample } from './core/sample.ts'
import { fileNamedLike, sidecar } from './core/sidecar.ts'
import type { Unit, Warning } from './core/splitter.ts'
import { factsOf, millis } from './core/values.ts'
import {
  blocksOf,
  callBlock,
  compactionView,
  countsIn,
  modelIn,
  outputText,
  resultBlock,
  speakerOf,
} from './core/views.ts'

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

/** Reads the records of one session of Droid, or of what `droid exec` printed, in order. */
class DroidReader implements FormatReader {
  private readonly tree = new IdTree()
  /** The compaction that came after a node: what continues the node continues the compaction. */
  private readonly compacted = new Map<RecordIndex, RecordIndex>()
  private header: JsonObject | undefined
  private readonly place = new PlaceHistory()
  private session: string | undefined
  private created: number | undefined
  /** The last text of the assistant in printed output, which the completion repeats. */
  private printedText: string | undefined

  read(unit: Unit): Reading {
    const { value } = unit
    if (!isObject(value)) {
      this.tree.skip(unit)
      return {}
    }
    const at = this.tree.length
    const [time, native] = [millis(value.timestamp), asString(value.id)]
    const kind = asString(value.type) ?? ''
    this.#gather(kind, value, time)
    const warnings: Warning[] = []
    if (!this.#isEntry(kind, value, warnings)) {
      this.tree.skip(unit)
      return { time, native, warnings: warnings.length > 0 ? warnings : undefined }
    }
    const parent = this.#parentOf(value, warnings)
    const isCompaction = kind === 'compaction_state'
    const links = isCompaction ? this.#linksOf(value, parent, warnings) : {}
    const entry = { type: `droid/${kind}`, body: this.#bodyOf(kind, value), ...links }
    const { parentId } = value
    // In other kinds the id is that of a call, which its result has, too.
    const isNamed = isCompaction || kind === 'message'
    const reading = this.tree.add(unit, { native, time, parent, parentId, entry, warnings, isNamed })
    if (isCompaction && parent !== NONE && this.tree.nodes.isNode(at))
      this.compacted.set(this.tree.origin(parent), at)
    return reading
  }

  active(): RecordIndex | null {
    return this.tree.entryOf(this.tree.last)
  }

  facts(): Facts {
    const { title, sessionTitle } = this.header ?? {}
    return factsOf({
      id: this.session,
      title: asString(title) || asString(sessionTitle),
      ...this.place.facts(),
      created: this.created,
    })
  }

  #gather(kind: string, value: JsonObject, time: number | undefined): void {
    this.created ??= time
    if (kind === 'session_start' || kind === 'system') {
      this.header ??= value
      this.place.folders.add(value.cwd)
    }
    this.session ??=
      kind === 'session_start' ? asString(value.id) : asString(value.session_id ?? value.sessionId)
  }

  #isEntry(kind: string, value: JsonObject, warnings: Warning[]): boolean {
    if (kind === 'message' && !isObject(value.message) && typeof value.text !== 'string') {
      warnings.push({ code: 'bad-message', message: 'a message record holds no message' })
      return false
    }
    if (Object.hasOwn(ENTRIES, kind)) return kind !== 'system' || typeof value.model === 'string'
    return false
  }

  /** Returns the node that a record continues: the one before if it names none. */
  #parentOf({ parentId }: JsonObject, warnings: Warning[]): RecordIndex {
    if (parentId === undefined) return this.tree.last
    if (parentId === this.session) return NONE
    const parent = this.tree.parent(parentId, warnings)
    const compaction = this.compacted.get(this.tree.origin(parent))
    return compaction === undefined ? parent : this.tree.current(compaction)
  }

  /** The anchor is the last message that was compacted. */
  #linksOf(value: JsonObject, parent: RecordIndex, warnings: Warning[]): Pick<ParsedEntry, 'links'> {
    const { nodes } = this.tree
    const anchor = this.tree.named(field(value.anchorMessage, 'id'))
    if (anchor === undefined || !nodes.isOn(anchor, parent)) {
      if (value.anchorMessage !== undefined)
        warnings.push({ code: 'dangling-target', message: 'its anchor is no message before it on its path' })
      return {}
    }
    const firstKept = nodes.entryAfter(anchor, parent)
    return firstKept === undefined ? {} : { links: { firstKept } }
  }

  /** Returns the body of a record. What answers a call keeps the call's id; a text that is repeated is left out. */
  #bodyOf(kind: string, value: JsonObject): JsonObject {
    const body = bodyOf(ENTRIES, kind, value)
    if (kind === 'completion') {
      const isAgain = body.finalText !== undefined && body.finalText === this.printedText
      this.printedText = undefined
      return isAgain ? without(body, 'finalText') : body
    }
    if (kind === 'message') this.printedText = value.role === 'assistant' ? asString(value.text) : undefined
    return body.toolCallId === undefined || body.id === undefined ? body : without(body, 'id')
  }
}

const textOf = (body: Json, name: string): string => asString(field(body, name)) ?? ''

/** The id of a call, in the record of the call or of its result. */
const callId = (body: Json): string => textOf(body, 'toolCallId') || textOf(body, 'id')

function settingView(body: Json): View {
  const thinking = asString(field(body, 'reasoning_effort'))
  const model = { id: textOf(body, 'model') }
  return { ...OPAQUE, sets: { model, ...(thinking !== undefined && { thinking }) } }
}

const callView = (body: Json): View => ({
  role: 'assistant',
  blocks: [callBlock(callId(body), textOf(body, 'toolName'), field(body, 'parameters'))],
})

function resultView(body: Json): View {
  const value = field(body, 'value') ?? field(body, 'error') ?? ''
  const error = field(body, 'isError') === true
  return { role: 'tool', blocks: [resultBlock(callId(body), outputText(value), error)] }
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

/** The names of the counts that the end of a run has. */
const COUNTS = {
  input: 'input_tokens',
  output: 'output_tokens',
  cacheRead: 'cache_read_input_tokens',
  cacheWrite: 'cache_creation_input_tokens',
} as const

const ENTRIES: EntryDeclarations = {
  message: {
    body: {
      ...all('role', 'text', 'visibility'),
      message: fields({ ...all('role', 'model'), content: each(block) }),
    },
    view: messageView,
  },
  compaction_state: {
    body: all('summaryText', 'summaryTokens', 'summaryKind'),
    view: (body) => compactionView(field(body, 'summaryText')),
  },
  system: { body: all('model', 'reasoning_effort'), view: settingView },
  tool_call: { body: all('id', 'toolCallId', 'toolName', 'parameters'), view: callView },
  tool_result: {
    body: all('id', 'toolCallId', 'toolName', 'isError', 'value', 'error'),
    view: resultView,
  },
  completion: {
    body: { ...all('finalText'), usage: fields(all(...Object.values(COUNTS))) },
    view: completionView,
  },
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
  return records.length > 0 && records.every(isPrinted) && records.some(hasText)
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
const hasText = (value: Json): boolean =>
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
  entries: ENTRIES,
  known: {
    written: '2026-08',
    types: {
      type: words(`
        session_start session_end message todo_state compaction_state agent_turn_outcome
        system tool_call tool_result completion error
      `),
      'message.content.type': words('text image thinking redacted_thinking tool_use tool_result'),
    },
    fields: {
      '': words(`
        type id parentId timestamp session_id sessionId version title sessionTitle owner cwd message role text visibility
        subtype model reasoning_effort source tools messageId messageIndex toolId toolCallId toolName parameters value
        isError error finalText usage todos outcome summaryText summaryTokens summaryKind anchorMessage removedCount
        numTurns durationMs
      `),
      message: words('role content model id'),
      'message.content': words(`
        type text id name input tool_use_id content is_error thinking signature data source cache_control
      `),
    },
  },
})

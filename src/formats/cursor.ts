import { asString, field, isObject, items, type Json, type JsonObject } from '../model/json.ts'
import { promptIn } from '../model/prompt.ts'
import { tryParse } from '../model/value.ts'
import type { Block, View } from '../model/view.ts'
import { type AllowList, all, defineFormat, each, fields, selectFields } from './core/define.ts'
import type { Facts, FormatReader, Reading, RechainedEntry, RecordIndex } from './core/format.ts'
import { words } from './core/known.ts'
import type { Sample } from './core/sample.ts'
import type { Unit } from './core/splitter.ts'
import { isUuid } from './core/uuid.ts'
import { factsOf, fieldAt, millis, rowOf } from './core/values.ts'
import { blocksOf, callBlock, modelIn, outputText, resultBlock, speakerOf, untagged } from './core/views.ts'

/** The tools that start a sub-agent. */
const STARTS: ReadonlySet<string> = new Set(['Agent', 'Task'])

/** Collects the prompts for sub-agents, which are the only link between calls and sub-agents. */
class Asks {
  /** The entries with the calls, by the start of the prompt; prompts that occur twice are left out. */
  readonly found = new Map<string, RecordIndex>()
  private readonly twice = new Set<string>()

  add(blocks: readonly Block[], entry: RecordIndex): void {
    for (const block of blocks) {
      const text =
        block.kind === 'toolCall' && STARTS.has(block.name) ? field(block.input, 'prompt') : undefined
      const asked = promptIn({ role: 'user', blocks: [{ kind: 'text', text: asString(text) ?? '' }] })
      if (asked === undefined || this.twice.has(asked) || this.found.get(asked) === entry) continue
      if (!this.found.has(asked)) this.found.set(asked, entry)
      else if (this.found.delete(asked)) this.twice.add(asked)
    }
  }
}

/** The folder of a sub-agent is inside that of the session that started it. */
const startedBy = (folder: string | undefined, session = ''): Facts =>
  folder === 'subagents' && isUuid(session) ? { parent: session } : {}

const transcriptBlock = fields({
  ...all('type', 'text', 'thinking', 'signature', 'id', 'name', 'input', 'tool_use_id', 'content'),
  ...all('is_error', 'source', 'data', 'mimeType'),
})
const TRANSCRIPT_BODY: AllowList = {
  ...all('role', 'model'),
  message: fields({ content: each(transcriptBlock) }),
}

const isMessage = (value: Json | undefined): value is JsonObject =>
  isObject(value) &&
  (value.role === 'user' || value.role === 'assistant') &&
  value.type === undefined &&
  isObject(value.message) &&
  value.message.role === undefined &&
  Array.isArray(value.message.content)

/** The role is next to the message, not in it, and messages have no id. */
function isTranscript({ lines: records }: Sample): boolean {
  const messages = records.filter(isMessage)
  return messages.length > 0 && messages.every(({ id, uuid }) => id === undefined && uuid === undefined)
}

/** The user's text is in a tag. */
const asTyped = (block: Block): Block =>
  block.kind === 'text' ? { ...block, text: untagged(block.text, 'user_query') } : block

function transcriptView(body: Json): View {
  const blocks = items(fieldAt(body, 'message', 'content')).flatMap(transcriptBlocks)
  return { role: speakerOf(field(body, 'role'), blocks), blocks, ...modelIn(field(body, 'model')) }
}

function transcriptBlocks(part: Json): Block[] {
  const type = asString(field(part, 'type'))?.replaceAll('-', '_')
  const blocks = blocksOf(isObject(part) && type !== undefined ? { ...part, type } : part)
  return blocks.map(asTyped)
}

/** The transcripts of Cursor's agents: messages without ids, times or outputs of tools. */
export const cursor = defineFormat({
  name: 'cursor',
  detect: isTranscript,
  record: (name, folder, above) => {
    const stem = name.replace(/\.jsonl$/i, '')
    const facts = isUuid(stem) ? { id: stem, ...startedBy(folder, above?.[0]) } : {}
    const asks = new Asks()
    return {
      state: asks,
      known: { ...facts, subagentPrompts: asks.found },
      carries(record, at) {
        if (!isMessage(record)) return undefined
        asks.add(transcriptView(record).blocks, at)
        return 'message'
      },
    }
  },
  entries: { message: { body: TRANSCRIPT_BODY, view: transcriptView } },
  known: {
    written: '2026-08',
    types: {
      type: ['turn_ended'],
      'message.content.type': words('text thinking image tool_use tool_result tool_call tool-result'),
    },
    fields: {
      '': words('role message model metadata conversation annotations type status error'),
      message: ['content'],
      'message.content': words('type text thinking name input tool_use_id content metadata source is_error'),
    },
  },
})

/** The lengths of values by wire type, but for the one that a length precedes. */
const LENGTHS: ReadonlyMap<number, number> = new Map([
  [0, 0],
  [1, 8],
  [5, 4],
])
/** The wire type of values that a length precedes. */
const DELIMITED = 2

/** Returns the values of a field number in a protocol buffer message, in order; none if the bytes are no message. */
function fieldsOf(bytes: Uint8Array, number: number): Uint8Array[] {
  const found: Uint8Array[] = []
  let at = 0
  const varint = (): number => {
    for (let value = 0, scale = 1; ; scale *= 128) {
      const byte = bytes[at++] ?? Number.NaN
      value += (byte & 127) * scale
      if (!(byte >= 128)) return byte < 128 ? value : Number.NaN
    }
  }
  while (at < bytes.length) {
    const tag = varint()
    const type = tag % 8
    const value = type === 0 || type === DELIMITED ? varint() : 0
    const from = at
    at += type === DELIMITED ? value : (LENGTHS.get(type) ?? Number.NaN)
    if (!(at <= bytes.length)) return []
    if (type === DELIMITED && Math.floor(tag / 8) === number) found.push(bytes.subarray(from, at))
  }
  return found
}

const CHAT_PART = fields({
  ...all('type', 'text', 'signature', 'data', 'image', 'mimeType', 'mediaType', 'filename'),
  ...all('toolCallId', 'toolName', 'args', 'input', 'result', 'output', 'isError'),
})
const CHAT_BODY: AllowList = { ...all('role'), content: each(CHAT_PART) }

/** The path to the JSON of a blob in its row. */
const AT = ['row', 'data', '$bytes'] as const
/** How many bytes an id has. */
const ID = 32

/** A message at its place in the conversation. */
interface ChatNode {
  /** The id of its blob. */
  readonly blob: string
  readonly handle: RecordIndex
  readonly parent: ChatNode | undefined
  readonly next: Map<string, ChatNode>
  /** Whether a state of the conversation lists it: until then the order of the rows determines its place. */
  listed: boolean
}

/**
 * Reads the blobs of one chat in the order in which they were written: a message continues the one before, until a
 * state of the conversation lists its messages in their order. What states list apart are branches; what they put
 * elsewhere is chained again.
 */
class ChatReader implements FormatReader {
  #next: RecordIndex = 0
  readonly #folder: string | undefined
  #about: JsonObject = {}
  /** The records of the blobs that are messages. */
  readonly #messages = new Map<string, RecordIndex>()
  readonly #roots = new Map<string, ChatNode>()
  #tip: ChatNode | undefined
  /** Where the state that the chat is in ends. */
  #active: ChatNode | undefined

  constructor(folder: string | undefined) {
    this.#folder = folder
  }

  read({ value }: Unit): Reading {
    const handle = this.#next++
    const [meta, blob] = [rowOf(value, 'meta'), rowOf(value, 'blobs')]
    if (meta) this.#about = { ...this.#about, ...aboutIn(asString(meta.value)) }
    const id = asString(blob?.id)?.toLowerCase()
    if (id === undefined) return {}
    const message = field(blob?.data, '$bytes')
    if (isObject(message) && asString(message.role) !== undefined) return this.#message(id, handle, message)
    const bytes = asString(field(blob?.data, '$blob'))
    return bytes === undefined ? {} : this.#state(id, handle, Buffer.from(bytes, 'base64'))
  }

  active(): RecordIndex | null {
    return (this.#active ?? this.#tip)?.handle ?? null
  }

  facts(): Facts {
    const { agentId, name, createdAt } = this.#about
    return factsOf({
      id: this.#folder !== undefined && isUuid(this.#folder) ? this.#folder : asString(agentId),
      title: asString(name),
      created: millis(createdAt),
    })
  }

  #message(id: string, handle: RecordIndex, message: JsonObject): Reading {
    const parent = this.#tip
    this.#messages.set(id, handle)
    this.#place(id, handle, parent)
    return {
      native: id,
      entry: {
        type: 'cursor-chat/message',
        body: selectFields(message, CHAT_BODY),
        bodyPath: AT,
        parent: parent?.handle ?? null,
      },
    }
  }

  /** Takes a blob that is no message: if it lists messages, it is a state of the conversation. */
  #state(id: string, handle: RecordIndex, bytes: Uint8Array): Reading {
    const isLatest = id === asString(this.#about.latestRootBlobId)?.toLowerCase()
    const listed = fieldsOf(bytes, 1)
      .filter(({ length }) => length === ID)
      .map((name) => Buffer.from(name).toString('hex'))
      .filter((name) => this.#messages.has(name))
    if (listed.length === 0 || (listed.length < 2 && !isLatest)) return {}
    const before = this.#tip
    const again: RechainedEntry[] = []
    const moved = new Set<string>()
    let at: ChatNode | undefined
    for (const name of listed) {
      let place: ChatNode | undefined = (at?.next ?? this.#roots).get(name)
      if (!place) {
        const original = this.#messages.get(name) as RecordIndex
        again.push({ original, parent: at?.handle ?? null, native: name })
        place = this.#place(name, handle + again.length, at)
        moved.add(name)
      }
      place.listed = true
      at = place
    }
    this.#next += again.length
    if (at && isAhead(before, at)) this.#tip = before
    else this.#tip = at
    if (isLatest) this.#active = this.#tip
    const superseded = again.length > 0 ? placedByRows(before, moved) : []
    return { ...(again.length > 0 && { rechained: again }), ...(superseded.length > 0 && { superseded }) }
  }

  #place(blob: string, handle: RecordIndex, parent: ChatNode | undefined): ChatNode {
    const place: ChatNode = { blob, handle, parent, next: new Map(), listed: false }
    ;(parent?.next ?? this.#roots).set(blob, place)
    this.#tip = place
    return place
  }
}

/**
 * Returns whether a node comes after another with no listed node between: then part of the path was listed and
 * nothing was undone.
 */
function isAhead(tip: ChatNode | undefined, at: ChatNode): boolean {
  for (let place = tip; place && !place.listed; place = place.parent) if (place.parent === at) return true
  return false
}

/** Returns the nodes at the end of a path that only the order of the rows put there and that have moved. */
function placedByRows(tip: ChatNode | undefined, moved: ReadonlySet<string>): RecordIndex[] {
  const left: RecordIndex[] = []
  for (let place = tip; place && !place.listed; place = place.parent)
    if (moved.has(place.blob)) left.push(place.handle)
  return left
}

/** Returns the chat's metadata from the table `meta`: JSON, in hex. */
function aboutIn(value: string | undefined): JsonObject {
  if (value === undefined) return {}
  const text = /^(?:[0-9a-f]{2})+$/i.test(value) ? Buffer.from(value, 'hex').toString('utf8') : value
  const about: Json | undefined = tryParse(text)
  return isObject(about) ? about : {}
}

function chatView(body: Json): View {
  const content = field(body, 'content')
  const blocks = Array.isArray(content) ? items(content).flatMap(chatBlocks) : typedBlocks(content)
  return { role: speakerOf(field(body, 'role'), blocks), blocks }
}

const typedBlocks = (content: Json | undefined): Block[] => blocksOf(content).map(asTyped)

function chatBlocks(part: Json): Block[] {
  if (!isObject(part)) return typedBlocks(part)
  const of = (key: string): string => asString(part[key]) ?? ''
  switch (part.type) {
    case 'tool-call':
      return [callBlock(part.toolCallId, part.toolName, part.args ?? part.input)]
    case 'tool-result': {
      const text = outputText(part.result ?? part.output)
      return [resultBlock(part.toolCallId, text, part.isError === true, of('toolName'))]
    }
    case 'image':
      return blocksOf({ ...part, source: { data: of('image'), mimeType: of('mimeType') || of('mediaType') } })
    default:
      return typedBlocks(part)
  }
}

/** The chats of Cursor's command line: the rows of the database that it keeps for each. */
export const cursorChat = defineFormat({
  name: 'cursor-chat',
  rewrittenWhole: true,
  detect: ({ lines: [first] }) => {
    const [meta, blob] = [rowOf(first, 'meta'), rowOf(first, 'blobs')]
    return (
      asString(meta?.value) !== undefined || (asString(blob?.id) !== undefined && blob?.data !== undefined)
    )
  },
  reader: (_name, folder) => new ChatReader(folder),
  at: AT,
  entries: { message: { body: CHAT_BODY, view: chatView } },
  known: {
    written: '2026-08',
    types: { table: words('meta blobs') },
    fields: {
      '': words('table row'),
      row: words('key value id data'),
      'row.data': words('$bytes $blob'),
      'row.data.$bytes': words('role content id providerOptions'),
    },
  },
})

import { asString, field, isObject, items, type Json, type JsonObject } from '../model/json.ts'
import { OPAQUE, type Role, type Usage, type View } from '../model/view.ts'
import { blocksOf } from './core/contentblocks.ts'
import { defineFormat, entriesBy } from './core/define.ts'
import { type AllowList, all, each, fields, selectFields } from './core/fields.ts'
import type { Facts, Reader, Reading, RecordIndex } from './core/format.ts'
import { lackedIn, NO_ID, NONE, RecordTree } from './core/recordtree.ts'
import type { Sample } from './core/sample.ts'
import type { Unit, Warning } from './core/splitter.ts'
import { given, millis } from './core/values.ts'
import { part } from './gemini-cli/fields.ts'

const content = fields({ ...all('role'), parts: each(part) })
const MESSAGE: AllowList = {
  ...all('type', 'model'),
  message: content,
  usageMetadata: fields(
    all('promptTokenCount', 'candidatesTokenCount', 'thoughtsTokenCount', 'cachedContentTokenCount'),
  ),
}
const COMPRESSION: AllowList = {
  ...all('subtype'),
  systemPayload: fields({ compressedHistory: each(content) }),
}

/** The records that hold a message. */
const SPOKEN: ReadonlySet<string> = new Set(['user', 'assistant', 'tool_result'])

/**
 * Reads the records of one session in order: a tree by `parentUuid`, in which what is no message is passed over. A
 * rewind is a record whose parent is the place gone back to. Records that repeat an id are one message in pieces.
 */
class QwenReader implements Reader {
  readonly #nodes = new RecordTree()
  readonly #ids = new Map<string, { readonly at: RecordIndex; readonly parent: Json | undefined }>()
  #facts: Facts = {}

  read({ value }: Unit): Reading {
    const at = this.#nodes.length
    if (!isObject(value)) {
      this.#nodes.skip()
      return {}
    }
    const native = asString(value.uuid)
    const warnings: Warning[] = []
    const parent = this.#parentOf(value, native, warnings)
    const said = saidIn(value)
    if (said && native === undefined) warnings.push(NO_ID)
    this.#nodes.add(parent, said !== undefined, lackedIn(warnings, value.parentUuid))
    if (native !== undefined) this.#ids.set(native, { at, parent: value.parentUuid })
    const time = millis(value.timestamp)
    this.#facts = { ...factsOf(value, time), ...this.#facts, ...titleOf(value) }
    const above = this.#nodes.entryAt(parent)
    return {
      ...given('native', native),
      ...given('time', time),
      ...(said && {
        entry: { type: `qwen/${said.kind}`, body: said.body, parent: above === NONE ? null : above },
        ...given('dangling', this.#nodes.lacking(at)),
      }),
      ...(warnings.length > 0 && { warnings }),
    }
  }

  /** Qwen Code goes on where the last record stands. */
  active(): RecordIndex | null {
    for (let at = this.#nodes.length - 1; at >= 0; at--)
      if (this.#nodes.isNode(at)) {
        const entry = this.#nodes.entryAt(at)
        return entry === NONE ? null : entry
      }
    return null
  }

  facts(): Facts {
    return this.#facts
  }

  #parentOf(value: JsonObject, native: string | undefined, warnings: Warning[]): RecordIndex {
    const before = native === undefined ? undefined : this.#ids.get(native)
    if (before && before.parent === value.parentUuid) return before.at
    if (before)
      warnings.push({
        code: 'duplicate-id',
        message: `the uuid '${native}' occurs again, behind another parent`,
      })
    const id = asString(value.parentUuid)
    if (id === undefined) return NONE
    const parent = this.#ids.get(id)?.at
    if (parent === undefined)
      warnings.push({ code: 'dangling-parent', message: 'its parent was not read before: a root' })
    return parent ?? NONE
  }
}

function saidIn(value: JsonObject): { readonly kind: string; readonly body: Json } | undefined {
  const type = asString(value.type) ?? ''
  if (SPOKEN.has(type) && isObject(value.message)) return { kind: type, body: selectFields(value, MESSAGE) }
  const compressed = field(value.systemPayload, 'compressedHistory')
  if (value.subtype !== 'chat_compression' || !Array.isArray(compressed)) return undefined
  return { kind: 'chat_compression', body: selectFields(value, COMPRESSION) }
}

function factsOf(value: JsonObject, created: number | undefined): Facts {
  const [id, cwd] = [asString(value.sessionId), asString(value.cwd)]
  return { ...given('id', id), ...given('cwd', cwd || undefined), ...given('created', created) }
}

/** The title that was given last counts. */
function titleOf(value: JsonObject): Facts {
  const title =
    value.subtype === 'custom_title' ? asString(field(value.systemPayload, 'customTitle')) : undefined
  return given('title', title || undefined)
}

/** Returns what an entry of Qwen Code means, from its kind and body. */
function view(kind: string, body: Json): View {
  if (kind === 'chat_compression') {
    const replacement = items(field(field(body, 'systemPayload'), 'compressedHistory')).map(contentView)
    return { role: null, blocks: [], effect: { kind: 'compaction', replacement } }
  }
  if (kind !== 'user' && kind !== 'assistant' && kind !== 'tool_result') return OPAQUE
  const said = contentView(field(body, 'message') ?? null)
  const role: Role = kind === 'tool_result' ? 'tool' : kind
  const id = asString(field(body, 'model'))
  return {
    role,
    blocks: said.blocks,
    ...usageIn(field(body, 'usageMetadata')),
    ...(id !== undefined && role === 'assistant' && { sets: { model: { provider: 'qwen', id } } }),
  }
}

/** A content of Gemini's API: the user sends what tools answered. */
function contentView(value: Json): View {
  const blocks = blocksOf(field(value, 'parts'))
  if (field(value, 'role') === 'model') return { role: 'assistant', blocks }
  const answers = blocks.length > 0 && blocks.every((block) => block.kind === 'toolResult')
  return { role: answers ? 'tool' : 'user', blocks }
}

/** What was read from the cache is part of what went in, thinking is none of what came out. */
function usageIn(usage: Json | undefined): { readonly usage?: Usage } {
  const count = (name: string): number => {
    const value = field(usage, name)
    return typeof value === 'number' ? value : 0
  }
  if (field(usage, 'promptTokenCount') === undefined) return {}
  const cacheRead = count('cachedContentTokenCount')
  return {
    usage: {
      input: Math.max(0, count('promptTokenCount') - cacheRead),
      output: count('candidatesTokenCount') + count('thoughtsTokenCount'),
      cacheRead,
    },
  }
}

const isOwn = (line: Json): boolean =>
  asString(field(line, 'uuid')) !== undefined &&
  asString(field(line, 'type')) !== undefined &&
  (Array.isArray(field(field(line, 'message'), 'parts')) ||
    (field(line, 'systemPayload') !== undefined && items(field(line, 'content')).length === 0))

/** Qwen Code: `projects/<folder>/chats/<session>.jsonl`, the records of Claude Code around the messages of Gemini. */
export const qwen = defineFormat({
  name: 'qwen-code',
  dialect: 'qwen',
  detect: ({ lines: objects }: Sample) => objects.some(isOwn),
  reader: () => new QwenReader(),
  entries: entriesBy(
    { user: MESSAGE, assistant: MESSAGE, tool_result: MESSAGE, chat_compression: COMPRESSION },
    view,
  ),
})

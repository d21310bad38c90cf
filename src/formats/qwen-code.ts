import { type Digest, digestOf } from '../model/encoding/entry.ts'
import { asString, field, isObject, items, type Json, type JsonObject } from '../model/json.ts'
import { NewestVersion } from '../model/version.ts'
import type { Role, View } from '../model/view.ts'
import {
  all,
  bodyOf,
  defineFormat,
  type EntryDeclaration,
  type EntryDeclarations,
  each,
  fields,
} from './core/define.ts'
import { PlaceHistory } from './core/facthistory.ts'
import { type Facts, type FormatReader, NONE, type Reading, type RecordIndex } from './core/format.ts'
import { IdMap } from './core/idmap.ts'
import { IdTree } from './core/idtree.ts'
import { words } from './core/known.ts'
import type { Sample } from './core/sample.ts'
import type { Unit, Warning } from './core/splitter.ts'
import { dashedPath, factsAt, factsOf, fieldAt, millis } from './core/values.ts'
import { blocksOf, geminiUsage, modelIn } from './core/views.ts'
import { part } from './gemini-cli/entries.ts'

/** The names of the counts that the model's API has. */
const TOKENS = {
  input: 'promptTokenCount',
  output: 'candidatesTokenCount',
  thoughts: 'thoughtsTokenCount',
  cacheRead: 'cachedContentTokenCount',
} as const

const content = fields({ ...all('role'), parts: each(part) })

/** The records that hold a message. */
const MESSAGE_TYPES: ReadonlySet<string> = new Set(['user', 'assistant', 'tool_result'])

/** The newest record of each id: how its body and its parent compare with those of another record of the id. */
class NewestRecords {
  private count = 0
  private readonly ids = new IdMap()
  /** The newest record of each id with some body, and with some parent. */
  private readonly bodies = new IdMap()
  private readonly parents = new IdMap()

  set(id: string, parent: Json | undefined, digest: Digest | undefined): void {
    const record = this.count++
    this.ids.set(id, record)
    this.bodies.set(keyOf(id, digest), record)
    this.parents.set(keyOf(id, parent), record)
  }

  has(id: string): boolean {
    return this.ids.has(id)
  }

  hasBody(id: string, digest: Digest | undefined): boolean {
    return this.ids.get(id) === this.bodies.get(keyOf(id, digest))
  }

  hasParent(id: string, parent: Json | undefined): boolean {
    return this.ids.get(id) === this.parents.get(keyOf(id, parent))
  }
}

const keyOf = (id: string, value: Json | undefined): string =>
  JSON.stringify(value === undefined ? [id] : [id, value])

/**
 * Reads the records of one session in order: a tree by `parentUuid`, in which what is no message is passed over. A
 * rewind is a record whose parent is the place gone back to. Records that repeat an id are parts of one message, unless
 * one of two equal ones was salvaged.
 */
class QwenReader implements FormatReader {
  private readonly tree = new IdTree()
  private readonly known = new NewestRecords()
  private collected: Facts = {}
  private readonly place = new PlaceHistory()
  /** The name of the folder of its project. */
  readonly #project: string | undefined

  constructor(project?: string) {
    this.#project = project
  }
  private readonly version = new NewestVersion()

  read(unit: Unit): Reading {
    const { value, salvaged } = unit
    if (!isObject(value)) {
      this.tree.skip(unit)
      return {}
    }
    const { parentUuid } = value
    const [native, time, parsed] = [asString(value.uuid), millis(value.timestamp), parsedEntry(value)]
    this.version.add(value.version)
    this.collected = { ...factsIn(value, time), ...this.collected, ...titleOf(value) }
    this.place.folders.add(value.cwd)
    this.place.git.addBranch(value.gitBranch)
    const warnings: Warning[] = []
    const entry = parsed && { type: `qwen/${parsed.kind}`, body: parsed.body }
    const digest = parsed && digestOf(parsed.body)
    const isKnown = native !== undefined && this.known.has(native)
    const isTwin =
      isKnown && this.known.hasBody(native, digest) && this.tree.isIncomplete(native) !== salvaged
    const repeats = isKnown && !isTwin
    const isPart = repeats && this.known.hasParent(native, parentUuid)
    if (repeats && !isPart)
      warnings.push({
        code: 'duplicate-id',
        message: `the uuid '${native}' occurs again, behind another parent`,
      })
    const parent = isPart
      ? (this.tree.named(native) ?? NONE)
      : this.tree.parent(asString(parentUuid), warnings)
    if (native !== undefined && !(isTwin && salvaged)) this.known.set(native, parentUuid, digest)
    const parentId = parentUuid ?? null
    return this.tree.add(unit, { native, time, parent, parentId, entry, warnings, repeats })
  }

  /** Qwen Code resumes at the last record. */
  active(): RecordIndex | null {
    return this.tree.entryOf(this.tree.last)
  }

  facts(): Facts {
    const isOfFile = (folder: string): boolean => dashedPath(folder) === this.#project
    const cwd = this.place.folders.findLast(isOfFile)
    const version = this.version.newest
    return { ...this.collected, ...this.place.facts(), ...factsOf({ cwd, version }) }
  }
}

/** Returns the kind and the body of the entry that a record carries. */
function parsedEntry(value: JsonObject): { readonly kind: string; readonly body: Json } | undefined {
  const type = asString(value.type) ?? ''
  if (MESSAGE_TYPES.has(type) && isObject(value.message))
    return { kind: type, body: bodyOf(ENTRIES, type, value) }
  const compressed = field(value.systemPayload, 'compressedHistory')
  if (value.subtype !== 'chat_compression' || !Array.isArray(compressed)) return undefined
  return { kind: 'chat_compression', body: bodyOf(ENTRIES, 'chat_compression', value) }
}

const factsIn = (record: JsonObject, created: number | undefined): Facts =>
  factsOf({ ...factsAt(record, { id: 'sessionId' }), created })

/** The newest title counts. */
const titleOf = ({ subtype, systemPayload }: JsonObject): Facts =>
  subtype === 'custom_title' ? factsAt(systemPayload, { title: 'customTitle' }) : {}

/** The view of a compaction: the contents of Gemini's API that replace the history. */
function compressionView(body: Json): View {
  const replacement = items(fieldAt(body, 'systemPayload', 'compressedHistory')).map(contentView)
  return { role: null, blocks: [], effect: { kind: 'compaction', replacement } }
}

const messageOf = (role: Role): EntryDeclaration => ({
  body: {
    ...all('type', 'model'),
    message: content,
    usageMetadata: fields(all(...Object.values(TOKENS))),
  },
  view(body): View {
    const usage = field(body, 'usageMetadata')
    return {
      role,
      blocks: contentView(field(body, 'message') ?? null).blocks,
      ...(field(usage, TOKENS.input) !== undefined && geminiUsage(usage, TOKENS)),
      ...(role === 'assistant' && modelIn(field(body, 'model'), 'qwen')),
    }
  },
})

const ENTRIES: EntryDeclarations = {
  user: messageOf('user'),
  assistant: messageOf('assistant'),
  tool_result: messageOf('tool'),
  chat_compression: {
    body: { ...all('subtype'), systemPayload: fields({ compressedHistory: each(content) }) },
    view: compressionView,
  },
}

/** A content of Gemini's API: the user sends what tools answered. */
function contentView(value: Json): View {
  const blocks = blocksOf(field(value, 'parts'))
  if (field(value, 'role') === 'model') return { role: 'assistant', blocks }
  const answers = blocks.length > 0 && blocks.every((block) => block.kind === 'toolResult')
  return { role: answers ? 'tool' : 'user', blocks }
}

const isOwn = (line: Json): boolean =>
  asString(field(line, 'uuid')) !== undefined &&
  asString(field(line, 'type')) !== undefined &&
  (Array.isArray(fieldAt(line, 'message', 'parts')) ||
    (field(line, 'systemPayload') !== undefined && items(field(line, 'content')).length === 0))

/** Qwen Code: `projects/<folder>/chats/<session>.jsonl`, the records of Claude Code around the messages of Gemini. */
export const qwen = defineFormat({
  name: 'qwen-code',
  dialect: 'qwen',
  detect: ({ lines: objects }: Sample) => objects.some(isOwn),
  reader: (_name, _folder, above) => new QwenReader(above?.[0]),
  projectFolder: { name: dashedPath },
  entries: ENTRIES,
  known: {
    written: '0.21.13',
    types: {
      type: words('user assistant tool_result system'),
      subtype: words(`
        chat_compression custom_title mid_turn_user_message notification rewind session_artifact_snapshot slash_command
        ui_telemetry
      `),
    },
    fields: {
      '': words(`
        uuid parentUuid sessionId timestamp type subtype cwd version gitBranch message model toolCallResult usageMetadata
        contextWindowSize systemPayload
      `),
      message: words('role parts'),
      'message.parts': words(
        'text thought thoughtSignature functionCall functionResponse inlineData fileData',
      ),
      toolCallResult: words('callId status resultDisplay error errorType'),
    },
  },
})

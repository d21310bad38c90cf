import { isObject, items, type Json, type JsonObject, without } from '../../model/json.ts'
import { iso } from '../../model/time.ts'
import type { Block, Seal, Setting, Usage, View } from '../../model/view.ts'
import { viewOf } from '../core/define.ts'
import { type ExportRules, type ExportStep, exportSteps } from '../core/exportsteps.ts'
import { type Loss, lossesBetween } from '../core/losses.ts'
import { hexOf, isUuid } from '../core/uuid.ts'
import {
  type Draft,
  type DraftEntry,
  type FormatWriter,
  type Index,
  type Lines,
  lineOf,
  lossesOf,
  lostLabels,
  shortened,
  UniqueUuids,
  type Whereabouts,
  type WrittenLine,
} from '../core/writer.ts'
import { sourceOf } from '../requests/anthropic.ts'
import { soundInput, toolName } from '../requests/toolids.ts'
import { projectFolderName } from './projectfolder.ts'
import { ENTRIES } from './view.ts'

/**
 * Returns the content of a message for Claude's API. It leaves out what the API refuses: blank texts, thoughts
 * without a signature of that API, images without data. Images after a result become part of it.
 */
function contentOf(blocks: readonly Block[]): JsonObject[] {
  const content: JsonObject[] = []
  for (const block of blocks) {
    const made = blockOf(block)
    const last = content.at(-1)
    if (!made) continue
    if (made.source !== undefined && last?.type === 'tool_result')
      content[content.length - 1] = withImage(last, made)
    else content.push(made)
  }
  return content
}

function blockOf(block: Block): JsonObject | undefined {
  switch (block.kind) {
    case 'text':
      return block.text.trim() === '' ? undefined : { type: 'text', text: block.text }
    case 'thinking':
      return thought(block.text, block.seal)
    case 'toolCall':
      return {
        type: 'tool_use',
        id: block.id,
        name: toolName(block.name),
        input: soundInput(block),
      }
    case 'toolResult':
      return {
        tool_use_id: block.id,
        type: 'tool_result',
        content: block.text,
        ...(block.error && { is_error: true }),
      }
    case 'image': {
      const source = sourceOf(block)
      return source && { type: block.mediaType === 'application/pdf' ? 'document' : 'image', source }
    }
  }
}

function thought(thinking: string, seal: Seal | undefined): JsonObject | undefined {
  if (seal?.api !== 'anthropic') return undefined
  const { value, redacted } = seal
  return redacted
    ? { type: 'redacted_thinking', data: value }
    : { type: 'thinking', thinking, signature: value }
}

const withImage = ({ content, ...result }: JsonObject, image: JsonObject): JsonObject => {
  const before: readonly Json[] = Array.isArray(content) ? items(content) : textOf(content)
  return { ...result, content: [...before, image] }
}

const textOf = (text: Json | undefined): Json[] => (text ? [{ type: 'text', text }] : [])

/** Writes a path as Claude Code keeps a session: a chain by `uuid` and `parentUuid`, which its own reader accepts. */
export const writer: FormatWriter = { branched: false, takesId: isUuid, place, lines }

/** `projects/<folder>/<session>.jsonl`, the folder as Claude Code spells it. */
function place(
  { id, cwd = '/' }: Pick<Draft, 'id' | 'cwd'>,
  machine?: Pick<Whereabouts, 'claudeProject'>,
): readonly string[] {
  return ['projects', machine?.claudeProject ?? projectFolderName(cwd), `${id}.jsonl`]
}

const RULES: ExportRules = { dialect: 'claude', adjacent: true }

async function* lines(draft: Draft): Lines {
  const chain = new ClaudeRecords(draft)
  for await (const step of exportSteps(draft, RULES)) yield* 'code' in step ? [step] : chain.add(step)
  yield* chain.end()
  yield* lostLabels(draft)
  if (draft.title !== undefined)
    yield lineOf({ type: 'custom-title', customTitle: draft.title, sessionId: draft.id })
}

const isCall = ({ kind }: Block): boolean => kind === 'toolCall'

/** The release whose records these are like. */
const VERSION = '2.1.185'

/** Makes the records of a path, each continuing the one before. */
class ClaudeRecords {
  readonly #draft: Draft
  readonly #uuids = new UniqueUuids()
  /** By entry: the ids of its records. */
  readonly #ids: string[][] = []
  #last: string | null = null
  #time: number
  /** The shared id of the records of one answer, and its model call; undefined if the next record begins another. */
  #answer: { readonly id: string; readonly call: string | undefined; readonly waits: boolean } | undefined
  #model: Setting['model']
  /** The compaction that was written last, if it does not keep the newest messages and nothing follows it yet. */
  #compactionAtEnd: ExportStep | undefined

  constructor(draft: Draft) {
    this.#draft = draft
    this.#time = draft.created
  }

  /** Returns the records of the next step, and the losses. */
  add(step: ExportStep): (WrittenLine | Loss)[] {
    const { entry, at } = step
    this.#time = entry.time ?? this.#time
    if (step.kind !== 'segment' || step.role !== 'assistant') this.#answer = undefined
    this.#compactionAtEnd = undefined
    switch (step.kind) {
      case 'own':
        return [this.#own(entry, at)]
      case 'setting':
        this.#model = step.sets.model ?? this.#model
        return [{ code: 'setting', oid: entry.oid }]
      case 'compaction':
        return this.#compaction(step, step.summary, step.kept)
      case 'segment':
        return this.#segment(step, step.role, step.blocks)
    }
  }

  #segment({ entry, at }: ExportStep, role: string, blocks: readonly Block[]): (WrittenLine | Loss)[] {
    this.#model = entry.view.sets?.model ?? this.#model
    const content = contentOf(blocks)
    const type = role === 'assistant' ? 'assistant' : 'user'
    const message =
      type === 'user' ? { role: type, content: shortened(content) } : this.#message(entry, content, blocks)
    const record = { type, ...(role === 'system' && { isMeta: true }), message }
    const before = { role: role as View['role'], blocks }
    const lost = lossesBetween([before], content.length === 0 ? [] : [viewOf(ENTRIES, type, record)])
    const losses = lossesOf(entry.oid, lost)
    return content.length === 0 ? losses : [this.#line(entry, at, record), ...losses]
  }

  /**
   * Returns a message of the model. Calls that wait for results share one answer, as do the blocks of one model call;
   * everything else is an answer of its own, because Claude Code reads an answer as a whole.
   */
  #message({ view, oid }: DraftEntry, content: readonly JsonObject[], blocks: readonly Block[]): JsonObject {
    const { call } = view.usage ?? {}
    const before = this.#answer
    const goesOn = before !== undefined && (before.waits || (call !== undefined && call === before.call))
    const id = goesOn ? before.id : `msg_${hexOf('message', oid).slice(0, 24)}`
    this.#answer = { id, call, waits: (goesOn && before.waits) || blocks.some(isCall) }
    return {
      id,
      type: 'message',
      role: 'assistant',
      model: this.#model?.id ?? 'unknown',
      content,
      stop_reason: content.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn',
      stop_sequence: null,
      usage: usageOf(view.usage),
    }
  }

  /** Claude Code resumes at the newest leaf: an empty record after a compaction makes that the leaf. */
  end(): WrittenLine[] {
    if (!this.#compactionAtEnd) return []
    const { entry, at } = this.#compactionAtEnd
    return [
      this.#line(
        entry,
        at,
        { type: 'system', subtype: 'turn_duration', durationMs: 0 },
        this.#uuids.next(entry.oid, 'end'),
      ),
    ]
  }

  #compaction(step: ExportStep, summary: string, kept: readonly Index[]): (WrittenLine | Loss)[] {
    const { entry, at } = step
    const logicalParentUuid = this.#last
    const anchorUuid = this.#uuids.next(entry.oid, 'summary')
    const uuids = kept.flatMap((one) => this.#ids[one] ?? [])
    if (uuids.length > 0 && uuids.at(-1) !== logicalParentUuid) this.#compactionAtEnd = step
    this.#last = null
    const boundary = this.#line(entry, at, {
      logicalParentUuid,
      type: 'system',
      subtype: 'compact_boundary',
      content: 'Conversation compacted',
      isMeta: false,
      level: 'info',
      compactMetadata: {
        trigger: 'manual',
        preTokens: 0,
        ...(uuids.length > 0 && { preservedMessages: { anchorUuid, uuids, allUuids: uuids } }),
      },
    })
    const summaryLine = this.#line(
      entry,
      at,
      {
        type: 'user',
        message: { role: 'user', content: summary },
        isCompactSummary: true,
        isVisibleInTranscriptOnly: true,
      },
      anchorUuid,
    )
    return [boundary, summaryLine]
  }

  /** Returns a record of Claude Code as its source had it, with its new parent. */
  #own(entry: DraftEntry, at: Index): WrittenLine {
    const record = isObject(entry.value) ? entry.value : (entry.body as JsonObject)
    const isBoundary = entry.type === 'claude/compact_boundary'
    const rest = without(record, 'parentUuid', 'logicalParentUuid')
    const fields = isBoundary ? { logicalParentUuid: this.#last, ...rest, ...this.#keeps(entry, rest) } : rest
    if (isBoundary) this.#last = null
    return this.#line(entry, at, fields)
  }

  #keeps({ links }: DraftEntry, { compactMetadata }: JsonObject): JsonObject {
    const before = isObject(compactMetadata) ? compactMetadata : {}
    const uuids = (links.kept ?? []).flatMap((one) => this.#ids[one] ?? [])
    const listed = isObject(before.preservedMessages) ? before.preservedMessages : {}
    const rest = without(before, 'preservedSegment', 'preservedMessages')
    return {
      compactMetadata: { ...rest, ...(uuids.length > 0 && { preservedMessages: { ...listed, uuids } }) },
    }
  }

  /** Returns a line with the record's place in the chain and the fields that every record has. */
  #line(entry: DraftEntry, at: Index, fields: JsonObject, id?: string): WrittenLine {
    const own = entry.type.startsWith('claude/') ? entry.native : undefined
    const uuid = id ?? this.#uuids.next(entry.oid, '', own)
    const record = {
      parentUuid: this.#last,
      userType: 'external',
      cwd: this.#draft.cwd ?? '/',
      version: VERSION,
      timestamp: iso(this.#time),
      ...fields,
      isSidechain: false,
      sessionId: this.#draft.id,
      uuid,
    }
    this.#last = uuid
    ;(this.#ids[at] ??= []).push(uuid)
    return lineOf(record, at)
  }
}

const usageOf = ({ input = 0, output = 0, cacheRead = 0, cacheWrite = 0 }: Usage = {}): JsonObject => ({
  input_tokens: input,
  output_tokens: output,
  cache_creation_input_tokens: cacheWrite,
  cache_read_input_tokens: cacheRead,
})

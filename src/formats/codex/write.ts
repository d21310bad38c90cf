import {
  field,
  isObject,
  items as itemsIn,
  type Json,
  type JsonObject,
  jsonText,
  without,
} from '../../model/json.ts'
import { iso } from '../../model/time.ts'
import type { Block, Role } from '../../model/view.ts'
import { callInput, textCall } from '../core/callinput.ts'
import { type ExportRules, type ExportStep, exportSteps, segmentsOf } from '../core/exportsteps.ts'
import { type Loss, lossesBetween } from '../core/losses.ts'
import { isUuid } from '../core/uuid.ts'
import { textIn } from '../core/views.ts'
import {
  type Draft,
  type DraftEntry,
  type FormatWriter,
  type Index,
  type Lines,
  lineOf,
  lossesOf,
  lostLabels,
  sourceRecord,
  type WrittenLine,
} from '../core/writer.ts'
import { partOf } from './fields.ts'
import { view } from './view.ts'

const ROLES: Readonly<Record<Role, string>> = {
  user: 'user',
  assistant: 'assistant',
  tool: 'user',
  system: 'developer',
}

/**
 * Returns the blocks of one speaker as items of the Responses API: consecutive texts and images are one message,
 * images after a result are part of it. Thoughts are left out, because only their own model can read them. `textCalls` has
 * the ids of the calls whose arguments are a text: their results have another type.
 */
function itemsOf(role: Role, blocks: readonly Block[], textCalls: Set<string>): JsonObject[] {
  const items: JsonObject[] = []
  let content: Json[] | undefined
  for (const block of blocks) {
    const last = items.at(-1)
    if (block.kind === 'image' && last?.output !== undefined && content === undefined)
      items[items.length - 1] = withImage(last, block)
    else if (block.kind === 'text' || block.kind === 'image') {
      const part = contentPart(block, role)
      if (part === undefined) continue
      if (content === undefined) items.push({ type: 'message', role: ROLES[role], content: (content = []) })
      content.push(part)
    } else if (block.kind !== 'thinking') {
      content = undefined
      items.push(itemOf(block, textCalls))
    }
  }
  return items
}

function contentPart(block: Block, role: Role): JsonObject | undefined {
  if (block.kind === 'image') return imagePart(block)
  if (block.kind !== 'text' || block.text === '') return undefined
  return { type: role === 'assistant' ? 'output_text' : 'input_text', text: block.text }
}

const imagePart = (block: Block): JsonObject | undefined =>
  block.kind !== 'image' || block.data === undefined
    ? undefined
    : { type: 'input_image', image_url: `data:${block.mediaType};base64,${block.data}` }

function itemOf(
  block: Block & { readonly kind: 'toolCall' | 'toolResult' },
  textCalls: Set<string>,
): JsonObject {
  const { id } = block
  if (block.kind === 'toolResult') {
    const type = textCalls.has(id) ? 'custom_tool_call_output' : 'function_call_output'
    return { type, call_id: id, output: block.text }
  }
  const input = callInput(block, 'text')
  if (typeof input !== 'string')
    return { type: 'function_call', name: block.name, arguments: jsonText(input), call_id: id }
  textCalls.add(id)
  return { type: 'custom_tool_call', status: 'completed', call_id: id, name: block.name, input }
}

/** The tools of Codex whose calls are a text. */
const TEXT_TOOLS: ReadonlySet<string> = new Set(['apply_patch', 'exec'])

const withTextCalls = (blocks: readonly Block[]): Block[] =>
  blocks.map((block) => textCall(block, TEXT_TOOLS))

function withImage({ output, ...item }: JsonObject, block: Block): JsonObject {
  const image = imagePart(block)
  if (!image) return { ...item, output: output ?? '' }
  const before = Array.isArray(output) ? itemsIn(output) : [{ type: 'input_text', text: output ?? '' }]
  return { ...item, output: [...before, image] }
}

/** Writes a path as a rollout of Codex: a header, the items that the model saw, and what its list shows of them. */
export const writer: FormatWriter = { branched: false, takesId: isUuid, place, lines }

/** `sessions/YYYY/MM/DD/rollout-<time>-<id>.jsonl`, the time in UTC. */
function place({ id, created }: Pick<Draft, 'id' | 'created'>): readonly string[] {
  const time = iso(created) ?? ''
  const name = `rollout-${time.slice(0, 19).replaceAll(':', '-')}-${id}.jsonl`
  return ['sessions', ...time.slice(0, 10).split('-'), name]
}

const RULES: ExportRules = { dialect: 'codex', adjacent: false, texts: 'text' }

async function* lines(draft: Draft): Lines {
  const rollout = new Rollout(draft)
  yield rollout.header()
  for await (const step of exportSteps(draft, RULES)) yield* 'code' in step ? [step] : await rollout.add(step)
  yield* lostLabels(draft)
  if (draft.title !== undefined)
    yield rollout.line('event_msg', {
      type: 'thread_name_updated',
      thread_id: draft.id,
      thread_name: draft.title,
    })
}

/** The release whose lines these are like. */
const VERSION = '0.140.0'

/**
 * The fields of a header that do not hold for a copy: it has the whole history and no ordinals, so it begins at no place in
 * another file.
 */
const REFERRING = [
  ...['history_mode', 'history_base', 'forked_from_ordinal_exclusive', 'subagent_history_start_ordinal'],
] as const

/** Makes the lines of a rollout. */
class Rollout {
  readonly #draft: Draft
  /** The calls so far whose arguments are a text. */
  readonly #textCalls = new Set<string>()
  #time: number

  constructor(draft: Draft) {
    this.#draft = draft
    this.#time = draft.created
  }

  line(type: string, payload: JsonObject, entry?: Index): WrittenLine {
    return lineOf({ timestamp: iso(this.#time), type, payload }, entry)
  }

  header(): WrittenLine {
    const { id, cwd = '/', created, header } = this.#draft
    const before = field(header, 'payload')
    const own = isObject(before)
      ? without(before, ...REFERRING)
      : { originator: 'sess', cli_version: VERSION }
    return this.line('session_meta', {
      source: 'cli',
      model_provider: 'openai',
      ...own,
      ...(Object.hasOwn(own, 'session_id') && { session_id: id }),
      id,
      timestamp: iso(created),
      cwd,
    })
  }

  /** Returns the lines of the next step, and the losses. */
  async add(step: ExportStep): Promise<(WrittenLine | Loss)[]> {
    const { entry, at } = step
    this.#time = entry.time ?? this.#time
    const { oid } = entry
    switch (step.kind) {
      case 'own':
        return this.#own(entry, at)
      case 'setting':
        return this.#setting(step)
      case 'compaction': {
        const replacement_history = await this.#history(step.summary, step.kept)
        return [this.line('compacted', { message: step.summary, replacement_history }, at)]
      }
      case 'segment': {
        const { role } = step
        const blocks = withTextCalls(step.blocks)
        const made = itemsOf(role, blocks, this.#textCalls)
        const views = made.map((item) => view(item))
        const losses = lossesOf(oid, lossesBetween([{ role, blocks }], views))
        return [...made.flatMap((item) => this.#item(item, at)), ...losses]
      }
    }
  }

  /** Returns the line of an item, and after a message that of the event that session lists show. */
  #item(item: JsonObject, at: Index): WrittenLine[] {
    const line = this.line('response_item', item, at)
    if (item.type !== 'message') return [line]
    const message = textIn(view(item).blocks)
    if (item.role === 'assistant') return [line, this.line('event_msg', { type: 'agent_message', message })]
    if (partOf(item) !== 'prompt') return [line]
    return [line, this.line('event_msg', { type: 'user_message', message, images: [] })]
  }

  /** Returns a line of Codex as its source had it, else around the body. */
  #own(entry: DraftEntry, at: Index): WrittenLine[] {
    const record = sourceRecord(entry)
    const { type, payload } = record
    const { role, blocks } = entry.view
    const inside = isObject(payload) ? payload : record
    if (inside.type === 'custom_tool_call' && typeof inside.call_id === 'string')
      this.#textCalls.add(inside.call_id)
    const line =
      typeof type === 'string' && isObject(payload)
        ? this.line(type, type === 'turn_context' ? this.#context(payload) : payload, at)
        : this.line('response_item', record, at)
    if (type !== 'response_item' || role !== 'user' || !isObject(payload) || partOf(payload) !== 'prompt')
      return [line]
    return [line, this.line('event_msg', { type: 'user_message', message: textIn(blocks), images: [] })]
  }

  #setting({ entry, at, ...step }: ExportStep): (WrittenLine | Loss)[] {
    const { model, thinking, mode } = 'sets' in step ? step.sets : {}
    const isTheirs = /openai|codex/.test(model?.provider ?? '')
    const losses: Loss[] = !isTheirs || mode !== undefined ? [{ code: 'setting', oid: entry.oid }] : []
    if (!model || !isTheirs) return losses
    const set = { model: model.id, ...(thinking !== undefined && { effort: thinking }) }
    return [this.line('turn_context', this.#context(set), at), ...losses]
  }

  /** Returns the fields that Codex requires of a turn's context. */
  #context(set: JsonObject): JsonObject {
    const cwd = this.#draft.cwd ?? '/'
    return {
      cwd,
      approval_policy: 'on-request',
      sandbox_policy: { type: 'read-only' },
      summary: 'auto',
      ...set,
    }
  }

  /** Returns the replacement of a history: the entries that are kept, then the summary. */
  async #history(summary: string, kept: readonly Index[]): Promise<Json> {
    const items: JsonObject[] = []
    for (const at of kept) {
      const { view: original, body, type } = await this.#draft.read(at)
      const inside = field(body, 'payload')
      if (type.startsWith('codex/') && isObject(inside)) items.push(inside)
      else
        for (const { role, blocks } of segmentsOf(original.role, original.blocks))
          items.push(...itemsOf(role, withTextCalls(blocks), this.#textCalls))
    }
    return [
      ...items,
      ...(summary === '' ? [] : itemsOf('user', [{ kind: 'text', text: summary }], this.#textCalls)),
    ]
  }
}

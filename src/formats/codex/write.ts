import { iso } from '../../model/iso.ts'
import { field, isObject, type Json, type JsonObject, jsonText, without } from '../../model/json.ts'
import type { View } from '../../model/view.ts'
import { isUuid } from '../ids.ts'
import { type Loss, lossesBetween } from '../losses.ts'
import { segmentsOf } from '../segments.ts'
import { type Rules, type Step, stepsOf } from '../steps.ts'
import type { Draft, DraftEntry, Index, Line, Lines, Writer } from '../write.ts'
import { partOf } from './item.ts'
import { itemsOf } from './items.ts'
import { view as viewOf } from './view.ts'

/** Writes a path as a rollout of Codex: a header, the items that the model saw, and what its list shows of them. */
export const writer: Writer = { branched: false, takesId: isUuid, place, lines }

/** `sessions/YYYY/MM/DD/rollout-<time>-<id>.jsonl`, the time in UTC. */
function place({ id, created }: Pick<Draft, 'id' | 'created'>): readonly string[] {
  const time = iso(created) ?? ''
  const name = `rollout-${time.slice(0, 19).replaceAll(':', '-')}-${id}.jsonl`
  return ['sessions', ...time.slice(0, 10).split('-'), name]
}

const RULES: Rules = { dialect: 'codex', adjacent: false }

async function* lines(draft: Draft): Lines {
  const rollout = new Rollout(draft)
  yield rollout.header()
  for await (const step of stepsOf(draft, RULES)) yield* 'code' in step ? [step] : await rollout.add(step)
  for (const subject of draft.labels.keys()) yield { code: 'label', subject }
  if (draft.title !== undefined)
    yield rollout.line('event_msg', {
      type: 'thread_name_updated',
      thread_id: draft.id,
      thread_name: draft.title,
    })
}

/** The release whose lines these are like. */
const VERSION = '0.140.0'

/** Makes the lines of a rollout. */
class Rollout {
  readonly #draft: Draft
  #time: number

  constructor(draft: Draft) {
    this.#draft = draft
    this.#time = draft.created
  }

  line(type: string, payload: JsonObject, entry?: Index): Line {
    const text = `${jsonText({ timestamp: iso(this.#time), type, payload })}\n`
    return { text, ...(entry !== undefined && { entry }) }
  }

  header(): Line {
    const { id, cwd = '/', created, header } = this.#draft
    const before = field(header, 'payload')
    const own = isObject(before)
      ? without(before, 'history_mode')
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

  /** Takes the next step and gives the lines for it, and what they do not carry. */
  async add(step: Step): Promise<(Line | Loss)[]> {
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
      case 'said': {
        const { role, blocks } = step
        const made = itemsOf(role, blocks)
        const views = made.map((item) => viewOf('', item))
        const losses = lossesBetween([{ role, blocks }], views).map((code): Loss => ({ code, oid }))
        return [...made.flatMap((item) => this.#item(item, at)), ...losses]
      }
    }
  }

  /** Gives an item, and of what people say the event that lists show. */
  #item(item: JsonObject, at: Index): Line[] {
    const line = this.line('response_item', item, at)
    if (item.type !== 'message') return [line]
    const message = wordsOf(viewOf('', item))
    if (item.role === 'assistant') return [line, this.line('event_msg', { type: 'agent_message', message })]
    if (partOf(item) !== 'prompt') return [line]
    return [line, this.line('event_msg', { type: 'user_message', message, images: [] })]
  }

  /** Gives a line of Codex as its source held it, else around the body. */
  #own({ value, body, view }: DraftEntry, at: Index): Line[] {
    const held = isObject(value) ? value : isObject(body) ? body : {}
    const { type, payload } = held
    const line =
      typeof type === 'string' && isObject(payload)
        ? this.line(type, type === 'turn_context' ? this.#context(payload) : payload, at)
        : this.line('response_item', held, at)
    if (
      type !== 'response_item' ||
      view.role !== 'user' ||
      !isObject(payload) ||
      partOf(payload) !== 'prompt'
    )
      return [line]
    return [line, this.line('event_msg', { type: 'user_message', message: wordsOf(view), images: [] })]
  }

  #setting({ entry, at, ...step }: Step): (Line | Loss)[] {
    const { model, thinking, mode } = 'sets' in step ? step.sets : {}
    const isTheirs = /openai|codex/.test(model?.provider ?? '')
    const losses: Loss[] = !isTheirs || mode !== undefined ? [{ code: 'setting', oid: entry.oid }] : []
    if (!model || !isTheirs) return losses
    const set = { model: model.id, ...(thinking !== undefined && { effort: thinking }) }
    return [this.line('turn_context', this.#context(set), at), ...losses]
  }

  /** What Codex asks of the context of a turn. */
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

  /** Gives what stands in the place of a history: the entries that are kept, then the summary. */
  async #history(summary: string, kept: readonly Index[]): Promise<Json> {
    const items: JsonObject[] = []
    for (const at of kept) {
      const { view, body, type } = await this.#draft.read(at)
      const inside = field(body, 'payload')
      if (type.startsWith('codex/') && isObject(inside)) items.push(inside)
      else
        for (const { role, blocks } of segmentsOf(view.role, view.blocks))
          items.push(...itemsOf(role, blocks))
    }
    return [...items, ...(summary === '' ? [] : itemsOf('user', [{ kind: 'text', text: summary }]))]
  }
}

const wordsOf = ({ blocks }: View): string =>
  blocks.flatMap((block) => (block.kind === 'text' ? [block.text] : [])).join('\n')

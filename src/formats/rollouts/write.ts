import { isObject, type Json, type JsonObject, jsonText, without } from '../../model/json.ts'
import { iso } from '../../model/time.ts'
import type { Block, Role, Setting, View } from '../../model/view.ts'
import { callInput } from '../core/callinput.ts'
import { segmentsOf } from '../core/exportsteps.ts'
import {
  type AnswerTurn,
  answerSegments,
  type ExportTurn,
  exportTurns,
  resultsIn,
} from '../core/exportturns.ts'
import { LOSS_OF_BLOCK, type Loss, type LossCode, lossesBetween } from '../core/losses.ts'
import { isUuid } from '../core/uuid.ts'
import {
  type Draft,
  type DraftEntry,
  type FormatWriter,
  type Index,
  type Lines,
  lineOf,
  lossesOf,
  lostLabels,
  lostTitle,
  shortened,
  type WrittenLine,
} from '../core/writer.ts'
import { dashed } from '../pi/write.ts'
import { isSessionFolder, view as viewOf } from './fields.ts'

/** Returns a message of the user or the system; none if nothing of it can be written. */
function wordsMessage(role: string, blocks: readonly Block[]): JsonObject[] {
  const content = contentOf(blocks)
  return content.length === 0 ? [] : [{ role, content: shortened(content) }]
}

/** Returns a message of the model; none if nothing of it can be written. */
function answerMessage(blocks: readonly Block[], model: Setting['model']): JsonObject[] {
  const content = contentOf(blocks)
  const by = model && { ...(model.provider !== undefined && { provider: model.provider }), model: model.id }
  return content.length === 0 ? [] : [{ role: 'assistant', content: shortened(content), ...by }]
}

/** Returns the result of a call, with its images, as a message. */
function resultMessage([answer, ...images]: readonly Block[]): JsonObject {
  const { id, text, error } = answer?.kind === 'toolResult' ? answer : { id: '', text: '', error: false }
  const shown = contentOf(images)
  return {
    role: 'tool',
    content: shown.length === 0 ? text : [{ type: 'text', text }, ...shown],
    tool_call_id: id,
    ...(error && { details: { is_error: true } }),
  }
}

/** Returns blocks as content. A thought that nobody signed is left out: the APIs take none back. */
const contentOf = (blocks: readonly Block[]): JsonObject[] =>
  blocks.flatMap((block): JsonObject[] => {
    switch (block.kind) {
      case 'text':
        return block.text === '' ? [] : [{ type: 'text', text: block.text }]
      case 'thinking':
        return block.seal?.api === 'anthropic' && !block.seal.redacted
          ? [{ type: 'thinking', thinking: block.text, thinking_signature: block.seal.value }]
          : []
      case 'toolCall':
        return [{ type: 'toolCall', id: block.id, name: block.name, arguments: callInput(block) }]
      case 'image':
        return block.data === undefined
          ? []
          : [{ type: 'image', data: block.data, mime_type: block.mediaType }]
      case 'toolResult':
        return []
    }
  })

/** Writes a path as a session file of rollouts: a header, then a message a line. */
export const writer: FormatWriter = { branched: false, takesId: isUuid, place, lines: fileLines }

/** `sessions/--<folder>--/<second>_<id>.jsonl`, the time in UTC. */
function place({ id, cwd, created }: Pick<Draft, 'id' | 'cwd' | 'created'>): readonly string[] {
  const second = (iso(created) ?? '').slice(0, 19).replaceAll(':', '-')
  return ['sessions', dashed(cwd), `${second}_${id}.jsonl`]
}

async function* fileLines(draft: Draft): Lines {
  const survey = await surveyed(draft)
  yield lineOf(headerOf(draft, survey))
  yield* messageLines(draft, survey, (message, timestamp) => ({ type: 'message', timestamp, message }))
}

function headerOf(draft: Draft, survey: PathSurvey): JsonObject {
  const { id, created, cwd = '/', header } = draft
  const own = isObject(header) && header.type === 'session' ? header : {}
  const fields = { type: 'session', id, timestamp: iso(created), cwd }
  return { ...fields, ...modelOf(survey), ...without(own, ...Object.keys(fields)) }
}

/** Returns the model that a path sets first, as rollouts names it. */
function modelOf({ model: set }: PathSurvey): JsonObject {
  const { provider = 'unknown', id: model = 'unknown' } = set ?? {}
  return { provider, model }
}

/** Returns the value of a line, from a message and its time. */
type Placed = (message: JsonObject, time: string | null) => JsonObject

/** Returns a path as lines of messages, and what these do not carry. */
async function* messageLines(draft: Draft, { model, compaction }: PathSurvey, placed: Placed): Lines {
  const talk = new MessageLines(draft, compaction, model, placed)
  for await (const turn of exportTurns(draft, { dialect: 'rollouts' }))
    yield* 'code' in turn ? [turn] : await talk.add(turn)
  yield* lostLabels(draft)
  yield* lostTitle(draft)
}

/**
 * The facts of a path that are needed before it is written: the first model that it sets, and its last compaction.
 */
export interface PathSurvey {
  readonly model: Setting['model']
  readonly compaction: Index
}

async function surveyed(draft: Draft): Promise<PathSurvey> {
  let model: Setting['model']
  let compaction = -1
  for (let at = 0; at < draft.count; at++) {
    const { sets, effect } = (await draft.read(at)).view
    model ??= sets?.model
    if (effect?.kind === 'compaction') compaction = at
  }
  return { model, compaction }
}

/** Makes the lines of a session. It has no compactions: what precedes the last one is left out, except what that keeps. */
class MessageLines {
  readonly #draft: Draft
  readonly #compaction: Index
  readonly #placed: Placed
  /** The kinds of blocks that were left out. */
  readonly #out = new Set<LossCode>()
  #time: number
  #model: Setting['model']

  constructor(draft: Draft, compaction: Index, model: Setting['model'], placed: Placed) {
    this.#draft = draft
    this.#placed = placed
    this.#compaction = compaction
    this.#model = model
    this.#time = draft.created
  }

  /** Returns the lines of the next turn, and the losses. */
  async add(turn: ExportTurn): Promise<(WrittenLine | Loss)[]> {
    const { entry, at } = turn
    this.#time = entry.time ?? this.#time
    this.#model = entry.view.sets?.model ?? this.#model
    switch (turn.kind) {
      case 'setting':
        return [{ code: 'setting', oid: entry.oid }]
      case 'compaction':
        return at === this.#compaction ? this.#compacted(turn, turn.summary, turn.kept) : []
      case 'own':
        return this.#written(turn, undefined, [ownOf(entry)])
      case 'answer':
        return this.#answer(turn)
      case 'segment':
        return this.#written(turn, [turn], this.#messages(turn.role, turn.blocks))
    }
  }

  #answer(answer: AnswerTurn): (WrittenLine | Loss)[] {
    const segments = answerSegments(answer)
    const made = segments.flatMap(({ role, blocks }) => this.#messages(role, blocks))
    return this.#written(answer, segments, made)
  }

  #messages(role: Role, blocks: readonly Block[]): JsonObject[] {
    if (role === 'assistant') return answerMessage(blocks, this.#model)
    return role === 'tool' ? resultsIn(blocks).map(resultMessage) : wordsMessage(role, blocks)
  }

  /** Returns messages as lines, and the losses; messages of the format itself lose nothing. */
  #written(
    { entry: { oid }, at }: Pick<ExportTurn, 'entry' | 'at'>,
    originals: readonly Pick<View, 'role' | 'blocks'>[] | undefined,
    made: readonly JsonObject[],
  ): (WrittenLine | Loss)[] {
    const views = made.map((message) => viewOf(message))
    if (at < this.#compaction) {
      for (const { blocks } of originals ?? views)
        for (const { kind } of blocks) this.#out.add(LOSS_OF_BLOCK[kind])
      return []
    }
    const losses = lossesOf(oid, originals ? lossesBetween(originals, views) : [])
    return [...made.map((message) => this.#line(message, at)), ...losses]
  }

  async #compacted(
    { entry: { oid }, at }: ExportTurn,
    summary: string,
    kept: readonly Index[],
  ): Promise<(WrittenLine | Loss)[]> {
    const made: JsonObject[] = summary === '' ? [] : [{ role: 'user', content: summary }]
    for (const one of kept) {
      const { view, ...entry } = await this.#draft.read(one)
      if (entry.type.startsWith('rollouts/')) made.push(ownOf(entry))
      else
        for (const { role, blocks } of segmentsOf(view.role, view.blocks))
          made.push(...this.#messages(role, blocks))
    }
    const losses = lossesOf(oid, ['compaction', ...this.#out])
    return [...made.map((message) => this.#line(message, at)), ...losses]
  }

  #line(message: JsonObject, entry: Index): WrittenLine {
    return lineOf(this.#placed(message, iso(this.#time)), entry)
  }
}

/** Returns a message of rollouts as in its source, in a file or in a folder. */
function ownOf({ value, body }: Pick<DraftEntry, 'value' | 'body'>): JsonObject {
  const record = isObject(value) ? value : {}
  const message: Json =
    record.type === 'message' && record.message !== undefined ? record.message : (value ?? body)
  return isObject(message) ? message : {}
}

/** Writes a path as a session folder of rollouts: only messages, with the metadata in a sidecar file. */
export const folder: FormatWriter = {
  ...writer,
  takesId: isSessionFolder,
  idOf: (uuid, created) => {
    const [day = '', time = ''] = (iso(created) ?? '').slice(0, 19).replaceAll(/[-:]/g, '').split('T')
    return `${day}_${time}_${uuid.slice(0, 6)}`
  },
  place: ({ id }) => ['sessions', id, 'messages.jsonl'],
  below: 2,
  sidecars: async (draft) => [
    { name: `${draft.id}/session.json`, text: `${jsonText(await about(draft))}\n` },
  ],
  lines: folderLines,
}

async function* folderLines(draft: Draft): Lines {
  yield* messageLines(draft, await surveyed(draft), (message, timestamp) => ({ timestamp, ...message }))
}

/** Returns the metadata of a session. The branch point of a path is unknown. */
async function about(draft: Draft): Promise<JsonObject> {
  const created = iso(draft.created)
  return {
    session_id: draft.id,
    parent_id: null,
    branch_point: null,
    endpoint: modelOf(await surveyed(draft)),
    environment: { type: 'local', config: {} },
    environment_state: null,
    status: 'pending',
    reward: null,
    tags: {},
    created_at: created,
    updated_at: created,
  }
}

import { oidOf } from '../../model/encoding/oid.ts'
import { sha256 } from '../../model/encoding/sha256.ts'
import { field, isObject, items, type Json, type JsonObject, without } from '../../model/json.ts'
import { iso } from '../../model/time.ts'
import type { Block, Setting, Usage, View } from '../../model/view.ts'
import { callInput } from '../core/callinput.ts'
import { viewOf } from '../core/define.ts'
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
  sourceRecord,
  UniqueUuids,
  type Whereabouts,
  type WrittenLine,
} from '../core/writer.ts'
import { ENTRIES, speakerOf } from './entries.ts'

/** The order of blocks in a message of Gemini: a block that would have to come earlier begins another message. */
const PLACES = { thinking: 0, text: 1, image: 1, toolCall: 2, toolResult: 3 } as const satisfies Record<
  Block['kind'],
  number
>

/** Splits blocks into those that fit into one message of Gemini each. */
function answersIn(blocks: readonly Block[]): Block[][] {
  const answers: Block[][] = []
  for (const block of blocks) {
    const last = answers.at(-1)
    const before = last?.at(-1)
    if (last && before && PLACES[block.kind] >= PLACES[before.kind]) last.push(block)
    else answers.push([block])
  }
  return answers
}

/** Returns texts and images as the parts of a message. */
const partsOf = (blocks: readonly Block[]): JsonObject[] =>
  blocks.flatMap((block): JsonObject[] => {
    if (block.kind === 'text') return [{ text: block.text }]
    if (block.kind !== 'image' || block.data === undefined) return []
    return [{ inlineData: { mimeType: block.mediaType, data: block.data } }]
  })

/** Returns a message of the model; a single text is its content. */
function answerOf(blocks: readonly Block[], timestamp: Json): JsonObject {
  const parts = partsOf(blocks)
  const text = parts.length === 1 ? parts[0]?.text : undefined
  const thoughts = blocks.flatMap((block) =>
    block.kind === 'thinking' ? [{ subject: '', description: block.text, timestamp }] : [],
  )
  const toolCalls = blocks.flatMap((block) =>
    block.kind === 'toolCall'
      ? [{ id: block.id, name: block.name, args: callInput(block), status: 'success', timestamp }]
      : [],
  )
  return {
    type: 'gemini',
    content: parts.length === 0 ? '' : (text ?? parts),
    ...(thoughts.length > 0 && { thoughts }),
    ...(toolCalls.length > 0 && { toolCalls }),
  }
}

/** Returns a message with a result added to its latest unanswered call of an id; undefined if it has no such call. */
function answered(message: JsonObject, id: string, blocks: readonly Block[]): JsonObject | undefined {
  const calls = items(message.toolCalls)
  const at = calls.findLastIndex((call) => field(call, 'id') === id && field(call, 'result') === undefined)
  const call = calls[at]
  if (!isObject(call)) return undefined
  return { ...message, toolCalls: calls.with(at, { ...call, ...resultOf(call, blocks) }) }
}

function resultOf({ id = '', name = '' }: JsonObject, blocks: readonly Block[]): JsonObject {
  const [answer] = blocks
  const result = answer?.kind === 'toolResult' ? answer : { text: '', error: false }
  const response = result.error ? { error: result.text } : { output: result.text }
  return {
    status: result.error ? 'error' : 'success',
    result: [{ functionResponse: { id, name, response } }, ...partsOf(blocks.slice(1))],
  }
}

/** Writes a path as an event log of Gemini CLI: a header, then a message a line; a compaction replaces the list. */
export const writer: FormatWriter = { branched: false, takesId: isUuid, place, lines }

/**
 * `tmp/<project>/chats/session-<minute>-<8 of the id>.jsonl`, the time in UTC. The project is called as Gemini registered
 * it, else by the hash of its folder: from there Gemini copies what it finds once, when it registers the project.
 */
function place(
  { id, cwd = '/', created }: Pick<Draft, 'id' | 'cwd' | 'created'>,
  machine?: Whereabouts,
): readonly string[] {
  const minute = (iso(created) ?? '').slice(0, 16).replace(':', '-')
  const project = machine?.geminiProject(cwd) ?? projectHash(machine?.real(cwd) ?? cwd)
  return ['tmp', project, 'chats', `session-${minute}-${id.slice(0, 8)}.jsonl`]
}

const projectHash = (cwd: string): string => oidOf(sha256(new TextEncoder().encode(cwd)))

async function* lines(draft: Draft): Lines {
  const chat = new ChatLines(draft)
  yield chat.header()
  for await (const turn of exportTurns(draft, { dialect: 'gemini' }))
    yield* 'code' in turn ? [turn] : await chat.add(turn)
  yield* lostLabels(draft)
}

/** Makes the lines of a chat. Results are part of the answer with the call. */
class ChatLines {
  readonly #draft: Draft
  readonly #uuids = new UniqueUuids()
  /** The kinds of blocks in the list of messages, which a compaction replaces. */
  readonly #lossCodes = new Set<LossCode>()
  #time: number
  #model: Setting['model']

  constructor(draft: Draft) {
    this.#draft = draft
    this.#time = draft.created
  }

  header(): WrittenLine {
    const { id, cwd, created, title, header } = this.#draft
    const before = isObject(header) && typeof header.sessionId === 'string' ? header : {}
    return lineOf({
      sessionId: id,
      projectHash: projectHash(cwd ?? '/'),
      startTime: iso(created),
      lastUpdated: iso(created),
      kind: 'main',
      ...(cwd !== undefined && { directories: [cwd] }),
      ...without(before, 'sessionId', 'messages', 'projectHash', 'summary', 'startTime', 'directories'),
      ...(title !== undefined && { summary: title }),
    })
  }

  /** Returns the lines of the next turn, and the losses. */
  async add(turn: ExportTurn): Promise<(WrittenLine | Loss)[]> {
    const { entry } = turn
    this.#time = entry.time ?? this.#time
    this.#model = entry.view.sets?.model ?? this.#model
    switch (turn.kind) {
      case 'own':
        return this.#written(turn, undefined, [this.#ownOf(entry)])
      case 'setting':
        return [{ code: 'setting', oid: entry.oid }]
      case 'compaction':
        return this.#compaction(turn, turn.summary, turn.kept)
      case 'answer':
        return this.#answer(turn)
      case 'segment':
        return this.#written(turn, [turn], this.#words(entry, turn.blocks))
    }
  }

  /** Returns messages as lines, and the losses; messages of the format itself lose nothing. */
  #written(
    { entry: { oid }, at }: Pick<ExportTurn, 'entry' | 'at'>,
    originals: readonly Pick<View, 'role' | 'blocks'>[] | undefined,
    values: readonly JsonObject[],
  ): (WrittenLine | Loss)[] {
    const views = values.flatMap((value) => {
      const speaker = speakerOf(value)
      return speaker ? [viewOf(ENTRIES, speaker, value)] : []
    })
    for (const { blocks } of views) for (const { kind } of blocks) this.#lossCodes.add(LOSS_OF_BLOCK[kind])
    const losses = lossesOf(oid, originals ? lossesBetween(originals, views) : [])
    return [...values.map((value) => lineOf(value, at)), ...losses]
  }

  #ownOf(entry: Pick<DraftEntry, 'oid' | 'type' | 'body' | 'value' | 'native'>): JsonObject {
    const { native, type } = entry
    const record = sourceRecord(entry)
    const speaker = type === 'gemini/user' ? 'user' : 'gemini'
    const content = record.content ?? record.parts ?? ''
    return {
      ...this.#envelope(entry, '', native),
      ...without(record, 'id', 'role', 'parts'),
      type: speaker,
      content,
    }
  }

  #words(entry: Pick<DraftEntry, 'oid'>, blocks: readonly Block[]): JsonObject[] {
    const content = partsOf(blocks)
    return content.length === 0 ? [] : [{ ...this.#envelope(entry), type: 'user', content }]
  }

  /** Returns the blocks of the model in as many messages as Gemini needs. */
  #answers(entry: Pick<DraftEntry, 'oid'>, blocks: readonly Block[], usage?: Usage): JsonObject[] {
    return answersIn(blocks).map((answer, i) => ({
      ...this.#envelope(entry, i === 0 ? '' : `${i}`),
      ...answerOf(answer, iso(this.#time)),
      ...(this.#model && { model: this.#model.id }),
      ...(i === 0 && usage && { tokens: tokensOf(usage) }),
    }))
  }

  #answer(answer: AnswerTurn): (WrittenLine | Loss)[] {
    const { entry, blocks, results, usage } = answer
    const values = this.#answers(entry, blocks, usage)
    for (const result of results) answerAmong(values, result)
    return this.#written(answer, answerSegments(answer), values)
  }

  async #compaction(
    { entry, at }: ExportTurn,
    summary: string,
    kept: readonly Index[],
  ): Promise<(WrittenLine | Loss)[]> {
    const values: JsonObject[] = []
    if (summary !== '') values.push({ ...this.#envelope(entry), type: 'user', content: [{ text: summary }] })
    for (const one of kept) await this.#keep(one, values)
    const losses = lossesOf(entry.oid, ['compaction', ...this.#lossCodes])
    return [lineOf({ $set: { messages: values } }, at), ...losses]
  }

  /** Adds an entry to the messages that a compaction keeps. */
  async #keep(at: Index, values: JsonObject[]): Promise<void> {
    const entry = await this.#draft.read(at)
    if (entry.type.startsWith('gemini/')) values.push(this.#ownOf(entry))
    else
      for (const { role, blocks } of segmentsOf(entry.view.role, entry.view.blocks)) {
        if (role === 'tool') for (const result of resultsIn(blocks)) answerAmong(values, result)
        else if (role === 'assistant') values.push(...this.#answers(entry, blocks))
        else values.push(...this.#words(entry, blocks))
      }
  }

  #envelope({ oid }: Pick<DraftEntry, 'oid'>, part = '', wanted?: string): JsonObject {
    return { id: this.#uuids.next(oid, part, wanted), timestamp: iso(this.#time) }
  }
}

/** Adds a result to the latest message that has its call without a result. */
function answerAmong(values: JsonObject[], result: readonly Block[]): void {
  const [answer] = result
  const id = answer?.kind === 'toolResult' ? answer.id : ''
  for (const [at, value] of [...values.entries()].reverse()) {
    const message = answered(value, id, result)
    if (!message) continue
    values[at] = message
    return
  }
}

const tokensOf = ({ input = 0, output = 0, cacheRead = 0, cacheWrite = 0 }: Usage): JsonObject => {
  const sent = input + cacheRead + cacheWrite
  return { input: sent, output, cached: cacheRead, thoughts: 0, tool: 0, total: sent + output }
}

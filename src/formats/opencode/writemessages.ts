import { asString, field, isObject, items, type JsonObject, without } from '../../model/json.ts'
import { iso } from '../../model/time.ts'
import type { Block, Seal, Setting, Usage, View } from '../../model/view.ts'
import { type AnswerTurn, answerSegments, type ExportTurn, exportTurns } from '../core/exportturns.ts'
import { type Loss, lossesBetween } from '../core/losses.ts'
import { hexOf } from '../core/uuid.ts'
import { type Draft, type Index, lossesOf, lostLabels, sourceRecord } from '../core/writer.ts'
import { soundInput, toolName } from '../requests/toolids.ts'
import { messageView } from './entries.ts'

const LETTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** The number of hex digits of an id that encode its time, and of the letters after them. */
const [DIGITS, LETTERED] = [12, 14]
const MASK = (1n << BigInt(4 * DIGITS)) - 1n

/** The number of ids per millisecond. */
const EACH = 0x1000n

const spelled = (kind: string, moment: bigint, ...parts: readonly (string | number)[]): string => {
  const hash = hexOf(kind, ...parts)
  const letters = Array.from(
    { length: LETTERED },
    (_, i) => LETTERS[Number.parseInt(hash.slice(4 * i, 4 * i + 4), 16) % LETTERS.length],
  )
  return `${kind}_${(moment & MASK).toString(16).padStart(DIGITS, '0')}${letters.join('')}`
}

const ID = /^ses_[0-9A-Za-z]{1,64}$/

/** Returns whether an id is one that OpenCode takes for a session. */
export const isSessionId = (id: string): boolean => ID.test(id)

/** Returns the id of a session that a UUID and its time name together. Those of newer sessions sort before. */
export const sessionIdOf = (uuid: string, created: number): string =>
  spelled('ses', ~(BigInt(created) * EACH), uuid)

/** Assigns ascending ids to messages and parts, the same for the same session. */
class AscendingIds {
  readonly #session: string
  #last = -1n

  constructor(session: string) {
    this.#session = session
  }

  /** Returns the next id for a time in milliseconds since 1970; it sorts after another id. */
  next(kind: 'msg' | 'prt', time: number, after = ''): string {
    const moment = BigInt(Math.trunc(time)) * EACH
    this.#last = moment > this.#last ? moment : this.#last + 1n
    const digits = /_([0-9a-f]{12})/.exec(after)?.[1]
    const least = digits === undefined ? 0n : BigInt(`0x${digits}`) + 1n
    if ((this.#last & MASK) < least) this.#last = (this.#last & ~MASK) | least
    return spelled(kind, this.#last, this.#session, `${this.#last}`)
  }
}

/** Returns the user's blocks as parts of a message: texts and images. */
const userParts = (blocks: readonly Block[]): JsonObject[] =>
  blocks.flatMap((block): JsonObject[] => {
    if (block.kind === 'text') return block.text === '' ? [] : [{ type: 'text', text: block.text }]
    return fileOf(block)
  })

function fileOf(block: Block): JsonObject[] {
  if (block.kind !== 'image') return []
  const url = block.data === undefined ? block.url : `data:${block.mediaType};base64,${block.data}`
  return url === undefined ? [] : [{ type: 'file', mime: block.mediaType, url }]
}

/** The time of an answer, in milliseconds since 1970, and its model. */
interface AnswerInfo {
  readonly time: number
  readonly model: NonNullable<Setting['model']>
}

/**
 * Returns the blocks of the model as parts of a message, each call with its result. Thoughts are written only for the
 * model whose API signed them, because others refuse them.
 */
const answerParts = (
  blocks: readonly Block[],
  results: readonly (readonly Block[])[],
  { time, model }: AnswerInfo,
): JsonObject[] =>
  blocks.flatMap((block): JsonObject[] => {
    if (block.kind === 'text') return block.text === '' ? [] : [{ type: 'text', text: block.text }]
    if (block.kind === 'thinking') return thoughtOf(block.text, block.seal, { time, model })
    if (block.kind !== 'toolCall') return []
    const { id, name } = block
    const state = { input: soundInput(block, TEXTS), ...stateOf(answerTo(id, results), time) }
    return [{ type: 'tool', callID: id, tool: toolName(name), state }]
  })

function thoughtOf(text: string, seal: Seal | undefined, { time, model }: AnswerInfo): JsonObject[] {
  if (seal?.api !== 'anthropic' || seal.redacted || model.provider !== 'anthropic') return []
  const metadata = { anthropic: { signature: seal.value } }
  return [{ type: 'reasoning', text, metadata, time: { start: time, end: time } }]
}

const answerTo = (id: string, results: readonly (readonly Block[])[]): readonly Block[] =>
  results.find(([first]) => first?.kind === 'toolResult' && first.id === id) ?? []

function stateOf([answer, ...images]: readonly Block[], time: number): JsonObject {
  if (answer?.kind !== 'toolResult') return { status: 'pending', raw: '' }
  const at = { time: { start: time, end: time } }
  if (answer.error) return { status: 'error', error: answer.text, ...at }
  const attachments = images.flatMap(fileOf)
  return {
    status: 'completed',
    output: answer.text,
    title: '',
    metadata: {},
    ...at,
    ...(attachments.length > 0 && { attachments }),
  }
}

/** The tool of OpenCode that takes a patch. */
const TEXTS = { apply_patch: 'patchText' }

/** The release whose export this is like. */
const VERSION = '1.18.33'

const UNKNOWN = { provider: 'unknown', id: 'unknown' }

/** A message with its parts, and the entry that it represents. */
export interface WrittenMessage {
  readonly info: JsonObject
  readonly parts: readonly JsonObject[]
  readonly entry: Index
}

/** The rule for ids of messages. */
interface Naming {
  /** Whether ids must be in the order of messages: an id that would not be is replaced. */
  readonly ordered: boolean
}

/** Returns the messages of a session in order, and what they do not carry. */
export async function* messagesOf(draft: Draft, naming: Naming): AsyncGenerator<WrittenMessage | Loss> {
  const talk = new MessageMaker(draft, await firstModel(draft), naming)
  for await (const turn of exportTurns(draft, {
    dialect: 'opencode',
    kinds: ['message', 'edit'],
    ownEdits: true,
    texts: TEXTS,
  }))
    yield* 'code' in turn ? [turn] : talk.add(turn)
  yield* lostLabels(draft)
}

/** Returns the metadata of a session. `opencode import` puts it into the project of the current folder. */
export const infoOf = ({ id, cwd = '/', created, title }: Draft): JsonObject => ({
  id,
  slug: id.slice(4, 16),
  projectID: 'global',
  directory: cwd,
  title: title ?? `New session - ${iso(created)}`,
  version: VERSION,
  time: { created, updated: created },
})

/** A message on its way: its parts have no ids yet. */
interface UnnamedMessage {
  readonly info: JsonObject
  readonly parts: readonly JsonObject[]
}

/** Makes the messages of a session. */
class MessageMaker {
  readonly #draft: Draft
  readonly #naming: Naming
  readonly #ids: AscendingIds
  readonly #taken = new Set<string>()
  readonly #last = { msg: '', prt: '' }
  /** By entry: the id of its first message. */
  readonly #first: (string | undefined)[] = []
  /** The new ids of messages, by their ids in the source. */
  readonly #named = new Map<string, string>()
  #model: NonNullable<Setting['model']>
  /** The last prompt, which answers name. */
  #prompt = ''
  #time: number

  constructor(draft: Draft, model: Setting['model'] = UNKNOWN, naming: Naming) {
    this.#draft = draft
    this.#naming = naming
    this.#ids = new AscendingIds(draft.id)
    this.#model = model
    this.#time = draft.created
  }

  /** Returns the messages of the next turn, and the losses. */
  add(turn: ExportTurn): (WrittenMessage | Loss)[] {
    const { entry, at } = turn
    this.#time = Math.max(this.#time, entry.time ?? 0)
    this.#model = entry.view.sets?.model ?? this.#model
    switch (turn.kind) {
      case 'own':
        return this.#own(turn)
      case 'setting':
        return [{ code: 'setting', oid: entry.oid }]
      case 'compaction':
        return this.#compaction(turn, turn.summary, turn.kept)
      case 'answer':
        return this.#answer(turn)
      case 'segment': {
        const parts = userParts(turn.blocks)
        const made = parts.length === 0 ? [] : [this.#userMessage(parts)]
        return this.#written(entry.oid, at, [turn], made)
      }
    }
  }

  #answer(answer: AnswerTurn): (WrittenMessage | Loss)[] {
    const { entry, at, blocks, results, usage } = answer
    const parts = answerParts(blocks, results, { time: this.#time, model: this.#model })
    const made = parts.length === 0 ? [] : [this.#assistantMessage(parts, usage)]
    return this.#written(entry.oid, at, answerSegments(answer), made)
  }

  /** Returns messages as lines, and the losses; messages of the format itself lose nothing. */
  #written(
    oid: Loss['oid'] & string,
    at: Index,
    originals: readonly Pick<View, 'role' | 'blocks'>[],
    made: readonly UnnamedMessage[],
  ): (WrittenMessage | Loss)[] {
    const written = made.map(({ info, parts }) => messageView({ info, parts }))
    const losses = lossesOf(oid, lossesBetween(originals, written))
    return [...made.map((message) => this.#line(at, message)), ...losses]
  }

  /** A compaction is a prompt, which names the first message that is kept, and an answer, which is the summary. */
  #compaction({ entry, at }: ExportTurn, summary: string, kept: readonly Index[]): (WrittenMessage | Loss)[] {
    const tail = kept.map((one) => this.#first[one]).find((id) => id !== undefined)
    const request = this.#userMessage([
      { type: 'compaction', auto: false, ...(tail !== undefined && { tail_start_id: tail }) },
    ])
    const prompt = this.#line(at, request)
    const answer = this.#assistantMessage([{ type: 'text', text: summary }], entry.view.usage)
    const info = { ...answer.info, mode: 'compaction', agent: 'compaction', summary: true }
    return [prompt, this.#line(at, { ...answer, info }), { code: 'compaction', oid: entry.oid }]
  }

  /**
   * Returns a message of OpenCode as in its source, with the fields that import requires and older releases lack;
   * with other ids in another session.
   */
  #own({ entry, at }: ExportTurn): WrittenMessage[] {
    const { type, native } = entry
    // A message itself contains what was cleared.
    if (type === 'opencode/edit') return []
    const record = sourceRecord(entry)
    const info = isObject(record.info) ? record.info : {}
    const created = field(info.time, 'created')
    if (typeof created === 'number') this.#time = Math.max(this.#time, created)
    const id = asString(info.id) ?? native
    const isSame = info.sessionID === undefined || info.sessionID === this.#draft.id
    const parts = items(record.parts).flatMap((part) => {
      const tail = this.#named.get(asString(field(part, 'tail_start_id')) ?? '')
      return isObject(part) ? [tail === undefined ? part : { ...part, tail_start_id: tail }] : []
    })
    const line = this.#line(
      at,
      {
        info: {
          ...(info.role === 'assistant' ? this.#assistantMessage([]) : this.#userMessage([])).info,
          ...without(info, 'id', 'sessionID', 'parentID'),
          ...(info.role === 'user' && isObject(info.summary) && { summary: { diffs: [], ...info.summary } }),
        },
        parts: isSame && areOrdered(parts) ? parts : parts.map((part) => without(part, 'id')),
      },
      isSame ? id : undefined,
    )
    if (id !== undefined) this.#named.set(id, this.#first[at] as string)
    return [line]
  }

  #userMessage(parts: readonly JsonObject[]): UnnamedMessage {
    const { provider: providerID = 'unknown', id: modelID } = this.#model
    const model = { providerID, modelID }
    return { info: { role: 'user', time: { created: this.#time }, agent: 'build', model }, parts }
  }

  #assistantMessage(parts: readonly JsonObject[], usage: Usage = {}): UnnamedMessage {
    const { provider: providerID = 'unknown', id: modelID } = this.#model
    const { cwd = '/' } = this.#draft
    const counts = { cost: usage.cost ?? 0, tokens: tokensOf(usage) }
    const reason = parts.some(({ type }) => type === 'tool') ? 'tool-calls' : 'stop'
    return {
      info: {
        role: 'assistant',
        time: { created: this.#time, completed: this.#time },
        parentID: this.#prompt,
        modelID,
        providerID,
        mode: 'build',
        agent: 'build',
        path: { cwd, root: cwd },
        ...counts,
        finish: reason,
      },
      parts: [{ type: 'step-start' }, ...parts, { type: 'step-finish', reason, ...counts }],
    }
  }

  /** Assigns ids to a message and its parts. */
  #line(at: Index, { info, parts }: UnnamedMessage, wanted?: string): WrittenMessage {
    const sessionID = this.#draft.id
    const messageID = this.#newId('msg', wanted)
    this.#first[at] ??= messageID
    if (info.role === 'user') this.#prompt = messageID
    const placed = (part: JsonObject): JsonObject => ({
      ...part,
      id: this.#newId('prt', asString(part.id)),
      sessionID,
      messageID,
    })
    const all = parts.map((part) => {
      const { state } = part
      const attachments = items(field(state, 'attachments')).filter(isObject)
      if (!isObject(state) || attachments.length === 0) return placed(part)
      return { ...placed(part), state: { ...state, attachments: attachments.map(placed) } }
    })
    const parentID = this.#prompt || messageID
    const named = { id: messageID, sessionID, ...info, ...(info.role === 'assistant' && { parentID }) }
    return { info: named, parts: all, entry: at }
  }

  #newId(kind: 'msg' | 'prt', wanted = ''): string {
    const last = this.#naming.ordered ? this.#last[kind] : ''
    let id = wanted.startsWith(`${kind}_`) && wanted > last ? wanted : this.#ids.next(kind, this.#time, last)
    while (this.#taken.has(id)) id = this.#ids.next(kind, this.#time, last)
    this.#taken.add(id)
    this.#last[kind] = id
    return id
  }
}

/** Returns whether parts have ids, each after the one before: OpenCode reads them in that order. */
const areOrdered = (parts: readonly JsonObject[]): boolean =>
  parts.every(({ id }, i) => {
    const before = asString(parts[i - 1]?.id) ?? ''
    return asString(id)?.startsWith('prt_') === true && (asString(id) as string) > before
  })

const tokensOf = ({ input = 0, output = 0, cacheRead = 0, cacheWrite = 0 }: Usage): JsonObject => ({
  input,
  output,
  reasoning: 0,
  cache: { read: cacheRead, write: cacheWrite },
})

/** Returns the model that a path sets first. */
async function firstModel(draft: Draft): Promise<Setting['model']> {
  for (let at = 0; at < draft.count; at++) {
    const { sets } = (await draft.read(at)).view
    if (sets?.model) return sets.model
  }
  return undefined
}

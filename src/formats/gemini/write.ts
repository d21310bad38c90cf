import { sha256 } from '../../model/hash.ts'
import { iso } from '../../model/iso.ts'
import { isObject, type JsonObject, jsonText, without } from '../../model/json.ts'
import { oidOf } from '../../model/oid.ts'
import type { Block, Role, Setting, Usage } from '../../model/view.ts'
import { isUuid, uuidOf } from '../ids.ts'
import { KINDS, type Loss, type LossCode, lossesBetween } from '../losses.ts'
import { segmentsOf } from '../segments.ts'
import { type Rules, type Step, stepsOf } from '../steps.ts'
import type { Draft, DraftEntry, Index, Line, Lines, Writer } from '../write.ts'
import { answered, answerOf, answersIn, partsOf } from './answer.ts'
import { speakerOf } from './message.ts'
import { view as viewOf } from './view.ts'

/** Writes a path as an event log of Gemini CLI: a header, then a message a line; a compaction replaces the list. */
export const writer: Writer = { branched: false, takesId: isUuid, place, lines }

/** `tmp/<hash of the folder>/chats/session-<minute>-<8 of the id>.jsonl`, the time in UTC. */
function place({ id, cwd = '/', created }: Pick<Draft, 'id' | 'cwd' | 'created'>): readonly string[] {
  const minute = (iso(created) ?? '').slice(0, 16).replace(':', '-')
  return ['tmp', projectHash(cwd), 'chats', `session-${minute}-${id.slice(0, 8)}.jsonl`]
}

const projectHash = (cwd: string): string => oidOf(sha256(new TextEncoder().encode(cwd)))

const RULES: Rules = { dialect: 'gemini', adjacent: true }

async function* lines(draft: Draft): Lines {
  const chat = new Chat(draft)
  yield chat.header()
  for await (const step of stepsOf(draft, RULES)) yield* 'code' in step ? [step] : await chat.add(step)
  yield* chat.end()
  for (const subject of draft.labels.keys()) yield { code: 'label', subject }
}

/** A message on its way, the entries whose words it holds, and what they say. */
interface Message {
  value: JsonObject
  /** The last of the entries. */
  entry: DraftEntry
  at: Index
  readonly said: { readonly role: Role; readonly blocks: readonly Block[] }[]
  /** Whether it goes as its source held it. */
  readonly own: boolean
}

/** Makes the lines of a chat. An answer waits for the results of its calls, which stand in it. */
class Chat {
  readonly #draft: Draft
  readonly #taken = new Set<string>()
  #waiting: Message[] = []
  /** What the list of messages holds, which a compaction replaces. */
  readonly #held = new Set<LossCode>()
  #time: number
  #model: Setting['model']

  constructor(draft: Draft) {
    this.#draft = draft
    this.#time = draft.created
  }

  header(): Line {
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

  /** Takes the next step, and gives the lines that are ready and what they do not carry. */
  async add(step: Step): Promise<(Line | Loss)[]> {
    const { entry } = step
    this.#time = entry.time ?? this.#time
    switch (step.kind) {
      case 'own':
        return [...this.end(), ...this.#own(step)]
      case 'setting':
        this.#model = step.sets.model ?? this.#model
        return [...this.end(), { code: 'setting', oid: entry.oid }]
      case 'compaction':
        return [...this.end(), ...(await this.#compaction(step, step.summary, step.kept))]
      case 'said':
        if (step.role === 'tool') return this.#answer(step, step.blocks)
        return [...this.end(), ...this.#said(step, step.role, step.blocks)]
    }
  }

  /** Gives the lines that waited. */
  end(): (Line | Loss)[] {
    const waiting = this.#waiting
    this.#waiting = []
    return waiting.flatMap(({ value, entry, at, said, own }) => {
      const speaker = speakerOf(value)
      const written = speaker ? [viewOf(speaker, value)] : []
      for (const { blocks } of written) for (const { kind } of blocks) this.#held.add(KINDS[kind])
      const losses = own ? [] : lossesBetween(said, written)
      return [lineOf(value, at), ...losses.map((code): Loss => ({ code, oid: entry.oid }))]
    })
  }

  #own({ entry, at }: Step): Line[] {
    this.#model = entry.view.sets?.model ?? this.#model
    const value = this.#ownOf(entry)
    this.#waiting.push({ value, entry, at, said: [], own: true })
    return []
  }

  #ownOf(entry: DraftEntry): JsonObject {
    const { value, body, native, type } = entry
    const held = isObject(value) ? value : isObject(body) ? body : {}
    const speaker = type === 'gemini/user' ? 'user' : 'gemini'
    const content = held.content ?? held.parts ?? ''
    return {
      ...this.#envelope(entry, '', native),
      ...without(held, 'id', 'role', 'parts'),
      type: speaker,
      content,
    }
  }

  #said({ entry, at }: Step, role: Role, blocks: readonly Block[]): Loss[] {
    this.#model = entry.view.sets?.model ?? this.#model
    const made = role === 'assistant' ? this.#answers(entry, blocks) : this.#words(entry, blocks)
    if (made.length === 0)
      return lossesBetween([{ role, blocks }], []).map((code) => ({ code, oid: entry.oid }))
    for (const { value, blocks: said } of made)
      this.#waiting.push({ value, entry, at, said: [{ role, blocks: said }], own: false })
    return []
  }

  #words(entry: DraftEntry, blocks: readonly Block[]): { value: JsonObject; blocks: readonly Block[] }[] {
    const content = partsOf(blocks)
    return content.length === 0
      ? []
      : [{ value: { ...this.#envelope(entry), type: 'user', content }, blocks }]
  }

  #answers(entry: DraftEntry, blocks: readonly Block[]): { value: JsonObject; blocks: readonly Block[] }[] {
    return answersIn(blocks).map((said, i) => ({
      blocks: said,
      value: {
        ...this.#envelope(entry, i === 0 ? '' : `${i}`),
        ...answerOf(said, iso(this.#time)),
        ...(this.#model && { model: this.#model.id }),
        ...(i === 0 && entry.view.usage && { tokens: tokensOf(entry.view.usage) }),
      },
    }))
  }

  /** Puts results into the answer that holds their calls. */
  #answer({ entry, at }: Step, blocks: readonly Block[]): Loss[] {
    const losses: Loss[] = []
    for (const said of resultsIn(blocks)) {
      const values = this.#waiting.map(({ value }) => value)
      const holder = answerAmong(values, said)
      const message = this.#waiting[holder]
      if (this.#waiting.slice(holder + 1).some(saysText)) losses.push({ code: 'order', oid: entry.oid })
      if (!message) {
        losses.push({ code: 'orphan-result', oid: entry.oid, subject: idOf(said) })
        continue
      }
      message.value = values[this.#waiting.indexOf(message)] as JsonObject
      message.entry = entry
      message.at = at
      message.said.push({ role: 'tool', blocks: said })
    }
    return losses
  }

  async #compaction({ entry, at }: Step, summary: string, kept: readonly Index[]): Promise<(Line | Loss)[]> {
    const values: JsonObject[] = []
    if (summary !== '') values.push({ ...this.#envelope(entry), type: 'user', content: [{ text: summary }] })
    for (const one of kept) await this.#keep(one, values)
    const losses = [...this.#held].map((code): Loss => ({ code, oid: entry.oid }))
    return [lineOf({ $set: { messages: values } }, at), { code: 'compaction', oid: entry.oid }, ...losses]
  }

  /** Adds what an entry says to the messages that a compaction keeps. */
  async #keep(at: Index, values: JsonObject[]): Promise<void> {
    const entry = await this.#draft.read(at)
    if (entry.type.startsWith('gemini/')) values.push(this.#ownOf(entry))
    else
      for (const { role, blocks } of segmentsOf(entry.view.role, entry.view.blocks)) {
        if (role === 'tool') for (const result of resultsIn(blocks)) answerAmong(values, result)
        else if (role === 'assistant') values.push(...this.#answers(entry, blocks).map(({ value }) => value))
        else values.push(...this.#words(entry, blocks).map(({ value }) => value))
      }
  }

  #envelope({ oid }: Pick<DraftEntry, 'oid'>, part = '', wanted?: string): JsonObject {
    let id = wanted ?? uuidOf(oid, part)
    for (let n = 1; this.#taken.has(id); n++) id = uuidOf(oid, part, n)
    this.#taken.add(id)
    return { id, timestamp: iso(this.#time) }
  }
}

/** Tells whether a message says words: what answers a call before it is then written before them. */
const saysText = ({ said }: Message): boolean =>
  said.some(({ blocks }) => blocks.some(({ kind }) => kind === 'text'))

const lineOf = (value: JsonObject, entry?: Index): Line => ({
  text: `${jsonText(value)}\n`,
  ...(entry !== undefined && { entry }),
})

/** Gives results one by one, each with the images behind it. */
function resultsIn(blocks: readonly Block[]): Block[][] {
  const results: Block[][] = []
  for (const block of blocks) {
    if (block.kind === 'toolResult') results.push([block])
    else results.at(-1)?.push(block)
  }
  return results
}

const idOf = ([answer]: readonly Block[]): string => (answer?.kind === 'toolResult' ? answer.id : '')

/** Puts a result into the latest of some messages that holds its call, and gives that one's place, or -1. */
function answerAmong(values: JsonObject[], result: readonly Block[]): number {
  const tried = values.map((value) => answered(value, idOf(result), result))
  const at = tried.findLastIndex((value) => value !== undefined)
  const message = tried[at]
  if (message) values[at] = message
  return at
}

const tokensOf = ({ input = 0, output = 0, cacheRead = 0, cacheWrite = 0 }: Usage): JsonObject => {
  const went = input + cacheRead + cacheWrite
  return { input: went, output, cached: cacheRead, thoughts: 0, tool: 0, total: went + output }
}

import { isObject, type Json, type JsonObject, MAX_DEPTH, Verbatim } from '../../model/json.ts'
import type { RepairKind, RequestRepair } from '../../model/repair.ts'
import { tokensOf } from '../../model/tokens.ts'
import type { Block, Role, Seal, View } from '../../model/view.ts'
import { CallIds, toolName } from './names.ts'

/** Returns a text without half surrogate pairs, which APIs refuse. */
const soundText = (text: string): string => text.toWellFormed()

/** Returns the arguments of a call as an object of plain JSON: other values under the name `input`, null as none. */
export function soundInput(input: Json): JsonObject {
  const value = sound(input)
  if (isObject(value)) return value
  return value === null ? {} : { input: value }
}

/** Returns a value as every JSON parser takes it; what is nested too deep stays text. */
function sound(value: Json): Json {
  if (typeof value === 'string') return soundText(value)
  // JSON has no number that no double holds
  if (typeof value === 'number') return Number.isFinite(value) ? value : `${value}`
  if (value instanceof Verbatim) return opened(value)
  if (Array.isArray(value)) return value.map(sound)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [soundText(key), sound(part)]))
}

function opened({ text }: Verbatim): Json {
  return isDeep(text) ? soundText(text) : sound(JSON.parse(text) as Json)
}

/** Returns whether brackets open deeper than values may be nested, those in strings counted too. */
function isDeep(text: string): boolean {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const ch = text[at]
    if (ch === '[' || ch === '{') depth++
    else if (ch === ']' || ch === '}') depth--
    if (depth > MAX_DEPTH) return true
  }
  return false
}

/** What an API takes. */
export interface ApiLimits {
  /** The longest id of a call, in characters. */
  readonly longestId: number
  /** Whose sealed thoughts it takes. */
  readonly seals?: Seal['api']
  /** Returns whether it takes an image in words of a role. */
  takes(image: Image, role: Role): boolean
}

export type Image = Extract<Block, { kind: 'image' }>
type ToolCallBlock = Extract<Block, { kind: 'toolCall' }>
type Thought = Extract<Block, { kind: 'thinking' }> & { readonly seal: Seal }

/** What answers a call. */
export interface CallAnswer {
  readonly text: string
  readonly error: boolean
  readonly images: readonly Image[]
}

/** One thing that is said in a turn. */
export type SaidBlock =
  | { readonly kind: 'text'; readonly text: string }
  | Image
  | Thought
  | (ToolCallBlock & { readonly answer: CallAnswer })

/** What one side says until the other does. Each call has its answer. */
export interface RequestTurn<N> {
  readonly role: Exclude<Role, 'tool'>
  /** The entry that it begins with. */
  readonly node: N
  readonly said: readonly SaidBlock[]
}

/** A turn that is being made. */
interface OpenTurn<N> extends RequestTurn<N> {
  readonly said: SaidBlock[]
  /** The model call that its last words come from. */
  call: string | undefined
  /** Whether any call of it was answered: what the model says next is said with that known. */
  answered: boolean
}

interface UnansweredCall<N> {
  readonly turn: OpenTurn<N>
  readonly at: number
}

/**
 * Returns the turns of a valid context as an API takes them: what is empty left out, calls with ids of their own and with
 * their answers, thoughts where the API sealed them.
 */
export function turnsOf<N>(
  items: readonly RequestItem<N>[],
  taste: ApiLimits,
): { readonly turns: readonly RequestTurn<N>[]; readonly repairs: readonly RequestRepair<N>[] } {
  const maker = new TurnMaker<N>(taste)
  for (const item of items) maker.add(item)
  return { turns: maker.end(), repairs: maker.repairs }
}

class TurnMaker<N> {
  readonly repairs: RequestRepair<N>[] = []
  readonly #taste: ApiLimits
  readonly #ids: CallIds
  readonly #turns: OpenTurn<N>[] = []
  /** The calls not answered yet, by id: a result answers the latest. */
  readonly #calls = new Map<string, UnansweredCall<N>[]>()

  constructor(taste: ApiLimits) {
    this.#taste = taste
    this.#ids = new CallIds(taste.longestId)
  }

  add({ node, part, view }: RequestItem<N>): void {
    const summary = summaryIn(view)
    if (summary !== undefined) return this.#say(node, 'user', [{ kind: 'text', text: summary }])
    const { blocks, usage } = view
    for (let at = 0; at < blocks.length; ) {
      const block = blocks[at] as Block
      const side = sideOf(block, view.role)
      let to = at + 1
      // the images right behind a result belong to it
      while (
        to < blocks.length &&
        (side === 'result' ? blocks[to]?.kind === 'image' : sideOf(blocks[to], view.role) === side)
      )
        to++
      if (block.kind === 'toolResult') this.#answer(node, part, block, blocks.slice(at + 1, to) as Image[])
      else if (side !== null && side !== 'result') this.#say(node, side, blocks.slice(at, to), usage?.call)
      at = to
    }
  }

  #say(node: N, role: RequestTurn<N>['role'], blocks: readonly Block[], call?: string): void {
    const said = this.#sayable(node, role, blocks)
    if (said.length === 0) return
    const last = this.#turns.at(-1)
    const goesOn = last?.role === role && (role !== 'assistant' || continues(last, said, call))
    const turn: OpenTurn<N> = goesOn ? last : { role, node, said: [], call, answered: false }
    if (!goesOn) this.#turns.push(turn)
    turn.call = call
    for (const one of said) {
      if (one.kind === 'toolCall') turn.said.push(this.#called(node, one, turn))
      else turn.said.push(one)
    }
  }

  /** Returns of what an entry says that which the API takes, calls still without answers. */
  #sayable(
    node: N,
    role: Role,
    blocks: readonly Block[],
  ): (Exclude<SaidBlock, ToolCallBlock> | ToolCallBlock)[] {
    const said: (Exclude<SaidBlock, ToolCallBlock> | ToolCallBlock)[] = []
    const loose: string[] = []
    for (const block of blocks) {
      const { kind } = block
      if (kind === 'thinking') {
        const { text, seal } = block
        if (role !== 'assistant' || !seal || seal.api !== this.#taste.seals) loose.push(text)
        else {
          // a seal of OpenAI holds for all thoughts before it
          const sealed = seal.api === 'openai' ? [...loose.splice(0), text].join('\n\n') : text
          said.push({ kind, text: soundText(sealed), seal })
        }
      } else if (kind === 'text') {
        if (block.text.trim() !== '') said.push({ kind, text: soundText(block.text) })
      } else if (kind === 'image') said.push(this.#image(node, block, role))
      else if (kind === 'toolCall') said.push(block)
    }
    if (loose.length > 0) this.#repair('dropped-thinking', node)
    return said
  }

  #image(node: N, image: Image, role: Role): Exclude<SaidBlock, ToolCallBlock> {
    if (this.#taste.takes(image, role) && isSound(image)) return image
    this.#repair('dropped-image', node)
    return { kind: 'text', text: imageInWords(image) }
  }

  #called(node: N, { id: was, name, input }: ToolCallBlock, turn: OpenTurn<N>): SaidBlock {
    const [id, tool] = [this.#ids.next(was), toolName(name)]
    if (id !== was) this.#repair('renamed-call', node, was, id)
    if (tool !== name) this.#repair('renamed-tool', node, was, tool)
    const open = this.#calls.get(was)
    const call = { turn, at: turn.said.length }
    if (open) open.push(call)
    else this.#calls.set(was, [call])
    return { kind: 'toolCall', id, name: tool, input, answer: NO_ANSWER }
  }

  #answer(
    node: N,
    part: string,
    result: Extract<Block, { kind: 'toolResult' }>,
    images: readonly Image[],
  ): void {
    const open = this.#calls.get(result.id)?.pop()
    // the context is valid: a result that answers nothing answers a call that no API takes
    if (!open) return this.#repair('dropped-result', node, result.id)
    const { turn, at } = open
    if (turn !== this.#turns.at(-1)) this.#repair('moved-result', node, result.id)
    if (part !== 'closing') turn.answered = true
    const words: string[] = [result.text]
    const seen: Image[] = []
    for (const image of images) {
      const shown = this.#image(node, image, 'tool')
      if (shown.kind === 'image') seen.push(shown)
      else if (shown.kind === 'text') words.push(shown.text)
    }
    const text = soundText(words.filter((word) => word.trim() !== '').join('\n'))
    const answer = { text, error: result.error, images: seen }
    turn.said[at] = { ...(turn.said[at] as ToolCallBlock), answer }
  }

  #repair(kind: RepairKind, node: N, call?: string, as?: string): void {
    this.repairs.push({ kind, node, ...(call !== undefined && { call }), ...(as !== undefined && { as }) })
  }

  /** Returns the turns; a thought that nothing follows in its turn is left out, as APIs want it. */
  end(): readonly RequestTurn<N>[] {
    return this.#turns.flatMap((turn) => {
      let { length } = turn.said
      while (turn.said[length - 1]?.kind === 'thinking') length--
      if (length < turn.said.length) this.#repair('dropped-thinking', turn.node)
      return length === 0 ? [] : [{ ...turn, said: turn.said.slice(0, length) }]
    })
  }
}

/** Returns who says a block: the model what calls a tool, nobody what an entry without a role says. */
function sideOf(block: Block | undefined, role: Role | null): RequestTurn<unknown>['role'] | 'result' | null {
  if (block?.kind === 'toolResult') return 'result'
  if (block?.kind === 'toolCall') return 'assistant'
  return role === 'tool' ? 'user' : role
}

const NO_ANSWER: CallAnswer = { text: '', error: true, images: [] }

/** Returns whether words of the model go on a turn of it: until it learns what its calls gave. */
function continues(
  last: OpenTurn<unknown>,
  said: readonly { readonly kind: string }[],
  call?: string,
): boolean {
  if (last.answered) return false
  if (call !== undefined && call === last.call) return true
  return said[0]?.kind === 'toolCall' || !last.said.some((one) => one.kind === 'toolCall')
}

/** Returns whether the bytes of an image are base64 as APIs take it. */
const isSound = ({ data }: Image): boolean =>
  data === undefined || (data.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(data))

/** Returns an image in words. */
const imageInWords = ({ mediaType, bytes }: Image): string => `[image: ${mediaType}, ${bytes} bytes]`

/** Returns what a summary tells the model, in the words of pi. */
function summaryIn({ effect, blocks }: View): string | undefined {
  if (blocks.length > 0) return undefined
  if (effect?.kind === 'compaction' && effect.summary !== undefined)
    return (
      'The conversation history before this point was compacted into the following summary:\n\n' +
      `<summary>\n${effect.summary}\n</summary>`
    )
  if (effect?.kind === 'summary')
    return (
      'The following is a summary of a branch that this conversation came back from:\n\n' +
      `<summary>\n${effect.text}</summary>`
    )
  return undefined
}

/** What stands in a context, as `graph/context.ts` gives it: the parts of it that matter here. */
export interface RequestItem<N> {
  readonly node: N
  readonly part: string
  readonly view: View
}

/** A message or an item of a request, as the API takes it. */
export interface RequestPart {
  readonly value: Json
  /** How much it says, as `tokensOf` of a view counts it. */
  readonly tokens: number
}

/** The part of a request to a model's API that a context makes: always one that the API takes. */
export interface Request<N> {
  readonly value: JsonObject
  /** What the value is made of, in the order in which the model reads it. */
  readonly pieces: readonly RequestPart[]
  readonly repairs: readonly RequestRepair<N>[]
}

/** Returns how many tokens what is said takes, answers left out, as entries are weighed. */
export const tokensIn = (said: readonly SaidBlock[]): number => tokensOf({ role: null, blocks: said })

/** Returns how many tokens the answers take to what is called. */
export const answerTokens = (said: readonly SaidBlock[]): number =>
  tokensOf({
    role: null,
    blocks: said.flatMap((one) =>
      one.kind === 'toolCall' ? [{ kind: 'text', text: one.answer.text } as const, ...one.answer.images] : [],
    ),
  })

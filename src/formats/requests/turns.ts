import type { Json, JsonObject } from '../../model/json.ts'
import type { RepairKind, RequestRepair } from '../../model/repair.ts'
import { tokensOf } from '../../model/tokens.ts'
import type { Block, Role, Seal, View } from '../../model/view.ts'
import { CallIds, toolName } from './toolids.ts'

/** The limits of an API. */
export interface ApiLimits {
  /** The longest id of a call, in characters. */
  readonly longestId: number
  /** The API whose sealed thoughts it accepts. */
  readonly sealApi?: Seal['api']
  /** Returns whether it accepts an image in a message of a role. */
  acceptsImage(image: Image, role: Role): boolean
}

/** The types of images that every API takes. */
export const PICTURES: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp'])

export type Image = Extract<Block, { kind: 'image' }>
export type AnsweredCall = UnansweredBlock & { readonly answer: CallAnswer }
type UnansweredBlock = Extract<Block, { kind: 'toolCall' }>
type Thought = Extract<Block, { kind: 'thinking' }> & { readonly seal: Seal }

/** The result of a call. */
export interface CallAnswer {
  readonly text: string
  readonly error: boolean
  readonly images: readonly Image[]
}

/** A block of a turn. */
export type TurnBlock = { readonly kind: 'text'; readonly text: string } | Image | Thought | AnsweredCall

/** The consecutive blocks of one side. Each call has its result. */
export interface RequestTurn<N> {
  readonly role: Exclude<Role, 'tool'>
  /** The entry that it begins with. */
  readonly node: N
  readonly blocks: readonly TurnBlock[]
}

/** A turn that is being made. */
interface OpenTurn<N> extends RequestTurn<N> {
  readonly blocks: TurnBlock[]
  /** The model call of its last block. */
  call: string | undefined
  /** Whether any of its calls was answered: later blocks of the model are a new turn. */
  answered: boolean
}

interface UnansweredCall<N> {
  readonly turn: OpenTurn<N>
  readonly at: number
}

/**
 * Returns the turns of a valid context for an API: empty blocks left out, calls with unique ids and their results,
 * thoughts that the API sealed.
 */
export function turnsOf<N>(
  items: readonly RequestItem<N>[],
  limits: ApiLimits,
): { readonly turns: readonly RequestTurn<N>[]; readonly repairs: readonly RequestRepair<N>[] } {
  const maker = new TurnMaker<N>(limits)
  for (const item of items) maker.add(item)
  return { turns: maker.end(), repairs: maker.repairs }
}

class TurnMaker<N> {
  readonly repairs: RequestRepair<N>[] = []
  readonly #limits: ApiLimits
  readonly #ids: CallIds
  readonly #turns: OpenTurn<N>[] = []
  /** The calls not answered yet, by id: a result answers the latest. */
  readonly #calls = new Map<string, UnansweredCall<N>[]>()

  constructor(limits: ApiLimits) {
    this.#limits = limits
    this.#ids = new CallIds(limits.longestId)
  }

  add({ node, part, view }: RequestItem<N>): void {
    const summary = summaryIn(view)
    if (summary !== undefined) return this.#addBlocks(node, 'user', [{ kind: 'text', text: summary }])
    const { blocks, usage } = view
    for (let at = 0; at < blocks.length; ) {
      const block = blocks[at] as Block
      const side = sideOf(block, view.role)
      let to = at + 1
      // the images directly after a result belong to it
      while (
        to < blocks.length &&
        (side === 'result' ? blocks[to]?.kind === 'image' : sideOf(blocks[to], view.role) === side)
      )
        to++
      if (block.kind === 'toolResult') this.#answer(node, part, block, blocks.slice(at + 1, to) as Image[])
      else if (side !== null && side !== 'result')
        this.#addBlocks(node, side, blocks.slice(at, to), usage?.call)
      at = to
    }
  }

  #addBlocks(node: N, role: RequestTurn<N>['role'], blocks: readonly Block[], call?: string): void {
    const accepted = this.#acceptedBlocks(node, role, blocks)
    if (accepted.length === 0) return
    const last = this.#turns.at(-1)
    const goesOn = last?.role === role && (role !== 'assistant' || continues(last, accepted, call))
    const turn: OpenTurn<N> = goesOn ? last : { role, node, blocks: [], call, answered: false }
    if (!goesOn) this.#turns.push(turn)
    turn.call = call
    for (const block of accepted) {
      if (block.kind === 'toolCall') turn.blocks.push(this.#openCall(node, block, turn))
      else turn.blocks.push(block)
    }
  }

  /** Returns the blocks of an entry that the API accepts, calls still without results. */
  #acceptedBlocks(
    node: N,
    role: Role,
    blocks: readonly Block[],
  ): (Exclude<TurnBlock, UnansweredBlock> | UnansweredBlock)[] {
    const accepted: (Exclude<TurnBlock, UnansweredBlock> | UnansweredBlock)[] = []
    const unsealed: string[] = []
    for (const block of blocks) {
      const { kind } = block
      if (kind === 'thinking') {
        const { text, seal } = block
        if (role !== 'assistant' || !seal || seal.api !== this.#limits.sealApi) unsealed.push(text)
        else {
          // a seal of OpenAI holds for all thoughts before it
          const sealedText = seal.api === 'openai' ? [...unsealed.splice(0), text].join('\n\n') : text
          accepted.push({ kind, text: sealedText.toWellFormed(), seal })
        }
      } else if (kind === 'text') {
        if (block.text.trim() !== '') accepted.push({ kind, text: block.text.toWellFormed() })
      } else if (kind === 'image') accepted.push(this.#image(node, block, role))
      else if (kind === 'toolCall') accepted.push(block)
    }
    if (unsealed.length > 0) this.#repair('dropped-thinking', node)
    return accepted
  }

  #image(node: N, image: Image, role: Role): Exclude<TurnBlock, UnansweredBlock> {
    if (this.#limits.acceptsImage(image, role) && isSound(image)) return image
    this.#repair('dropped-image', node)
    return { kind: 'text', text: imageInWords(image) }
  }

  #openCall(node: N, { id: was, name, input }: UnansweredBlock, turn: OpenTurn<N>): TurnBlock {
    const [id, tool] = [this.#ids.next(was), toolName(name)]
    if (id !== was) this.#repair('renamed-call', node, was, id)
    if (tool !== name) this.#repair('renamed-tool', node, was, tool)
    const open = this.#calls.get(was)
    const call = { turn, at: turn.blocks.length }
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
    const text = words
      .filter((word) => word.trim() !== '')
      .join('\n')
      .toWellFormed()
    const answer = { text, error: result.error, images: seen }
    turn.blocks[at] = { ...(turn.blocks[at] as UnansweredBlock), answer }
  }

  #repair(kind: RepairKind, node: N, call?: string, as?: string): void {
    this.repairs.push({ kind, node, ...(call !== undefined && { call }), ...(as !== undefined && { as }) })
  }

  /** Returns the turns; a thought that nothing follows in its turn is left out, as APIs want it. */
  end(): readonly RequestTurn<N>[] {
    return this.#turns.flatMap((turn) => {
      let { length } = turn.blocks
      while (turn.blocks[length - 1]?.kind === 'thinking') length--
      if (length < turn.blocks.length) this.#repair('dropped-thinking', turn.node)
      return length === 0 ? [] : [{ ...turn, blocks: turn.blocks.slice(0, length) }]
    })
  }
}

/** Returns the side of a block: a call is the model's; an entry without a role has none. */
function sideOf(block: Block | undefined, role: Role | null): RequestTurn<unknown>['role'] | 'result' | null {
  if (block?.kind === 'toolResult') return 'result'
  if (block?.kind === 'toolCall') return 'assistant'
  return role === 'tool' ? 'user' : role
}

const NO_ANSWER: CallAnswer = { text: '', error: true, images: [] }

/** Returns whether blocks of the model continue its turn: until it sees the results of its calls. */
function continues(
  last: OpenTurn<unknown>,
  blocks: readonly { readonly kind: string }[],
  call?: string,
): boolean {
  if (last.answered) return false
  if (call !== undefined && call === last.call) return true
  return blocks[0]?.kind === 'toolCall' || !last.blocks.some(({ kind }) => kind === 'toolCall')
}

/** Returns whether the bytes of an image are base64 as APIs take it. */
const isSound = ({ data }: Image): boolean =>
  data === undefined || (data.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(data))

const imageInWords = ({ mediaType, bytes }: Image): string => `[image: ${mediaType}, ${bytes} bytes]`

/** Returns the text of a summary for the model, in pi's wording. */
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

/** An item of a context, as `graph/context.ts` returns it: only the properties that are needed here. */
export interface RequestItem<N> {
  readonly node: N
  readonly part: string
  readonly view: View
}

/** A message or an item of a request, as the API takes it. */
export interface RequestPart<V extends Json = Json> {
  readonly value: V
  /** The number of tokens, as `tokensOf` counts them. */
  readonly tokens: number
}

/** The part of a request to a model's API that a context makes: always one that the API takes. */
export interface Request<N, V = JsonObject> {
  readonly value: V
  /** The parts of the value, in the order in which the model reads them. */
  readonly parts: readonly RequestPart[]
  readonly repairs: readonly RequestRepair<N>[]
}

/** Returns the number of tokens of blocks without the results, as `tokensOf` counts them. */
export const tokensIn = (blocks: readonly TurnBlock[]): number => tokensOf({ role: null, blocks })

/** Returns the number of tokens of the results of the calls among blocks. */
export const answerTokens = (blocks: readonly TurnBlock[]): number =>
  tokensOf({
    role: null,
    blocks: blocks.flatMap((block) =>
      block.kind === 'toolCall'
        ? [{ kind: 'text', text: block.answer.text } as const, ...block.answer.images]
        : [],
    ),
  })

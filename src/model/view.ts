import type { Json } from './json.ts'

/** The roles, in the order of their numbers in traits, from 1. */
export const ROLES = ['user', 'assistant', 'tool', 'system'] as const

/** The speaker. */
export type Role = (typeof ROLES)[number]

/**
 * Data that only the API that made it understands: signed or encrypted reasoning, which is sent back unchanged or not
 * at all.
 */
export interface Seal {
  /** Anthropic's Messages API, or OpenAI's Responses API. */
  readonly api: 'anthropic' | 'openai'
  readonly value: string
  /** Whether the thought itself is in the seal alone. */
  readonly redacted?: boolean
}

/**
 * A piece of a message. `id` pairs a call with its result; `input` holds the arguments of a call; an image has its
 * media type and its size in bytes. Only a full view has the seals of reasoning and, for images, their bytes in base64
 * or their location. An image whose bytes are missing has their SHA-256 as `blob`.
 */
export type Block =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'thinking'; readonly text: string; readonly seal?: Seal }
  | { readonly kind: 'toolCall'; readonly id: string; readonly name: string; readonly input: Json }
  | {
      readonly kind: 'toolResult'
      readonly id: string
      readonly name?: string
      readonly text: string
      readonly error: boolean
    }
  | {
      readonly kind: 'image'
      readonly mediaType: string
      readonly bytes: number
      readonly data?: string
      readonly url?: string
      readonly blob?: string
    }

/**
 * Tokens and cost of one model call; undefined is unknown. `call` names the call where several entries
 * repeat it.
 */
export type Usage = {
  readonly input?: number
  readonly output?: number
  readonly cacheRead?: number
  readonly cacheWrite?: number
  /** The part of `cacheWrite` that is kept for an hour, which costs more. */
  readonly cacheWriteLong?: number
  /** In US dollars. */
  readonly cost?: number
  readonly call?: string
}

/** Tokens and cost, of one call or of several. */
export type UsageCounts = Omit<Usage, 'call'>

/** A setting that an entry changes for all entries after it, until another entry changes it. */
export interface Setting {
  readonly model?: { readonly provider?: string; readonly id: string }
  readonly thinking?: string
  readonly mode?: string
}

/**
 * The effect of an entry on the context besides its blocks.
 * - `compaction`: the entries before it are replaced by `summary` (undefined if the next entry has it), then by those
 *   that its links keep or by the messages in `replacement`. `system` replaces the system prompt; null removes it.
 * - `summary`: it stands for an abandoned path.
 * - `edit`: its target is hidden (`replacement` null) or replaced by `replacement`.
 * - `merge`: it adds the path of its other parent after its target, marked with `from`, or `summary` instead.
 * - `rollback`: the last `turns` turns of the user, with all entries after them, are hidden.
 */
export type Effect =
  | {
      readonly kind: 'compaction'
      readonly summary?: string
      readonly replacement?: readonly View[]
      readonly system?: View | null
    }
  | { readonly kind: 'summary'; readonly text: string }
  | { readonly kind: 'edit'; readonly replacement: readonly Block[] | null }
  | { readonly kind: 'merge'; readonly from: string; readonly summary?: string }
  | { readonly kind: 'rollback'; readonly turns: number }

/** Returns the summary that an effect adds to the context; undefined if it adds none. */
export function summaryIn(effect: Effect | undefined): string | undefined {
  if (effect?.kind === 'summary') return effect.text
  return effect?.kind === 'compaction' || effect?.kind === 'merge' ? effect.summary : undefined
}

/** The meaning of an entry in any dialect. */
export interface View {
  /** Null where the entry is no message: a change of model, a compaction. */
  readonly role: Role | null
  readonly blocks: readonly Block[]
  readonly usage?: Usage
  readonly sets?: Setting
  readonly effect?: Effect
  /** Whether the agent says it in the user's name: a hook, a skill, a reminder. */
  readonly aside?: true
  /** A short description of an entry that has nothing for the model. */
  readonly note?: string
}

/**
 * Returns whether nobody speaks in an entry: it only sets something, or is what an agent says before its user does. An
 * entry whose meaning is not known may be a message.
 */
export function isSilent({ role, aside, blocks, sets, effect }: View): boolean {
  if (effect) return false
  return role === null ? sets !== undefined && blocks.length === 0 : role === 'system' || aside === true
}

/** A view that shows nothing: for entries whose meaning is not known. */
export const OPAQUE: View = { role: null, blocks: [] }

/** Returns a full view without seals and without the data of images: for display, cheap to keep. */
export function light(view: View): View {
  const blocks = lightBlocks(view.blocks)
  const { effect } = view
  const lighter =
    effect?.kind === 'edit' && effect.replacement
      ? { ...effect, replacement: lightBlocks(effect.replacement) }
      : effect?.kind === 'compaction' && effect.replacement
        ? { ...effect, replacement: effect.replacement.map(light) }
        : effect
  if (blocks === view.blocks && lighter === effect) return view
  return { ...view, blocks, ...(lighter && { effect: lighter }) }
}

function lightBlocks(blocks: readonly Block[]): readonly Block[] {
  const isHeavy = (block: Block): boolean => 'seal' in block || 'data' in block || 'url' in block
  return blocks.some(isHeavy) ? blocks.flatMap(lightBlock) : blocks
}

function lightBlock(block: Block): Block[] {
  // a thought that only its seal holds shows nothing
  if (block.kind === 'thinking')
    return block.seal && !block.text ? [] : [{ kind: 'thinking', text: block.text }]
  if (block.kind !== 'image') return [block]
  const { data: _data, url: _url, ...image } = block
  return [image]
}

/** Returns the text blocks of a view joined by newlines, or null if it has none. */
export function textOf(view: View): string | null {
  const texts = view.blocks.flatMap((b) => (b.kind === 'text' ? [b.text] : []))
  return texts.length === 0 ? null : texts.join('\n')
}

/** Returns a view with other blocks. Results keep answering their calls: new words only replace their text. */
export function editedView(view: View, blocks: readonly Block[]): View {
  const results = view.blocks.filter((block) => block.kind === 'toolResult')
  if (results.length === 0 || blocks.some((block) => block.kind === 'toolResult')) return { ...view, blocks }
  const text = blocks.flatMap((block) => (block.kind === 'text' ? [block.text] : [])).join('\n')
  return {
    ...view,
    blocks: [
      ...results.map((block) => ({ ...block, text })),
      ...blocks.filter((block) => block.kind !== 'text'),
    ],
  }
}

/**
 * The facts of an entry that graph code and lists need without its body, in one byte: bits 0 to 2 the role, then
 * whether it compacts (8), edits or rolls back (16), sets the model (32), the thinking level (64), the mode (128).
 */
export type Traits = number

export const COMPACTS = 8
export const EDITS = 16
export const SETS_MODEL = 32
export const SETS_THINKING = 64
export const SETS_MODE = 128

/** Returns the traits of a view. */
export function traitsOf(view: View): Traits {
  let traits = view.role === null ? 0 : 1 + ROLES.indexOf(view.role)
  if (view.effect?.kind === 'compaction') traits |= COMPACTS
  if (view.effect?.kind === 'edit' || view.effect?.kind === 'rollback') traits |= EDITS
  if (view.sets?.model) traits |= SETS_MODEL
  if (view.sets?.thinking !== undefined) traits |= SETS_THINKING
  if (view.sets?.mode !== undefined) traits |= SETS_MODE
  return traits
}

/** Returns the role of traits. */
export const roleOf = (traits: Traits): Role | null => ROLES[(traits & 7) - 1] ?? null

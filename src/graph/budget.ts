import { promptIn } from '../model/prompt.ts'
import { tokensOf } from '../model/tokens.ts'
import type { Block, View } from '../model/view.ts'
import type { ContextItem } from './contextwalk.ts'

/** A part of a context that was left out to fit a budget: a tool result, thinking, images, or a whole message. */
export interface Omission<N> {
  readonly kind: 'result' | 'thinking' | 'image' | 'message'
  readonly node: N
  /** The number of tokens that were saved. */
  readonly tokens: number
}

/** A context that was fitted to a budget. */
export interface FittedContext<N> {
  readonly items: readonly ContextItem<N>[]
  readonly left: readonly Omission<N>[]
}

/** Tells what views weigh. Views may stand for longer ones: then it tells what those weigh. */
export interface Measure {
  /** Returns the estimated number of tokens of a view. */
  readonly tokensOf: (view: View) => number
  /** Returns the number of characters of a text of a view. */
  readonly lengthOf: (text: string) => number
  /** Whether a view has words of the user's own. */
  readonly isPrompt: (view: View) => boolean
}

/** Weighs views as they are. */
const AS_IT_IS: Measure = {
  tokensOf,
  lengthOf: (text) => text.length,
  isPrompt: (view) => promptIn(view) !== undefined,
}

/** Returns the estimated number of tokens of a context. */
export const tokensIn = (items: readonly ContextItem<unknown>[], measure: Measure = AS_IT_IS): number =>
  items.reduce((sum, { view }) => sum + measure.tokensOf(view), 0)

/**
 * Reduces a context to a number of tokens. Leaves out the oldest first and no more than needed: the texts of tool results,
 * then thinking of earlier turns, then images, then whole turns, then messages after the user's last one. Summaries,
 * system prompts and the user's last message stay, even if they exceed the budget. A call may lose its result.
 */
export function fitToBudget<N>(
  items: readonly ContextItem<N>[],
  budget: number,
  measure: Measure = AS_IT_IS,
): FittedContext<N> {
  const fit = new Reduction(items, budget, measure)
  fit.reduceBlocks('result', (block) => (block.kind === 'toolResult' ? shortened(block, measure) : block))
  fit.reduceBlocks('thinking', (block) => (block.kind === 'thinking' ? undefined : block), fit.last)
  fit.reduceBlocks('image', (block) => (block.kind === 'image' ? inWords(block) : block))
  fit.dropTurns()
  return fit.end()
}

class Reduction<N> {
  readonly #items: (ContextItem<N> | undefined)[]
  readonly #budget: number
  readonly #measure: Measure
  readonly #omissions: Omission<N>[] = []
  /** The index of the user's last message. */
  readonly last: number
  #tokens: number

  constructor(items: readonly ContextItem<N>[], budget: number, measure: Measure) {
    this.#items = [...items]
    this.#budget = budget
    this.#measure = measure
    this.#tokens = tokensIn(items, measure)
    const prompt = items.findLastIndex((item) => this.#isPrompt(item))
    this.last = prompt < 0 ? items.findLastIndex(({ view }) => view.role === 'user') : prompt
  }

  /** Reduces the blocks of one item after the other while the context is too large. */
  reduceBlocks(
    kind: Omission<N>['kind'],
    change: (block: Block) => Block | undefined,
    to = this.#items.length,
  ): void {
    for (let at = 0; at < to && this.#tokens > this.#budget; at++) {
      const item = this.#items[at]
      if (item === undefined || this.#stays(at, item)) continue
      const { view } = item
      const blocks = view.blocks.flatMap((block) => change(block) ?? [])
      const smaller: View = { ...view, blocks }
      const saved = this.#measure.tokensOf(view) - this.#measure.tokensOf(smaller)
      if (saved > 0)
        this.#put(at, kind, saved, blocks.length > 0 ? { ...item, view: smaller, reduced: true } : undefined)
    }
  }

  /** Drops turns while the context is too large, then messages of the last turn. */
  dropTurns(): void {
    let from = 0
    while (from < this.last && this.#tokens > this.#budget) {
      let to = from + 1
      while (to < this.last && !this.#isPrompt(this.#items[to])) to++
      for (; from < to; from++) this.#drop(from)
    }
    for (let at = this.last + 1; at < this.#items.length && this.#tokens > this.#budget; at++) this.#drop(at)
  }

  #drop(at: number): void {
    const item = this.#items[at]
    if (item && !this.#stays(at, item)) this.#put(at, 'message', this.#measure.tokensOf(item.view), undefined)
  }

  #put(at: number, kind: Omission<N>['kind'], tokens: number, item: ContextItem<N> | undefined): void {
    this.#omissions.push({ kind, node: (this.#items[at] as ContextItem<N>).node, tokens })
    this.#items[at] = item
    this.#tokens -= tokens
  }

  /** Returns whether an item begins a turn. */
  #isPrompt(item: ContextItem<N> | undefined): boolean {
    return item !== undefined && item.part !== 'closing' && this.#measure.isPrompt(item.view)
  }

  #stays(at: number, { part, view, summary }: ContextItem<N>): boolean {
    return at === this.last || summary === true || part.endsWith('-summary') || view.role === 'system'
  }

  end(): FittedContext<N> {
    return { items: this.#items.filter((item) => item !== undefined), left: this.#omissions }
  }
}

function shortened(result: Extract<Block, { kind: 'toolResult' }>, { lengthOf }: Measure): Block {
  const length = lengthOf(result.text)
  const text = `[${length} characters left out]`
  return text.length < length ? { ...result, text } : result
}

const inWords = ({ mediaType, bytes }: Extract<Block, { kind: 'image' }>): Block => ({
  kind: 'text',
  text: `[image: ${mediaType}, ${bytes} bytes]`,
})

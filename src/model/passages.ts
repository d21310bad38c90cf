import { cut, flat, quotation } from './markdown.ts'
import { folded } from './search/words.ts'
import type { View } from './view.ts'

interface Passage {
  readonly place: number
  readonly score: number
  readonly who: string
  readonly text: string
}

/** The most passages, the length of each in UTF-16 units, and the part of each and of a goal that is read. */
const MAX_PASSAGES = 6
const LONGEST = 600
const LOOKED_AT = 4000

/** Words that say nothing of what a goal is about. */
const COMMON = new Set(
  'about again also and another but can continue done from have into make more now please should some that the then they this use want was were what when with work would you your'.split(
    ' ',
  ),
)

/** Finds the paragraphs of a conversation that have most words in common with a goal, in bounded memory. */
export class Passages {
  readonly #words: readonly string[]
  readonly #least: number
  #best: Passage[] = []
  #place = 0

  constructor(goal: string) {
    const words = folded(goal.slice(0, LOOKED_AT)).match(/[\p{L}\p{N}_]{3,}/gu) ?? []
    this.#words = [...new Set(words)].filter((word) => !COMMON.has(word))
    this.#least = this.#words.length > 3 ? 2 : 1
  }

  /** Adds the next entry: the texts of the user or the agent. */
  add({ role, blocks }: View): void {
    if (this.#words.length === 0 || (role !== 'user' && role !== 'assistant')) return
    const who = role === 'user' ? 'The user' : 'The agent'
    for (const block of blocks)
      if (block.kind === 'text') for (const text of block.text.split(/\n\s*\n/)) this.#take(who, text)
  }

  #take(who: string, text: string): void {
    const looked = folded(text.slice(0, LOOKED_AT))
    const score = this.#words.filter((word) => looked.includes(word)).length
    if (score < this.#least) return
    this.#best.push({ place: this.#place++, score, who, text: cut(text.trim(), LONGEST) })
    if (this.#best.length > 8 * MAX_PASSAGES) this.#best = this.#ranked()
  }

  /** Returns the best passages, of equal ones the latest first. */
  #ranked(): Passage[] {
    const known = new Set<string>()
    return [...this.#best]
      .sort((a, b) => b.score - a.score || b.place - a.place)
      .filter(({ text }) => !known.has(flat(text)) && known.add(flat(text)))
      .slice(0, MAX_PASSAGES)
  }

  /** Returns the best passages in their order as markdown; '' if there are none. */
  text(): string {
    return this.#ranked()
      .sort((a, b) => a.place - b.place)
      .map(({ who, text }) => `${who}:\n\n${quotation(text, LONGEST)}`)
      .join('\n\n')
  }
}

import type { Block, View } from '../../model/view.ts'
import { CallIds } from '../requests/toolids.ts'

/** A call that waits for its result: the id that it is written with, and whether a result comes. */
interface OpenCall {
  readonly id: string
  readonly awaited: boolean
}

/** The longest id of a call that every API takes. */
const LONGEST_ID = 64

/** The result of a call that was never answered. */
const NO_RESULT = 'no result was recorded'

/**
 * Pairs calls with results on their way into messages: a result answers the latest call of its id, each call gets an id
 * of its own, and those that nothing answers are remembered, to be answered by an error.
 */
export class ExportedCalls<Source> {
  /** How many results are yet to come, by id. */
  readonly #results: Map<string, number>
  readonly #ids = new CallIds(LONGEST_ID)
  readonly #open = new Map<string, OpenCall[]>()
  #awaited = 0
  #unanswered: { from: Source; blocks: Block[] }[] = []

  constructor(results: Map<string, number>) {
    this.#results = results
  }

  /** Whether a call was taken whose result is yet to come. */
  get isOpen(): boolean {
    return this.#awaited > 0
  }

  /** Returns whether something answers a call that was taken. */
  answers({ blocks }: View): boolean {
    return blocks.some((block) => block.kind === 'toolResult' && this.#open.get(block.id)?.length)
  }

  /** Takes what passes as it is. */
  pass({ blocks }: View): void {
    for (const block of blocks) {
      if (block.kind === 'toolCall') {
        this.#ids.next(block.id)
        this.#openCall(block.id, { id: block.id, awaited: false })
      } else if (block.kind === 'toolResult') this.#answer(block.id)
    }
  }

  /** Returns blocks with the ids with which they are written, and the ids of results without a call. */
  take(blocks: readonly Block[], from: Source): { paired: Block[]; orphans: string[] } {
    const orphans: string[] = []
    const unanswered: Block[] = []
    const paired = blocks.flatMap((block): Block[] => {
      if (block.kind === 'toolCall') {
        const id = this.#ids.next(block.id)
        const awaited = (this.#results.get(block.id) ?? 0) > this.#waitingFor(block.id)
        this.#openCall(block.id, { id, awaited })
        if (!awaited)
          unanswered.push({ kind: 'toolResult', id, name: block.name, text: NO_RESULT, error: true })
        return [{ ...block, id }]
      }
      if (block.kind !== 'toolResult') return [block]
      const id = this.#answer(block.id)
      if (id === undefined) orphans.push(block.id)
      return id === undefined ? [] : [{ ...block, id }]
    })
    if (unanswered.length > 0) this.#unanswered.push({ from, blocks: unanswered })
    return { paired, orphans }
  }

  /** Returns error results for calls that are never answered, and forgets those calls. */
  close(): readonly { readonly from: Source; readonly blocks: readonly Block[] }[] {
    const unanswered = this.#unanswered
    this.#unanswered = []
    return unanswered
  }

  #waitingFor(id: string): number {
    return (this.#open.get(id) ?? []).filter(({ awaited }) => awaited).length
  }

  #openCall(id: string, call: OpenCall): void {
    if (call.awaited) this.#awaited++
    const calls = this.#open.get(id)
    if (calls) calls.push(call)
    else this.#open.set(id, [call])
  }

  #answer(id: string): string | undefined {
    this.#results.set(id, (this.#results.get(id) ?? 0) - 1)
    const calls = this.#open.get(id) ?? []
    // The latest that waits: one that was taken for unanswered has an answer already.
    const at = calls.findLastIndex(({ awaited }) => awaited)
    const [call] = calls.splice(at < 0 ? calls.length - 1 : at, 1)
    if (calls.length === 0) this.#open.delete(id)
    if (call?.awaited) this.#awaited--
    return call?.id
  }
}

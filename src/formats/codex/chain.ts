import type { RecordIndex } from '../format.ts'
import type { Part } from './item.ts'

/** A place on the tree: the entry that the next one continues, and the model and effort that hold there. */
interface Place {
  readonly tip: RecordIndex | null
  readonly setting: string
}

/**
 * Where the next entry of a rollout goes. A rollout is one chain in file order; a rollback goes back to where
 * the first of the last turns began, and what follows continues from there. It goes back behind compactions
 * too: before that turn the model had what the entries before it say.
 */
export class Chain {
  #here: Place = { tip: null, setting: '' }
  /** Where the updates of the context began that directly precede; null where there are none. */
  #updates: Place | null = null
  /** Where each turn of the path began, the oldest first. */
  readonly #turns: Place[] = []

  /** The last entry of the path, null where it has none. */
  get tip(): RecordIndex | null {
    return this.#here.tip
  }

  /** The model and effort that were last set on the path. */
  get setting(): string {
    return this.#here.setting
  }

  /** Adds an entry to the path and gives its parent. */
  extend(handle: RecordIndex, part: Part, setting = this.setting): RecordIndex | null {
    const before = this.#here
    if (part === 'update') this.#updates ??= before
    // What precedes the first prompt is the start of the session, not of the turn.
    else if (part === 'prompt') this.#turns.push((this.#turns.length > 0 && this.#updates) || before)
    if (part !== 'update') this.#updates = null
    this.#here = { tip: handle, setting }
    return before.tip
  }

  /** Leaves the last turns of the path, all of them where it has fewer. */
  rollBack(count: number): void {
    if (count <= 0 || this.#turns.length === 0) return
    const first = Math.max(0, this.#turns.length - count)
    this.#here = this.#turns[first] as Place
    this.#turns.length = first
    this.#updates = null
  }
}

/** What an id of a call may not hold, nor the name of a tool. */
const FORBIDDEN = /[^a-zA-Z0-9_-]/g

/** The longest name of a tool that every API takes. */
const LONGEST_NAME = 64

/** Returns a name for a tool that every API takes. */
export const toolName = (name: string): string =>
  name.replace(FORBIDDEN, '_').slice(0, LONGEST_NAME) || 'tool'

/**
 * Returns tool calls ids that an API takes, each another: that which a call has, where it can stay. What an id becomes
 * follows from the calls before it alone.
 */
export class CallIds {
  readonly #longest: number
  readonly #given = new Set<string>()
  /** By what an id became how often it was asked for. */
  readonly #asked = new Map<string, number>()

  constructor(longest: number) {
    this.#longest = longest
  }

  /** Returns the id of the next call. */
  next(id: string): string {
    const wanted = id.replace(FORBIDDEN, '_').slice(0, this.#longest) || 'call'
    let given = wanted
    let count = this.#asked.get(wanted) ?? 0
    while (this.#given.has(given)) {
      const suffix = `_${++count + 1}`
      given = wanted.slice(0, this.#longest - suffix.length) + suffix
    }
    this.#asked.set(wanted, count)
    this.#given.add(given)
    return given
  }
}

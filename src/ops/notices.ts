import type { Warning } from '../formats/format.ts'

/** A warning and where in its source it belongs. */
export interface Notice extends Warning {
  readonly line: number
}

/** At most this many warnings of a source are kept; the last of them says how many more there were. */
const MOST = 100

/** Gathers what is to be told of a source. */
export class Notices {
  readonly #kept: Notice[] = []
  #dropped = 0

  add(line: number, { code, message }: Warning): void {
    if (this.#kept.length < MOST) this.#kept.push({ code, line, message })
    else this.#dropped++
  }

  /** Gives all, or the first of them and how many more there are. */
  get all(): readonly Notice[] {
    if (this.#dropped === 0) return this.#kept
    const message = `${this.#dropped} more warnings are not shown`
    return [...this.#kept, { code: 'more-warnings', line: 0, message }]
  }
}

import { skipBlank } from '../../formats/core/jsonscan.ts'
import type { Unit, Warning } from '../../formats/core/splitter.ts'

/** A warning and where in its source it belongs. */
export interface Notice extends Warning {
  /** From 1; 0 is the whole source. */
  readonly line: number
  /** At which of its bytes it begins, from 0. */
  readonly offset: number
}

/** At most this many warnings of each code are kept of a source; the last of all says how many more there were. */
const MAX_NOTICES = 100

const SALVAGED: Warning = {
  code: 'salvaged',
  message: 'a record was recovered from a damaged line, which agents may skip',
}
const SEPARATED: Warning = {
  code: 'line-separator',
  message: 'it contains an unescaped U+2028 or U+2029, at which some agents end the line',
}
const TORN: Warning = { code: 'torn-tail', message: 'the end is no complete record yet' }

/** Collects the warnings of a source with the lines and offsets that they concern. */
export class Notices {
  private readonly kept: Notice[] = []
  /** How many there were, by their code. */
  private readonly counts = new Map<string, number>()
  private dropped = 0
  /** How many bytes were read as units. */
  private bytes = 0
  /** How many newlines the source has so far. */
  #newlines = 0
  /** The warning of the end. */
  #end: readonly Notice[] = []

  /** Goes on after a number of newlines. */
  goOn(newlines: number): void {
    this.#newlines = newlines
  }

  /** The number of newlines so far. */
  get newlines(): number {
    return this.#newlines
  }

  /** Passes over the next bytes of the source. */
  pass(bytes: Uint8Array): void {
    this.#newlines += newlinesIn(bytes)
  }

  /** Adds the warnings of a unit and of its reader. */
  take(unit: Unit, warnings: readonly Warning[]): void {
    const { line, lead, warning, salvaged } = unit
    const offset = this.bytes + lead
    this.bytes += unit.bytes.length
    const damage = warning ?? (salvaged ? SALVAGED : undefined)
    if (damage) this.#add(line, offset, damage)
    if (isSeparated(unit)) this.#add(line, offset, SEPARATED)
    for (const one of warnings) this.#add(line, offset, one)
  }

  /** Ends with the bytes that are left over; `torn` where they are the beginning of a unit. */
  end(tail: readonly Uint8Array[], torn: boolean): void {
    this.#end = []
    if (!torn) return
    const [first = new Uint8Array(0)] = tail
    const blank = skipBlank(first, 0)
    const before = tail.reduce((left, chunk) => left - newlinesIn(chunk), this.#newlines)
    const line = 1 + before + newlinesIn(first.subarray(0, blank))
    this.#end = [{ ...TORN, line, offset: this.bytes + blank }]
  }

  /** Returns all warnings, or the first of them and how many more there are. */
  get all(): readonly Notice[] {
    const message = `${this.dropped} more warnings are not shown`
    const more = this.dropped === 0 ? [] : [{ code: 'more-warnings', line: 0, offset: 0, message }]
    return [...this.kept, ...more, ...this.#end]
  }

  #add(line: number, offset: number, { code, message }: Warning): void {
    const count = (this.counts.get(code) ?? 0) + 1
    this.counts.set(code, count)
    if (count <= MAX_NOTICES) this.kept.push({ code, line, offset, message })
    else this.dropped++
  }
}

const SEPARATORS = ['\u2028', '\u2029']

/** Returns whether a unit holds one of the SEPARATORS. A text of Latin characters alone is not searched. */
const isSeparated = ({ text, bytes }: Unit): boolean =>
  SEPARATORS.some((separator) => text?.includes(separator) ?? bufferOf(bytes).includes(separator))

const bufferOf = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)

const NEWLINE = 10

function newlinesIn(bytes: Uint8Array): number {
  const buffer = bufferOf(bytes)
  let count = 0
  for (let at = buffer.indexOf(NEWLINE); at >= 0; at = buffer.indexOf(NEWLINE, at + 1)) count++
  return count
}

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
const MOST = 100

const SALVAGED: Warning = {
  code: 'salvaged',
  message: 'a record was recovered from a damaged line, which agents may skip',
}
const SEPARATED: Warning = {
  code: 'line-separator',
  message: 'U+2028 or U+2029 stands raw in it, where some agents end the line',
}
const TORN: Warning = { code: 'torn-tail', message: 'the end is no complete record yet' }

/** Collects the warnings of a source with the lines and offsets that they concern. */
export class Notices {
  readonly #kept: Notice[] = []
  /** How many there were, by their code. */
  readonly #counts = new Map<string, number>()
  #dropped = 0
  /** How many bytes were read as units. */
  #bytes = 0
  /** The line on which the last unit ends. */
  #line = 1
  /** The warning of the end as it is now. */
  #end: readonly Notice[] = []

  /** Adds the warnings of a unit and of its reader. */
  take(unit: Unit, warnings: readonly Warning[]): void {
    const at = { line: unit.line, offset: this.#bytes + unit.lead }
    this.#bytes += unit.bytes.length
    this.#line = unit.line + newlinesIn(unit.bytes, unit.lead)
    const damage = unit.warning ?? (unit.salvaged ? SALVAGED : undefined)
    if (damage) this.#add(at, damage)
    if (isSeparated(unit.bytes)) this.#add(at, SEPARATED)
    for (const warning of warnings) this.#add(at, warning)
  }

  /** Ends, for now, with the bytes that are left over; `torn` where they are the beginning of a unit. */
  end([tail = new Uint8Array(0)]: readonly Uint8Array[], torn: boolean): void {
    this.#end = []
    if (!torn) return
    const blank = skipBlank(tail, 0)
    const line = this.#line + newlinesIn(tail.subarray(0, blank))
    this.#end = [{ ...TORN, line, offset: this.#bytes + blank }]
  }

  /** Returns all warnings, or the first of them and how many more there are. */
  get all(): readonly Notice[] {
    const message = `${this.#dropped} more warnings are not shown`
    const more = this.#dropped === 0 ? [] : [{ code: 'more-warnings', line: 0, offset: 0, message }]
    return [...this.#kept, ...more, ...this.#end]
  }

  #add({ line, offset }: Pick<Notice, 'line' | 'offset'>, { code, message }: Warning): void {
    const count = (this.#counts.get(code) ?? 0) + 1
    this.#counts.set(code, count)
    if (count <= MOST) this.#kept.push({ code, line, offset, message })
    else this.#dropped++
  }
}

/** U+2028 and U+2029, in UTF-8. */
const SEPARATORS = [Buffer.of(0xe2, 0x80, 0xa8), Buffer.of(0xe2, 0x80, 0xa9)]

const bufferOf = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)

/** Returns whether bytes hold one of the SEPARATORS. */
const isSeparated = (bytes: Uint8Array): boolean =>
  SEPARATORS.some((separator) => bufferOf(bytes).includes(separator))

const NEWLINE = 10

function newlinesIn(bytes: Uint8Array, from = 0): number {
  let count = 0
  for (let at = bytes.indexOf(NEWLINE, from); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) count++
  return count
}

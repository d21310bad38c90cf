import { safe } from '../model/terminaltext.ts'
import type { VerbContext } from '../verbs/open.ts'
import { secretParts } from '../verbs/secret-parts.ts'
import { perform, type ResultOf } from '../verbs/verb.ts'

type MaskedParts = ResultOf<typeof secretParts>[number]

/** Secrets are looked for in so much text around the part that is shown: the rule of a key has to see all of it. */
const MARGIN = 24 << 10

/** How a text is quoted: at most `limit` UTF-16 units of it, `from` one on; as one line unless `lines` is set. */
interface QuoteOptions {
  readonly limit: number
  readonly from?: number
  readonly lines?: boolean
}

/**
 * A text from a transcript, or a name that somebody chose. An answer holds such texts only in this form: what is shown of
 * one has no secrets, no characters that hide or reorder text, and a bounded size.
 */
export class Quoted {
  readonly #text: string
  readonly #from: number
  readonly #limit: number
  readonly #lines: boolean
  #shown: string | undefined
  #end: number | undefined

  constructor(text: string, { limit, from = 0, lines = false }: QuoteOptions) {
    this.#text = text
    this.#from = Math.min(from, text.length)
    this.#limit = limit
    this.#lines = lines
  }

  get #start(): number {
    return Math.max(0, this.#from - MARGIN)
  }

  /** The part of the text in which secrets are looked for. */
  get searched(): string {
    return this.#text.slice(this.#start, this.#from + this.#limit + MARGIN)
  }

  /** The number of UTF-16 units after the part that is shown; an estimate before that is made. */
  get rest(): number {
    return Math.max(0, this.#text.length - this.end)
  }

  /** Where the part that is shown ends. */
  get end(): number {
    return this.#end ?? Math.min(this.#from + this.#limit, this.#text.length)
  }

  /** Makes what is shown, without the parts of the searched text that are secrets. Its JSON is within the limit. */
  settle(secrets: MaskedParts): void {
    let units = Math.min(this.#limit, this.#text.length - this.#from)
    for (;;) {
      const { text, end } = this.#cleaned(secrets, units)
      const size = JSON.stringify(text).length - 2
      this.#end = end
      this.#shown = this.rest > 0 ? `${text}…` : text
      if (size <= this.#limit || units <= 1) return
      // Characters that are escaped take more room.
      units = Math.max(1, Math.min(units - 1, Math.floor((0.9 * units * this.#limit) / size)))
    }
  }

  /** Returns so many units of the text as they are shown, and where they end: after a secret that begins in them. */
  #cleaned(secrets: MaskedParts, units: number): { readonly text: string; readonly end: number } {
    const from = this.#from - this.#start
    // Both halves of a pair, or none.
    const to = from + units + (isPairAt(this.searched, from + units - 1) ? 1 : 0)
    const parts: string[] = []
    let done = from
    for (const { start, end, mark } of secrets) {
      if (end <= done || start >= to) continue
      parts.push(this.searched.slice(done, Math.max(done, start)), mark)
      done = end
    }
    if (done < to) parts.push(this.searched.slice(done, to))
    const clean = safe(parts.join('').toWellFormed())
    const text = this.#lines ? clean : clean.replaceAll(/\s+/g, ' ').trim()
    return { text, end: this.#start + Math.max(done, to) }
  }

  /** Returns the shown part of the text. */
  toJSON(): string {
    if (this.#shown === undefined) throw new Error('the text was not searched for secrets')
    return this.#shown
  }
}

/** Returns whether a character of two units begins at a place. */
const isPairAt = (text: string, place: number): boolean => (text.codePointAt(place) ?? 0) > 0xffff

/** Says how to read on in a text, once it is known where the shown part ends; null at its end. */
export class Rest {
  readonly #quote: Quoted

  constructor(quote: Quoted) {
    this.#quote = quote
  }

  toJSON(): { readonly from: number; readonly characters: number } | null {
    const { end, rest } = this.#quote
    return rest > 0 ? { from: end, characters: rest } : null
  }
}

/** Returns a quoted line, null for none. */
export const lineOrNull = (text: string | null | undefined, limit = LINE): Quoted | null =>
  text === null || text === undefined || text === '' ? null : new Quoted(text, { limit })

/** The usual size of a line, in UTF-16 units. */
const LINE = 200

/** Yields all quoted texts in a value. */
function* quotesIn(value: unknown): Generator<Quoted> {
  if (value instanceof Quoted) yield value
  else if (typeof value === 'object' && value !== null)
    for (const one of Object.values(value)) yield* quotesIn(one)
}

/** Makes all quoted texts in a value ready to be shown; their secrets are masked unless they are to be shown. */
export async function settleQuotes(
  context: VerbContext,
  value: unknown,
  showsSecrets: boolean,
): Promise<void> {
  const quotes = [...quotesIn(value)]
  if (quotes.length === 0) return
  const texts = showsSecrets ? [] : quotes.map(({ searched }) => searched)
  const found = texts.length > 0 ? (await perform(secretParts, context, { text: texts })).result : []
  for (const [i, quote] of quotes.entries()) quote.settle(found?.[i] ?? [])
}

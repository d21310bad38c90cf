import type { Awaitable } from '../../model/async.ts'
import { isObject, type Json } from '../../model/json.ts'
import { escapedPieces } from '../../model/jsonpieces.ts'
import type { EntryHandle } from '../../model/node.ts'
import type { Block, View } from '../../model/view.ts'

/** Texts of more characters are put away. */
const LONG = 1024

const NONCE_BYTES = 16
const INDEX_DIGITS = 8
const TOKEN_LENGTH = 2 * NONCE_BYTES + INDEX_DIGITS

/** A text that was put away: which one of the view of which entry. */
interface Place {
  readonly handle: EntryHandle
  /** How many texts of the view come before it. */
  readonly nth: number
  /** Whether it is a part of the arguments of a call. */
  readonly isArgument: boolean
}

interface Options {
  /** Returns random bytes. */
  readonly random: (bytes: number) => Uint8Array
  /** Whether the arguments of calls become a text of JSON, which the JSON of the whole then spells once more. */
  readonly argumentsAreText: boolean
  readonly longest?: number
}

/**
 * Keeps the long texts of a context out of memory until it is printed. Each is replaced by a token, which no entry can
 * hold because it is random; it is no longer than a word, is not blank, and is base64. What is made of the views has the
 * token wherever it would have the text, and the JSON of that has the text put in its place, which is read once more.
 */
export class PutAway {
  readonly #nonce: string
  readonly #places: Place[] = []
  readonly #viewOf: (handle: EntryHandle) => Awaitable<View>
  readonly #options: Required<Omit<Options, 'random'>>
  /** The texts of the entry that was read last. */
  #read: { readonly handle: EntryHandle; readonly texts: readonly string[] } | undefined

  constructor(
    viewOf: (handle: EntryHandle) => Awaitable<View>,
    { random, argumentsAreText, longest = LONG }: Options,
  ) {
    this.#nonce = Buffer.from(random(NONCE_BYTES)).toString('hex')
    this.#viewOf = viewOf
    this.#options = { argumentsAreText, longest }
  }

  /** Returns the view of an entry with tokens for its long texts. */
  short(handle: EntryHandle, view: View): View {
    if (view.effect !== undefined) return view
    let nth = 0
    return this.#changed(view, (_, isArgument) => {
      this.#places.push({ handle, nth: nth++, isArgument })
      return this.#nonce + (this.#places.length - 1).toString(16).padStart(INDEX_DIGITS, '0')
    })
  }

  /** Yields pieces of a JSON text with the texts in place of their tokens. */
  async *putBack(pieces: Iterable<string>): AsyncGenerator<string> {
    let text = ''
    for (const piece of pieces) {
      text += piece
      let from = 0
      for (let at = text.indexOf(this.#nonce); at >= 0; at = text.indexOf(this.#nonce, from)) {
        if (at + TOKEN_LENGTH > text.length) break
        yield text.slice(from, at)
        from = at + TOKEN_LENGTH
        yield* this.#textAt(Number.parseInt(text.slice(from - INDEX_DIGITS, from), 16))
      }
      const end = Math.max(from, this.#lastToken(text))
      yield text.slice(from, end)
      text = text.slice(end)
    }
    yield text
  }

  /** Returns where a token begins that may go on in the next piece; the length where there is none. */
  #lastToken(text: string): number {
    for (let at = Math.max(0, text.length - TOKEN_LENGTH + 1); at < text.length; at++) {
      const end = text.slice(at)
      if (this.#nonce.startsWith(end) || end.startsWith(this.#nonce)) return at
    }
    return text.length
  }

  async *#textAt(index: number): AsyncGenerator<string> {
    const { handle, nth, isArgument } = this.#places[index] as Place
    if (this.#read?.handle !== handle) {
      const texts: string[] = []
      this.#changed(await this.#viewOf(handle), (text) => {
        texts.push(text)
        return text
      })
      this.#read = { handle, texts }
    }
    const text = this.#read.texts[nth] as string
    for (const piece of escapedPieces(text.toWellFormed()))
      yield* isArgument && this.#options.argumentsAreText ? escapedPieces(piece) : [piece]
  }

  #changed(view: View, change: (text: string, isArgument: boolean) => string): View {
    const { longest } = this.#options
    const ofText = (text: string): string =>
      text.length > longest && text.trim() !== '' ? change(text, false) : text
    const ofInput = (value: Json): Json => {
      if (typeof value === 'string') return value.length > longest ? change(value, true) : value
      if (Array.isArray(value)) return (value as readonly Json[]).map(ofInput)
      if (!isObject(value)) return value
      return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, ofInput(part)]))
    }
    const ofBlock = (block: Block): Block => {
      if (block.kind === 'toolCall')
        return isObject(block.input) ? { ...block, input: ofInput(block.input) } : block
      if (block.kind !== 'image') return { ...block, text: ofText(block.text) }
      const { data } = block
      return data !== undefined && data.length > longest && isBase64(data)
        ? { ...block, data: change(data, false) }
        : block
    }
    return { ...view, blocks: view.blocks.map(ofBlock) }
  }
}

/** Whether a text is base64 as the APIs take it: only then it is as acceptable as its token. */
const isBase64 = (text: string): boolean => text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text)

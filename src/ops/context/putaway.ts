import type { Measure } from '../../graph/budget.ts'
import type { Awaitable } from '../../model/async.ts'
import { isObject, type Json, jsonText } from '../../model/json.ts'
import { escapedPieces } from '../../model/jsonpieces.ts'
import { ownWords, promptIn } from '../../model/prompt.ts'
import { charsOf, tokensIn } from '../../model/tokens.ts'
import type { Block, View } from '../../model/view.ts'

/** Texts of more characters are put away. */
const LONG = 1024

const NONCE_BYTES = 16
const INDEX_DIGITS = 8
const TOKEN_LENGTH = 2 * NONCE_BYTES + INDEX_DIGITS

/** A text that was put away: which one of its source. */
interface Place<S> {
  readonly source: S
  /** How many texts of the source come before it. */
  readonly nth: number
  /** Whether it is a part of the arguments of a call. */
  readonly isArgument: boolean
  /** The number of its characters, as `charsOf` counts them. */
  readonly chars: number
  /** Whether it has words of the user's own, if it is the user's. */
  readonly isPrompt: boolean
}

/** Where texts are: a view, or a value of JSON. */
export type Content = { readonly view: View } | { readonly value: Json }

interface Options {
  /** Returns random bytes. */
  readonly random: (bytes: number) => Uint8Array
  /** Whether the arguments of calls become a text of JSON, which the JSON of the whole then spells once more. */
  readonly argumentsAreText?: boolean
  /** Whether half of a surrogate pair is replaced, as in requests. */
  readonly wellFormed?: boolean
  readonly longest?: number
}

/**
 * Keeps the long texts of a context out of memory until it is printed. Each is replaced by a token, which no entry can
 * hold because it is random; it is no longer than a word, is not blank, and is base64. What is made of the views has the
 * token wherever it would have the text, and the JSON of that has the text put in its place, which is read once more
 * from its source.
 */
export class PutAway<S> implements Measure {
  readonly #nonce: string
  readonly #places: Place<S>[] = []
  readonly #read: (source: S) => Awaitable<Content>
  readonly #options: Required<Omit<Options, 'random'>>
  /** The texts of the source that was read last. */
  #last: { readonly source: S; readonly texts: readonly string[] } | undefined

  constructor(
    read: (source: S) => Awaitable<Content>,
    { random, argumentsAreText = false, wellFormed = false, longest = LONG }: Options,
  ) {
    this.#nonce = Buffer.from(random(NONCE_BYTES)).toString('hex')
    this.#read = read
    this.#options = { argumentsAreText, wellFormed, longest }
  }

  /** Returns the view of a source with tokens for its long texts. */
  readonly short = (source: S, view: View): View => {
    let nth = 0
    return this.#viewWith(view, (text, isArgument, isSaid) =>
      this.#put({
        source,
        nth: nth++,
        isArgument,
        chars: isArgument ? jsonText(text).length - 2 : text.length,
        isPrompt: isSaid && ownWords({ role: 'user', blocks: [{ kind: 'text', text }] }) !== undefined,
      }),
    )
  }

  /** Returns a value of a source with tokens for its long texts. */
  shortValue(source: S, value: Json): Json {
    let nth = 0
    return this.#valueWith(value, ({ length: chars }) =>
      this.#put({ source, nth: nth++, isArgument: false, chars, isPrompt: false }),
    )
  }

  /** Returns a view with the texts in place of their tokens. */
  async long(view: View): Promise<View> {
    const texts = new Map<number, string>()
    mapTexts(view, (text) => {
      for (const index of this.#indexesIn(text)) texts.set(index, '')
      return text
    })
    if (texts.size === 0) return view
    for (const index of texts.keys()) texts.set(index, await this.#textAt(index))
    return mapTexts(view, (text) => {
      let whole = ''
      let from = 0
      for (const [at, index] of this.#tokensIn(text)) {
        whole += text.slice(from, at) + (texts.get(index) as string)
        from = at + TOKEN_LENGTH
      }
      return whole + text.slice(from)
    })
  }

  /** Yields pieces of a JSON text with the texts in place of their tokens. */
  async *putBack(pieces: Iterable<string>): AsyncGenerator<string> {
    let text = ''
    for (const piece of pieces) {
      text += piece
      let from = 0
      for (const [at, index] of this.#tokensIn(text)) {
        yield text.slice(from, at)
        yield* this.#piecesAt(index)
        from = at + TOKEN_LENGTH
      }
      const end = Math.max(from, this.#lastToken(text))
      yield text.slice(from, end)
      text = text.slice(end)
    }
    yield text
  }

  readonly tokensOf = (view: View): number => {
    let chars = charsOf(view)
    for (const block of view.blocks)
      if (block.kind === 'toolCall') chars += this.#charsAway(jsonText(block.input))
      else if (block.kind !== 'image') chars += this.#charsAway(block.text)
    return tokensIn(chars)
  }

  readonly lengthOf = (text: string): number => text.length + this.#charsAway(text)

  readonly isPrompt = (view: View): boolean => {
    const said = (block: Block): Block => {
      const [index] = block.kind === 'text' ? this.#indexesIn(block.text) : []
      if (index === undefined) return block
      return { kind: 'text', text: this.#places[index]?.isPrompt ? 'words' : '' }
    }
    return promptIn({ ...view, blocks: view.blocks.map(said) }) !== undefined
  }

  /** Returns how many more characters a text has than its tokens. */
  #charsAway(text: string): number {
    let chars = 0
    for (const index of this.#indexesIn(text)) chars += (this.#places[index] as Place<S>).chars - TOKEN_LENGTH
    return chars
  }

  #put(place: Place<S>): string {
    this.#places.push(place)
    return this.#nonce + (this.#places.length - 1).toString(16).padStart(INDEX_DIGITS, '0')
  }

  #indexesIn(text: string): number[] {
    return text.length < TOKEN_LENGTH ? [] : [...this.#tokensIn(text)].map(([, index]) => index)
  }

  /** Yields where the tokens of a text are, and the index of the place of each. */
  *#tokensIn(text: string): Generator<readonly [at: number, index: number]> {
    for (let at = text.indexOf(this.#nonce); at >= 0; at = text.indexOf(this.#nonce, at + TOKEN_LENGTH)) {
      const end = at + TOKEN_LENGTH
      if (end <= text.length) yield [at, Number.parseInt(text.slice(end - INDEX_DIGITS, end), 16)]
    }
  }

  /** Returns where a token begins that may go on in the next piece; the length where there is none. */
  #lastToken(text: string): number {
    for (let at = Math.max(0, text.length - TOKEN_LENGTH + 1); at < text.length; at++) {
      const end = text.slice(at)
      if (this.#nonce.startsWith(end) || end.startsWith(this.#nonce)) return at
    }
    return text.length
  }

  async *#piecesAt(index: number): AsyncGenerator<string> {
    const text = await this.#textAt(index)
    const isTwice = (this.#places[index] as Place<S>).isArgument && this.#options.argumentsAreText
    for (const piece of escapedPieces(this.#options.wellFormed ? text.toWellFormed() : text))
      yield* isTwice ? escapedPieces(piece) : [piece]
  }

  async #textAt(index: number): Promise<string> {
    const { source, nth } = this.#places[index] as Place<S>
    if (this.#last?.source !== source) {
      const texts: string[] = []
      const keep = (text: string): string => {
        texts.push(text)
        return text
      }
      const content = await this.#read(source)
      if ('view' in content) this.#viewWith(content.view, keep)
      else this.#valueWith(content.value, keep)
      this.#last = { source, texts }
    }
    return this.#last.texts[nth] as string
  }

  /** Returns a view of which each long text is changed. */
  #viewWith(view: View, change: (text: string, isArgument: boolean, isSaid: boolean) => string): View {
    if (view.effect !== undefined) return view
    const { longest } = this.#options
    return mapTexts(view, (text, kind) => {
      if (text.length <= longest) return text
      if (kind === 'toolCall') return change(text, true, false)
      return (kind === 'image' ? isBase64(text) : text.trim() !== '')
        ? change(text, false, kind === 'text')
        : text
    })
  }

  #valueWith(value: Json, change: (text: string) => string): Json {
    return mapValue(value, (text) =>
      text.length > this.#options.longest && text.trim() !== '' ? change(text) : text,
    )
  }
}

/** Returns a view of which each text is mapped, those of the arguments of calls included. */
function mapTexts(view: View, map: (text: string, kind: Block['kind']) => string): View {
  const ofBlock = (block: Block): Block => {
    const { kind } = block
    if (kind === 'toolCall') {
      if (!isObject(block.input)) return block
      return { ...block, input: mapValue(block.input, (text) => map(text, kind)) }
    }
    if (kind !== 'image') return { ...block, text: map(block.text, kind) }
    return block.data === undefined ? block : { ...block, data: map(block.data, kind) }
  }
  return { ...view, blocks: view.blocks.map(ofBlock) }
}

function mapValue(value: Json, map: (text: string) => string): Json {
  if (typeof value === 'string') return map(value)
  if (Array.isArray(value)) return (value as readonly Json[]).map((item) => mapValue(item, map))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, mapValue(part, map)]))
}

/** Whether a text is base64 as the APIs take it: only then it is as acceptable as its token. */
const isBase64 = (text: string): boolean => text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text)

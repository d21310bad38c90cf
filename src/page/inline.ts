import { type Links, linkName } from './blocks.ts'

/** A part of a line. */
export type Inline =
  | string
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'strong' | 'em' | 'del'; readonly inner: readonly Inline[] }
  | { readonly kind: 'link'; readonly url: string; readonly inner: readonly Inline[] }
  | { readonly kind: 'image'; readonly url: string; readonly alt: string }
  | { readonly kind: 'break' }

/** Deeper nested marks are shown as they were written. */
const MAX_DEPTH = 6
const MAX_LINK_TEXT = 1000
const MAX_URL = 2000

const SPECIAL = /[\\`*_~[!<&\n]|https?:\/\//g

/** The references to characters that people and agents write; all others stand as they were written. */
const ENTITIES: ReadonlyMap<string, string> = new Map(
  (
    'amp&|lt<|gt>|quot"|apos\'|nbsp\u00a0|copy©|reg®|trade™|hellip…|mdash—|ndash–|lsquo‘|rsquo’|' +
    'ldquo“|rdquo”|bull•|larr←|uarr↑|rarr→|darr↓|harr↔|times×|divide÷|plusmn±|ne≠|le≤|ge≥|infin∞|' +
    'deg°|middot·|aumlä|oumlö|uumlü|AumlÄ|OumlÖ|UumlÜ|szligß|eacuteé|egraveè|' +
    'agraveà|aacuteá|ccedilç|ntildeñ|oacuteó|euro€|pound£'
  )
    .split('|')
    .map((one) => [one.slice(0, -1), one.slice(-1)]),
)

/** Returns the parts of a text: emphasis, code, links. Takes time in proportion to its length. */
export const inlineOf = (text: string, links: Links): Inline[] => new InlineReader(text, 0, links).read()

class InlineReader {
  readonly #text: string
  readonly #depth: number
  readonly #links: Links
  readonly #found: Inline[] = []
  #at = 0
  /** Marks that nothing closes from here on: they are not looked for again. */
  readonly #open = new Set<string>()

  constructor(text: string, depth: number, links: Links) {
    this.#text = text
    this.#depth = depth
    this.#links = links
  }

  #inner(text: string): Inline[] {
    return new InlineReader(text, this.#depth + 1, this.#links).read()
  }

  read(): Inline[] {
    const text = this.#text
    while (this.#at < text.length) {
      SPECIAL.lastIndex = this.#at
      const next = SPECIAL.exec(text)
      if (!next) break
      this.#push(text.slice(this.#at, next.index))
      this.#at = next.index
      if (!this.#special(next[0])) {
        this.#push(text.slice(this.#at, this.#at + next[0].length))
        this.#at += next[0].length
      }
    }
    this.#push(text.slice(this.#at))
    return this.#found
  }

  #push(part: Inline): void {
    const last = this.#found.at(-1)
    if (part === '') return
    if (typeof part === 'string' && typeof last === 'string')
      this.#found[this.#found.length - 1] = last + part
    else this.#found.push(part)
  }

  /** Reads what begins with a sign; returns whether it is more than that sign. */
  #special(sign: string): boolean {
    switch (sign) {
      case '\\':
        return this.#escape()
      case '`':
        return this.#code()
      case '*':
      case '_':
      case '~':
        return this.#emphasis(sign)
      case '[':
        return this.#link(this.#at, false)
      case '!':
        return this.#text[this.#at + 1] === '[' && this.#link(this.#at + 1, true)
      case '<':
        return this.#take(/<(https?:\/\/[^\s<>]{1,2000})>/y, ([, url = '']) => ({
          kind: 'link',
          url,
          inner: [url],
        }))
      case '&':
        return this.#take(
          /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|(\w{2,8}));/y,
          ([all, decimal, hex, name]) =>
            name === undefined ? character(decimal, hex) : (ENTITIES.get(name) ?? all),
        )
      case '\n':
        return this.#break()
      default:
        return this.#bareUrl()
    }
  }

  /** Reads what a pattern matches here. */
  #take(pattern: RegExp, partOf: (match: RegExpExecArray) => Inline): boolean {
    pattern.lastIndex = this.#at
    const match = pattern.exec(this.#text)
    if (!match) return false
    this.#push(partOf(match))
    this.#at += match[0].length
    return true
  }

  #escape(): boolean {
    return (
      this.#take(/\\\n/y, () => ({ kind: 'break' })) ||
      this.#take(/\\([!-/:-@[-`{-~])/y, ([, sign = '']) => sign)
    )
  }

  #break(): boolean {
    const last = this.#found.at(-1)
    if (typeof last !== 'string' || !last.endsWith('  ')) return false
    this.#found[this.#found.length - 1] = last.trimEnd()
    this.#found.push({ kind: 'break' })
    this.#at++
    return true
  }

  #code(): boolean {
    const mark = run(this.#text, this.#at)
    const from = this.#at + mark.length
    if (this.#open.has(mark)) return this.#literal(mark)
    let end = from
    for (;;) {
      end = this.#text.indexOf('`', end)
      if (end < 0) {
        this.#open.add(mark)
        return this.#literal(mark)
      }
      const closing = run(this.#text, end)
      if (closing.length === mark.length) break
      end += closing.length
    }
    const text = this.#text.slice(from, end).replaceAll('\n', ' ')
    this.#push({ kind: 'code', text: /^ .*\S.* $/.test(text) ? text.slice(1, -1) : text })
    this.#at = end + mark.length
    return true
  }

  #literal(text: string): boolean {
    this.#push(text)
    this.#at += text.length
    return true
  }

  #emphasis(sign: string): boolean {
    const length = Math.min(run(this.#text, this.#at).length, 2)
    const mark = sign.repeat(sign === '~' ? 2 : length)
    if (sign === '~' && length < 2) return false
    const from = this.#at + mark.length
    const isInWord = sign === '_' && /\w/.test(this.#text[this.#at - 1] ?? '')
    if (this.#depth >= MAX_DEPTH || this.#open.has(mark) || isInWord || /\s|^$/.test(this.#text[from] ?? ''))
      return this.#literal(mark)
    const end = this.#closing(mark, from)
    if (end === undefined) {
      this.#open.add(mark)
      return this.#literal(mark)
    }
    const kind = sign === '~' ? 'del' : mark.length === 2 ? 'strong' : 'em'
    this.#push({ kind, inner: this.#inner(this.#text.slice(from, end)) })
    this.#at = end + mark.length
    return true
  }

  /** Returns where a mark is closed: after a word, outside of code. */
  #closing(mark: string, from: number): number | undefined {
    const text = this.#text
    for (let at = from; ; ) {
      at = text.indexOf(mark, at)
      if (at < 0) return undefined
      const length = run(text, at).length
      const isRight = !/\s/.test(text[at - 1] ?? ' ') && text[at - 1] !== '\\' && length >= mark.length
      const isExact = mark.length === 2 || length !== 2
      const isWord = mark[0] === '_' && /\w/.test(text[at + length] ?? '')
      if (isRight && isExact && !isWord && at > from && !this.#isInCode(from, at))
        return at + (length - mark.length)
      at += length
    }
  }

  #isInCode(from: number, at: number): boolean {
    let count = 0
    for (let i = Math.max(from, at - MAX_LINK_TEXT); i < at; i++) if (this.#text[i] === '`') count++
    return count % 2 === 1
  }

  #link(open: number, isImage: boolean): boolean {
    const text = this.#text
    const close = closingBracket(text, open)
    if (close === undefined) return false
    const inner = text.slice(open + 1, close)
    const target = this.#target(close + 1, inner)
    if (!target) return false
    const { url, end } = target
    this.#push(
      isImage
        ? { kind: 'image', url, alt: inner }
        : {
            kind: 'link',
            url,
            inner: this.#depth >= MAX_DEPTH ? [inner] : this.#inner(inner),
          },
    )
    this.#at = end
    return true
  }

  /** Returns the address of a link that follows its words, or has a name that does or that they are, and where it ends. */
  #target(at: number, words: string): { readonly url: string; readonly end: number } | undefined {
    const text = this.#text
    const target = /\(\s*<?((?:[^\s<>()]|\([^\s<>()]*\))*)>?(?:\s+(?:"[^"]*"|'[^']*'))?\s*\)/y
    target.lastIndex = at
    const found = text[at] === '(' && target.exec(text.slice(0, at + MAX_URL))
    if (found) return { url: found[1] ?? '', end: at + found[0].length }
    const close = text[at] === '[' ? closingBracket(text, at) : undefined
    const url = this.#links.get(linkName((close && text.slice(at + 1, close)) || words))
    return url === undefined ? undefined : { url, end: close === undefined ? at : close + 1 }
  }

  #bareUrl(): boolean {
    return this.#take(/https?:\/\/[^\s<>"'`\])}*]{1,2000}/y, ([all]) => {
      const url = all.replace(/[.,;:!?]+$/, '')
      return { kind: 'link', url, inner: [all] }
    })
  }
}

/** Returns the same sign as often as it follows. */
function run(text: string, at: number): string {
  let end = at + 1
  while (text[end] === text[at]) end++
  return text.slice(at, end)
}

function closingBracket(text: string, open: number): number | undefined {
  let depth = 0
  for (let at = open; at < Math.min(text.length, open + MAX_LINK_TEXT); at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '[') depth++
    else if (text[at] === ']' && --depth === 0) return at
  }
  return undefined
}

/** Returns the character that a reference names by its number. */
function character(decimal: string | undefined, hex: string | undefined): string {
  const code = decimal === undefined ? Number.parseInt(hex ?? '0', 16) : Number(decimal)
  const isText = code > 31 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
  return isText ? String.fromCodePoint(code) : '\ufffd'
}

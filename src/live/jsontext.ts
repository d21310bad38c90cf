import { SessError } from '../model/errors.ts'
import type { Json } from '../model/json.ts'

/** A value in the text of a file of settings: JSON, perhaps with comments and trailing commas. */
export interface JsonNode {
  readonly kind: 'object' | 'array' | 'plain'
  readonly start: number
  /** The end of the value, exclusive. */
  readonly end: number
  readonly children: readonly JsonChild[]
}

/** A member of an object or an item of an array. */
interface JsonChild {
  /** Empty for an item. */
  readonly name: string
  /** Where it begins: at its name, or at its value. */
  readonly start: number
  readonly value: JsonNode
  /** The position of the comma after it; undefined where there is none. */
  readonly comma: number | undefined
}

/** The deepest nesting of settings. */
const MAX_DEPTH = 100

const unreadable = (detail: string): SessError => new SessError('bad-config', 'settings', { detail })

/** Reads text with comments into nodes. Throws `bad-config` where it is no JSON. */
class Scanner {
  readonly #text: string
  #at: number

  constructor(text: string) {
    this.#text = text
    this.#at = text.startsWith('\ufeff') ? 1 : 0
  }

  /** Returns the value that the text is. */
  whole(): JsonNode {
    const node = this.#value(0)
    this.#skip()
    if (this.#at < this.#text.length) throw this.#wrong()
    return node
  }

  #wrong(): SessError {
    const line = this.#text.slice(0, this.#at).split('\n').length
    return unreadable(`it is no JSON in line ${line}`)
  }

  /** Skips white space and comments. */
  #skip(): void {
    const blank = /(?:[\s\ufeff]|\/\/[^\n]*|\/\*[^]*?\*\/)*/y
    blank.lastIndex = this.#at
    this.#at += blank.exec(this.#text)?.[0].length ?? 0
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0]
    if (found !== undefined) this.#at += found.length
    return found
  }

  #string(): string {
    const found = this.#match(/"(?:[^"\\\n]|\\[^\n])*"/y)
    if (found === undefined) throw this.#wrong()
    return found
  }

  #value(depth: number): JsonNode {
    this.#skip()
    const start = this.#at
    const opening = this.#text[start]
    if (depth > MAX_DEPTH) throw unreadable('it is nested too deeply')
    if (opening === '{' || opening === '[') return this.#container(opening, depth)
    if (opening === '"') this.#string()
    else if (this.#match(/-?\d[\d.eE+-]*|true|false|null/y) === undefined) throw this.#wrong()
    return { kind: 'plain', start, end: this.#at, children: [] }
  }

  #container(opening: '{' | '[', depth: number): JsonNode {
    const start = this.#at
    const closing = opening === '{' ? '}' : ']'
    const children: JsonChild[] = []
    this.#at++
    for (;;) {
      this.#skip()
      if (this.#text[this.#at] === closing) break
      if (children.length > 0 && children.at(-1)?.comma === undefined) throw this.#wrong()
      children.push(this.#child(opening, depth))
    }
    this.#at++
    return { kind: opening === '{' ? 'object' : 'array', start, end: this.#at, children }
  }

  #child(opening: '{' | '[', depth: number): JsonChild {
    const start = this.#at
    let name = ''
    if (opening === '{') {
      name = JSON.parse(this.#string()) as string
      this.#skip()
      if (this.#text[this.#at++] !== ':') throw this.#wrong()
    }
    const value = this.#value(depth + 1)
    this.#skip()
    const comma = this.#text[this.#at] === ',' ? this.#at++ : undefined
    return { name, start, value, comma }
  }
}

/** Returns the object that a text is. Throws `bad-config` where it is none. */
export function readObject(text: string): JsonNode {
  const node = new Scanner(text).whole()
  if (node.kind !== 'object') throw unreadable('it is no object')
  return node
}

/** Returns the value at some steps below a node; of members of one name the last counts, as for JSON. */
export function nodeAt(node: JsonNode, steps: readonly (string | number)[]): JsonNode | undefined {
  let at: JsonNode | undefined = node
  for (const step of steps)
    at =
      typeof step === 'number'
        ? at?.children[step]?.value
        : at?.kind === 'object'
          ? at.children.findLast(({ name }) => name === step)?.value
          : undefined
  return at
}

/** Returns the value that a node has. */
export function valueOf(text: string, { kind, start, end, children }: JsonNode): Json {
  if (kind === 'array') return children.map(({ value }) => valueOf(text, value))
  if (kind === 'object')
    return Object.fromEntries(children.map(({ name, value }) => [name, valueOf(text, value)]))
  return JSON.parse(text.slice(start, end)) as Json
}

/** Returns a text with a part replaced. */
export const spliced = (text: string, start: number, end: number, by: string): string =>
  text.slice(0, start) + by + text.slice(end)

const newlineOf = (text: string): string => (/\r\n/.test(text) ? '\r\n' : '\n')

/** Returns the white space at the beginning of the line of a position. */
const indentAt = (text: string, at: number): string =>
  /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', at - 1) + 1, at))?.[0] ?? ''

/** Returns the indentation of one level in a text: that of its first indented line. */
const unitOf = (text: string): string => /\n([ \t]+)\S/.exec(text)?.[1] ?? '  '

/** Returns a new child as text: a value, after its name if it has one. */
function pieceOf(text: string, name: string, value: Json, indent: string | undefined): string {
  const key = name === '' ? '' : `${JSON.stringify(name)}: `
  if (indent === undefined) return key + JSON.stringify(value)
  const lines = JSON.stringify(value, undefined, unitOf(text)).split('\n')
  return key + lines.join(newlineOf(text) + indent)
}

/** Returns the text with a new last child in a container; nothing else of it changes. */
export function withChild(text: string, node: JsonNode, name: string, value: Json): string {
  const last = node.children.at(-1)
  const newline = newlineOf(text)
  if (!last) {
    const base = indentAt(text, node.start)
    const indent = base + unitOf(text)
    const rest = text.slice(node.start + 1, node.end - 1)
    const end = rest.includes('\n') ? '' : newline + base
    return spliced(
      text,
      node.start + 1,
      node.start + 1,
      newline + indent + pieceOf(text, name, value, indent) + end,
    )
  }
  const first = node.children[0] ?? last
  const isSpread = text.slice(node.start, first.start).includes('\n')
  const indent = isSpread ? indentAt(text, first.start) : undefined
  const space = indent === undefined ? ' ' : newline + indent
  const piece = space + pieceOf(text, name, value, indent)
  // A comment behind the last child stays there; in a line of its own nothing could follow it.
  const after = (at: number): number => (isSpread ? afterComment(text, at) : at)
  if (last.comma !== undefined) {
    const at = after(last.comma + 1)
    return spliced(text, at, at, `${piece},`)
  }
  const at = after(last.value.end)
  return spliced(spliced(text, at, at, piece), last.value.end, last.value.end, ',')
}

/** Returns the position after a comment on the rest of a line; the same one where there is none. */
function afterComment(text: string, at: number): number {
  const comment = /[ \t]*(?:\/\/[^\r\n]*|\/\*[^\r\n]*?\*\/(?=[ \t]*\r?\n))/y
  comment.lastIndex = at
  return at + (comment.exec(text)?.[0].length ?? 0)
}

/** Returns the text without a child of a container, and without the white space before it. */
export function withoutChild(text: string, node: JsonNode, index: number): string {
  const child = node.children[index]
  if (!child) return text
  const before = node.children[index - 1]
  const begin = before ? (before.comma ?? before.value.end) + 1 : node.start + 1
  // Comments before it stay: they are somebody's.
  const start = begin + (/^[^]*\*\/|^[^]*\/\/[^\n]*/.exec(text.slice(begin, child.start))?.[0].length ?? 0)
  const blank = /\s*$/.exec(text.slice(start, child.start))?.[0].length ?? 0
  const end = child.comma === undefined ? child.value.end : child.comma + 1
  const rest = spliced(text, child.start - blank, end, '')
  const isLast = index === node.children.length - 1
  if (isLast && before?.comma !== undefined && child.comma === undefined)
    return spliced(rest, before.comma, before.comma + 1, '')
  if (!before && isLast && !/\S/.test(text.slice(child.value.end, node.end - 1)) && blank > 0)
    return withoutBlank(rest, node.start + 1)
  return rest
}

/** Returns the text without the white space at a position. */
const withoutBlank = (text: string, at: number): string =>
  text.slice(0, at) + text.slice(at).replace(/^\s+/, '')

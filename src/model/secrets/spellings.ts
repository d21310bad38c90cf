import { collapsed } from '../collapsed.ts'

/** A part of a text that spells a secret. */
export interface SecretSpelling {
  /** The id of the secret. */
  readonly id: string
  readonly start: number
  readonly end: number
}

/** A secret in one form, as the path of a node to the root spells it. */
interface Needle {
  readonly id: string
  /** Whether it is a piece of base64: a match then covers all of the encoded text around it. */
  readonly encoded: boolean
  /** The number of leading units that suffice for a match where the text is cut off. */
  readonly least: number
}

/** A node of the tree of needles. Its children are kept by UTF-16 unit. */
class SpellingNode {
  readonly depth: number
  /** A needle that begins with the path to this node. */
  readonly needle: Needle | undefined
  readonly next = new Map<number, SpellingNode>()
  ends: Needle | undefined

  constructor(depth: number, needle?: Needle) {
    this.depth = depth
    this.needle = needle
  }

  /** Returns the child for a UTF-16 unit, and adds it if it is missing. */
  child(unit: number, needle: Needle): SpellingNode {
    const known = this.next.get(unit)
    if (known) return known
    const child = new SpellingNode(this.depth + 1, needle)
    this.next.set(unit, child)
    return child
  }
}

function addNeedle(root: SpellingNode, text: string, needle: Needle): void {
  let node = root
  for (let at = 0; at < text.length; at++) node = node.child(text.charCodeAt(at), needle)
  node.ends ??= needle
}

const [SPACE, BACKSLASH, PERCENT] = [0x20, 0x5c, 0x25] as const

/** By ASCII unit, whether it can only mean itself. */
const PLAIN_UNIT = Uint8Array.from({ length: 128 }, (_, unit) =>
  Number(unit > SPACE && unit !== BACKSLASH && unit !== PERCENT),
)

/** The most backslashes before an escaped character: JSON within JSON, four times. */
const DEEP = 15

/** The characters that JSON escapes with a letter or with themselves. */
const ESCAPED: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['b', '\b'],
  ['f', '\f'],
  ['"', '"'],
  ['/', '/'],
])

const UNIT = /[\da-fA-F]{4}/y
const BYTES = /(?:%[\da-fA-F]{2}){1,4}/y
const SPACES = String.raw`(?:[ \t\r\n]|\\{1,15}(?:[nrt]|u00(?:0[9aAdD]|20))|%(?:0[9aAdD]|20))+`
const GAP = new RegExp(SPACES, 'y')

/** Precedes each line of a quotation, a heading, a diff, or a listing with line numbers. */
const PREFIX = String.raw`(?:#{1,6}|[>|]{1,3}|[+-]|\d{1,7}(?:\u2192|\\{1,15}u2192|[|:\t]|\\{1,15}t))`
const QUOTE = new RegExp(`${PREFIX}(?:${SPACES})?`, 'y')

/** The most prefixes of a line: quotations of quotations. */
const NESTED = 8

/** Shorter parts of encoded text could occur in any other; longer ones take longer to compare. */
const SHORTEST = 8
const LONGEST = 64

/** A truncated secret is matched after half its length, clamped to 12 to 24 units. */
const CUT = 24
const SHORTEST_CUT = 12

/** Shorter runs of base64 are not decoded. */
const ENCODED = 16

/** An ellipsis where a text was cut. */
const CUT_MARK = /(?:…|\.{3})?$/y

/**
 * Returns the form of a secret that all its spellings share: one space for each run of white space and line breaks, so
 * that lines which were joined, wrapped or quoted are the same, and one backslash for several, as JSON doubles them.
 */
export const normalSecret = (secret: string): string =>
  secret
    .toWellFormed()
    .replace(/[ \t\r\n]+/g, ' ')
    .replace(/^ | $/g, '')
    .replace(/\\+/g, '\\')

/**
 * Finds secrets in all the spellings that are known: within other words; escaped by JSON any number of times, with `\n`
 * or `\u000a`; percent-encoded; in base64 at each of the three offsets; with its lines joined, wrapped, quoted
 * (`> `, `#### `), numbered or marked as added by a diff; and cut at the end of a text. Takes one pass over a text,
 * however many secrets there are.
 */
export class Spellings {
  readonly #root = new SpellingNode(0)
  /** By ASCII unit, whether a needle begins with it. */
  readonly #begins = new Uint8Array(128)

  /** Takes secrets by ids. */
  constructor(secrets: Iterable<readonly [id: string, secret: string]>) {
    for (const [id, secret] of secrets) this.add(id, secret)
  }

  add(id: string, secret: string): void {
    const normal = normalSecret(secret)
    if (normal === '') return
    const longest = longestWord(normal)
    const start = normal.indexOf(longest)
    const least = start + Math.max(SHORTEST_CUT, Math.min(CUT, Math.ceil(longest.length / 2)))
    addNeedle(this.#root, normal, { id, encoded: false, least })
    // Among bytes that are not UTF-8 each byte of the secret is read as a character.
    const bytes = Buffer.from(normal).toString('latin1')
    if (bytes !== normal) addNeedle(this.#root, bytes, { id, encoded: false, least: Infinity })
    for (const core of coresOf(normal, longest))
      addNeedle(this.#root, core, { id, encoded: true, least: Infinity })
    for (const unit of [...this.#root.next.keys(), BACKSLASH, PERCENT]) if (unit < 128) this.#begins[unit] = 1
  }

  /** Whether there is no secret to be found. */
  get isEmpty(): boolean {
    return this.#root.next.size === 0
  }

  /** Returns whether a text spells a secret. */
  holds(text: string): boolean {
    return this.find(text, 1).length > 0
  }

  /** Returns where a text spells secrets, in order; spellings that overlap as one. Stops after `limit` of them. */
  find(text: string, limit = Number.POSITIVE_INFINITY): SecretSpelling[] {
    const found: SecretSpelling[] = []
    if (this.isEmpty) return found
    /** The end of the encoded text that was found last. */
    let encodedEnd = 0
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at)
      if (unit < 128 ? this.#begins[unit] === 0 : !this.#root.next.has(unit)) continue
      const match = this.#matchAt(text, at)
      if (!match) continue
      const { id, encoded } = match.needle
      if (encoded && at < encodedEnd) continue
      const [start, end] = encoded ? encodedAround(text, at, match.end) : [at, match.end]
      if (encoded) encodedEnd = end
      addSpelling(found, { id, start, end })
      if (found.length >= limit) break
    }
    return found
  }

  /** Returns a text with its secrets replaced; the same text if it holds none. */
  replace(text: string, instead: (id: string) => string): string {
    const found = this.find(text)
    if (found.length === 0) return text
    const parts: string[] = []
    let done = 0
    for (const { id, start, end } of found) {
      parts.push(text.slice(done, start), instead(id))
      done = end
    }
    return parts.join('') + text.slice(done)
  }

  /** Returns the longest match that begins at an offset, or undefined. */
  #matchAt(text: string, from: number): { readonly needle: Needle; readonly end: number } | undefined {
    let needle: Needle | undefined
    let end = from
    // Mostly the second character shows that there is none.
    const second = text.charCodeAt(from + 1)
    const first = this.#root.next.get(text.charCodeAt(from))
    if (first && PLAIN_UNIT[second] && !first.next.has(second)) return undefined
    const left: (readonly [SpellingNode, number])[] = [[this.#root, from]]
    const step = (node: SpellingNode, units: string, next: number): void => {
      let child: SpellingNode | undefined = node
      for (let i = 0; i < units.length; i++) child = child?.next.get(units.charCodeAt(i))
      if (child) left.push([child, next])
    }
    for (let one = left.pop(); one; one = left.pop()) {
      let [node, at]: readonly [SpellingNode, number] = one
      for (;;) {
        if (node.ends && (!needle || at > end)) [needle, end] = [node.ends, at]
        if (node.next.size === 0) break
        if (
          node.needle &&
          node.depth >= node.needle.least &&
          isCutAt(text, at) &&
          (!needle || text.length > end)
        )
          [needle, end] = [node.needle, text.length]
        if (at >= text.length) break
        const unit = text.charCodeAt(at)
        if (node.next.has(SPACE)) for (const next of gapsAt(text, at)) step(node, ' ', next)
        if (unit === BACKSLASH || unit === PERCENT)
          for (const [units, next] of unit === BACKSLASH ? escapedAt(text, at) : percentAt(text, at))
            step(node, units, next)
        const child = unit === BACKSLASH ? undefined : node.next.get(unit)
        if (!child || unit === SPACE) break
        node = child
        at++
      }
    }
    return needle && { needle, end }
  }
}

/** A character that a part of a text means, and the offset after that part. */
type SpelledUnit = readonly [units: string, next: number]

/** Returns what backslashes and the characters after them may mean. */
function escapedAt(text: string, at: number): SpelledUnit[] {
  let next = at + 1
  while (text.charCodeAt(next) === BACKSLASH && next - at <= DEEP) next++
  const meant: SpelledUnit[] = [['\\', next]]
  if (next - at > DEEP) return meant
  const letter = text.charAt(next)
  const short = ESCAPED.get(letter)
  if (short !== undefined) meant.push([short, next + 1])
  const unit = letter === 'u' ? matchAt(UNIT, text, next + 1) : undefined
  if (unit !== undefined) meant.push([String.fromCharCode(Number.parseInt(unit, 16)), next + 5])
  return meant
}

/** Returns what percent-encoded bytes mean. */
function percentAt(text: string, at: number): SpelledUnit[] {
  const run = matchAt(BYTES, text, at)
  if (run === undefined) return []
  const bytes = Buffer.from(run.replaceAll('%', ''), 'hex')
  const first = bytes[0] as number
  const length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
  return length > bytes.length ? [] : [[bytes.subarray(0, length).toString(), at + 3 * length]]
}

/** Returns the offsets after the white space at an offset, and after each prefix of a line that follows it. */
function gapsAt(text: string, at: number): number[] {
  const ends: number[] = []
  for (let run = matchAt(GAP, text, at), next = at; run !== undefined && ends.length < NESTED; ) {
    next += run.length
    ends.push(next)
    run = matchAt(QUOTE, text, next)
  }
  return ends
}

/** Returns what a sticky expression matches at an offset. */
function matchAt(expression: RegExp, text: string, at: number): string | undefined {
  expression.lastIndex = at
  return expression.exec(text)?.[0]
}

/** Returns whether a text ends at an offset, but for an ellipsis. */
const isCutAt = (text: string, at: number): boolean =>
  text.length - at <= 3 && matchAt(CUT_MARK, text, at) !== undefined

/** Adds a spelling, joined with those before that it overlaps. */
function addSpelling(found: SecretSpelling[], { id, start, end }: SecretSpelling): void {
  const last = found.at(-1)
  if (!last || start >= last.end) found.push({ id, start, end })
  else {
    found.pop()
    addSpelling(found, { id: last.id, start: Math.min(start, last.start), end: Math.max(end, last.end) })
  }
}

/** Returns the longest part of a normal secret without a space. */
const longestWord = (normal: string): string =>
  normal.split(' ').reduce((longest, word) => (word.length > longest.length ? word : longest))

/** A word of a secret that alone proves that the secret is in some base64. */
const TELLING = 24

/**
 * Returns what a normal secret is in the middle of base64: its longest word where that is long enough, else the whole of
 * it with each of the line breaks that it may have.
 */
function coresOf(normal: string, longest: string): Set<string> {
  if (!normal.includes(' ') || longest.length >= TELLING) return base64Cores(longest)
  const forms = [' ', '\n', '\r\n', '\\n'].map((gap) => normal.replaceAll(' ', gap))
  return new Set(forms.flatMap((form) => [...base64Cores(form)]))
}

/** Returns what a text is in the middle of base64, at each of the three offsets in a group, in both alphabets. */
function base64Cores(text: string): Set<string> {
  const cores = [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(text)])
    const whole = bytes.toString('base64').replace(/=+$/, '')
    // The first and the last character may hold bits of what is around it.
    const core = whole
      .slice(Math.ceil((8 * before) / 6), Math.floor((8 * bytes.length) / 6))
      .slice(0, LONGEST)
    return [core, core.replaceAll('+', '-').replaceAll('/', '_')]
  })
  return new Set(cores.some((core) => core.length < SHORTEST) ? [] : cores)
}

const BASE64_UNIT = /[\w+/=-]/

/** Characters of base64 that JSON or an address escapes, and what is before such a character. */
const ESCAPED_BASE64 = /(?:\\{1,15}[/=+]|%(?:2[bBfF]|3[dD]))/y
const ESCAPE = /(?:\\(?=\\{0,15}[/=+])|%(?=2[bBfF]|3[dD]))/y

/** Returns the range of the base64 text around a part of it: it is of no use without this part. */
function encodedAround(text: string, start: number, end: number): [number, number] {
  let [from, to] = [start, end]
  while (
    from > 0 &&
    (BASE64_UNIT.test(text.charAt(from - 1)) || matchAt(ESCAPE, text, from - 1) !== undefined)
  )
    from--
  while (to < text.length)
    if (BASE64_UNIT.test(text.charAt(to))) to++
    else {
      const escaped = matchAt(ESCAPED_BASE64, text, to)
      if (escaped === undefined) break
      to += escaped.length
    }
  return [from, to]
}

/**
 * Yields the forms in which a text may spell a secret of which only a hash is known: as it is, without escapes, decoded,
 * each also with its lines joined.
 */
export function* decodedTexts(text: string): Generator<string> {
  yield* joinings(text)
  if (text.includes('\\')) yield* joinings(unescaped(text))
  if (/%[0-9a-fA-F]{2}/.test(text))
    yield* joinings(
      text.replace(/(?:%[0-9a-fA-F]{2})+/g, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString()),
    )
  for (const run of base64Runs(text)) yield* joinings(unescaped(Buffer.from(run, 'base64').toString()))
}

const IS_BASE64 = Array.from({ length: 128 }, (_, code) => /[\w+/-]/.test(String.fromCharCode(code)))

/**
 * Yields the runs of characters of base64 that are long enough to spell a secret. Without a regular expression: the
 * engine may remember each character of a repetition, and gives up in a run of millions.
 */
function* base64Runs(text: string): Generator<string> {
  let from = 0
  for (let at = 0; at <= text.length; at++) {
    if (IS_BASE64[text.charCodeAt(at)]) continue
    if (at - from >= ENCODED) yield text.slice(from, at)
    from = at + 1
  }
}

function* joinings(text: string): Generator<string> {
  const plain = collapsed(text, '\\')
  const joined = spaced(plain)
  yield joined
  if (plain.includes('\n')) {
    const quoted = plain.replace(new RegExp(String.raw`\n(?:[ \t]*${PREFIX}[ \t]*){1,${NESTED}}`, 'g'), '\n')
    if (quoted !== plain) yield spaced(quoted)
  }
}

const spaced = (text: string): string => collapsed(text.replace(/[ \t\r\n]{1,999}/g, ' '), ' ')

/** Removes all levels of escapes at once. A backslash before anything else stays. */
export const unescaped = (text: string): string =>
  text.replace(/\\+(?:u([\da-fA-F]{4})|(["/nrtbf]))?/g, (_, unit?: string, short: string = '') => {
    if (unit !== undefined) return String.fromCharCode(Number.parseInt(unit, 16))
    return short === '' ? '\\' : (ESCAPED.get(short) ?? short)
  })

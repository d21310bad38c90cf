/**
 * The words of texts, as the index stores them and as queries are compared with it. If a text contains another, its words
 * contain the words of the other; the index promises no more, so that it may find too much and never too little.
 */

/** Runs of letters and digits up to this length are words as they are; longer ones are taken apart. */
const LONGEST = 32

/** Letters alone, or digits alone, of more than this many UTF-16 units are no word at all. */
const LONGEST_PART = 255

/** The word that replaces every run that was split. */
const APART = '*'

/** Stands for text that cannot be indexed. */
export const WORDLESS = '!'

/** The kinds of characters of several bytes. */
const NONE = 0
const WORD = 1
/** A character of a script without spaces: a word by itself. */
const ALONE = 2

/** By byte the small letter or the digit of a run that it is; 0 for other characters. */
const LETTERS = Uint8Array.from({ length: 256 }, (_, byte) => {
  const char = byte < 128 ? String.fromCharCode(byte).toLowerCase() : ''
  return /[a-z0-9]/.test(char) ? char.charCodeAt(0) : 0
})

/** Returns how many bytes the character has whose first byte is above 127. */
const sizeOf = (first: number): number => (first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4)

/** Returns the kind of the character of several bytes at a place of UTF-8. */
function kindAt(utf8: Uint8Array, at: number): number {
  const first = utf8[at] as number
  if (first < 0xe0) return first < 0xc3 ? NONE : WORD
  // Four bytes are mostly emoji.
  if (first >= 0xf0) return NONE
  const code = ((first & 15) << 12) | (((utf8[at + 1] as number) & 63) << 6) | ((utf8[at + 2] as number) & 63)
  if (code < 0x2000) return WORD
  // Punctuation, symbols, boxes and arrows; and the replacement for half a surrogate pair.
  return code < 0x2e80 || code === 0xfffd ? NONE : ALONE
}

/**
 * Returns a text in lower case, with each UTF-16 unit at its place. A sigma is the same at every place in a word, so
 * that a part of a text is folded like the whole.
 */
export function folded(text: string): string {
  const lower = text.toLowerCase()
  const small = lower.length === text.length ? lower : Array.from(text, smallOf).join('')
  return small.includes('ς') ? small.replaceAll('ς', 'σ') : small
}

function smallOf(char: string): string {
  const small = char.toLowerCase()
  return small.length === char.length ? small : char
}

/**
 * Calls a function with where each run of letters and digits begins and ends in the UTF-8 of a text, and a hash of its
 * bytes. ASCII letters are folded in place; other letters are to be folded before. The byte after the text is a zero.
 */
export function runsIn(
  utf8: Uint8Array,
  length: number,
  take: (from: number, to: number, hash: number) => void,
): void {
  for (let at = 0; at < length; ) {
    const from = at
    let hash = 0
    for (;;) {
      for (let letter = LETTERS[utf8[at] as number] as number; letter > 0; ) {
        utf8[at++] = letter
        hash = (Math.imul(hash, 31) + letter) | 0
        letter = LETTERS[utf8[at] as number] as number
      }
      if ((utf8[at] as number) < 128 || kindAt(utf8, at) !== WORD) break
      const to = at + sizeOf(utf8[at] as number)
      hash = hashOf(utf8, at, to, hash)
      at = to
    }
    if (at > from) take(from, at, hash)
    const first = utf8[at] as number
    const to = at + (first < 128 ? 1 : sizeOf(first))
    if (first >= 128 && kindAt(utf8, at) === ALONE) take(at, to, hashOf(utf8, at, to))
    at = to
  }
}

/** Returns the hash of some bytes, after those that have a hash already. */
export function hashOf(utf8: Uint8Array, from: number, to: number, before = 0): number {
  let hash = before
  for (let at = from; at < to; at++) hash = (Math.imul(hash, 31) + (utf8[at] as number)) | 0
  return hash
}

/**
 * Returns whether a run of this many bytes is one word as it is. A single byte is a single ASCII character, which is
 * none.
 */
export const isWord = (bytes: number): boolean => bytes > 1 && bytes <= LONGEST

/** Returns the words of a run. A single ASCII character is none: it would be found everywhere. */
export function wordsOfRun(run: string): readonly string[] {
  if (run.length <= LONGEST) return isTiny(run) ? [] : [run]
  const parts = partsOf(run)
  const kept = parts.filter((part) => !isTiny(part) && part.length <= LONGEST_PART)
  return parts.some((part) => part.length > LONGEST_PART) ? [WORDLESS, APART, ...kept] : [APART, ...kept]
}

/**
 * Returns the numbers in a run and the text between them. A regular expression would not do: it remembers each
 * character that it passes, and gives up in a run of millions.
 */
function partsOf(run: string): readonly string[] {
  const parts: string[] = []
  let from = 0
  for (let at = 1; at <= run.length; at++) {
    if (at < run.length && isDigitAt(run, at) === isDigitAt(run, from)) continue
    parts.push(run.slice(from, at))
    from = at
  }
  return parts
}

function isDigitAt(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code >= 48 && code <= 57
}

const isTiny = (run: string): boolean => run.length === 1 && run.charCodeAt(0) < 128

/** Words that a text holds together: for each a piece that it contains. */
export type Pieces = readonly string[]

/**
 * Returns the words that a text with this needle must have, each in one of several forms, unless its words include
 * WORDLESS. An empty list excludes no text.
 */
export function demandsOf(needle: string): readonly (readonly Pieces[])[] {
  const demands: (readonly Pieces[])[] = []
  const utf8 = Buffer.from(`${needle}\0`)
  runsIn(utf8, utf8.length - 1, (from, to) => {
    const run = utf8.toString('utf8', from, to)
    if (isTiny(run)) return
    const parts = partsOf(run)
    const apart = [APART, ...parts.filter((part) => !isTiny(part) && part.length <= LONGEST_PART)]
    if (parts.length === 1 && run.length <= LONGEST) demands.push([[run]])
    else demands.push(run.length <= LONGEST ? [[run], apart] : [apart])
  })
  return demands
}

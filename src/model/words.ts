/**
 * The words of texts, as the index keeps them and as what is looked for is held against it. Whatever a text contains,
 * its words contain the words of: that is all that the index promises, so that it may find too much and never too little.
 */

/** Runs of letters and digits up to this length are words as they are; longer ones are taken apart. */
const LONGEST = 32

/** Letters alone, or digits alone, of more than this many UTF-16 units are no word at all. */
const LONGEST_PART = 255

/** The word that stands for every run that was taken apart. */
const APART = '*'

/** The word of what holds no words that it could be found by. */
export const WORDLESS = '!'

const NONE = 0
const WORD = 1
/** A character of a script without spaces: a word by itself. */
const ALONE = 2

const ASCII = Uint8Array.from({ length: 128 }, (_, code) =>
  /[a-z0-9]/.test(String.fromCharCode(code)) ? WORD : NONE,
)

/** The class of a character that is not ASCII. */
function classOf(code: number): number {
  if (code < 0xc0) return NONE
  if (code < 0x2000) return WORD
  // Punctuation, symbols, boxes and arrows; further on the halves of surrogate pairs.
  if (code < 0x2e80 || (code >= 0xd800 && code < 0xe000)) return NONE
  return ALONE
}

/**
 * Gives a text in lower case, each UTF-16 unit in the place where it was. A sigma is the same wherever in a word it
 * stands, so that what a text contains is folded as it is alone.
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

/** Calls a function with where each run of letters and digits of a folded text begins and ends, and a hash of it. */
export function runsIn(text: string, take: (from: number, to: number, hash: number) => void): void {
  let from = -1
  let hash = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const kind = code < 128 ? ASCII[code] : classOf(code)
    if (kind === WORD) {
      if (from < 0) {
        from = at
        hash = 0
      }
      hash = (Math.imul(hash, 31) + code) | 0
    } else {
      if (from >= 0) take(from, at, hash)
      from = -1
      if (kind === ALONE) take(at, at + 1, code)
    }
  }
  if (from >= 0) take(from, text.length, hash)
}

/** Gives the hash of a run by itself. */
export function hashOf(run: string): number {
  let hash = 0
  for (let at = 0; at < run.length; at++) hash = (Math.imul(hash, 31) + run.charCodeAt(at)) | 0
  return hash
}

/** Tells whether a run that a text has between two places is the one word that it stands for. */
export const isWord = (text: string, from: number, to: number): boolean =>
  to - from <= LONGEST && (to - from > 1 || text.charCodeAt(from) >= 128)

const PARTS = /[0-9]+|[^0-9]+/g

/** Gives the words that a run stands for. A single ASCII character is none: it would be found everywhere. */
export function wordsOfRun(run: string): readonly string[] {
  if (run.length <= LONGEST) return isTiny(run) ? [] : [run]
  const parts = run.match(PARTS) ?? []
  const kept = parts.filter((part) => !isTiny(part) && part.length <= LONGEST_PART)
  return parts.some((part) => part.length > LONGEST_PART) ? [WORDLESS, APART, ...kept] : [APART, ...kept]
}

const isTiny = (run: string): boolean => run.length === 1 && run.charCodeAt(0) < 128

/** Words that a text holds together: for each a piece that it contains. */
export type Pieces = readonly string[]

/**
 * Gives what the words of every text that contains another one meet: each of a list of demands, in one of the ways that
 * it names; or hold WORDLESS. Without demands nothing is known of them.
 */
export function demandsOf(needle: string): readonly (readonly Pieces[])[] {
  const demands: (readonly Pieces[])[] = []
  runsIn(needle, (from, to) => {
    const run = needle.slice(from, to)
    if (isTiny(run)) return
    const parts = run.match(PARTS) ?? []
    const apart = [APART, ...parts.filter((part) => !isTiny(part) && part.length <= LONGEST_PART)]
    if (parts.length === 1 && run.length <= LONGEST) demands.push([[run]])
    else demands.push(run.length <= LONGEST ? [[run], apart] : [apart])
  })
  return demands
}

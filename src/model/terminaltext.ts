/**
 * Characters that must not reach a terminal as they are: control characters except newline and tab, hence escape
 * sequences; invisible characters that reorder or hide text, fillers and selectors, except the visible format characters of Arabic
 * and Syriac; line separators; lone surrogates; combining marks without a base, or so many on one character that they would
 * cover the lines around it. Compiling such classes takes half a millisecond, and most texts are plain, so each
 * expression is made on first use.
 */
const harmful = (): RegExp =>
  /(?![\n\t\u0600-\u0605\u06dd\u070f\u08e2])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{DI}\u2800]|\p{M}(?<=\p{M}{9}|^\p{M}|\n\p{M})/gu

/** Harmful characters in JSON, where a newline is escaped in any case, and a text begins at a quote. */
const harmfulInJson = (): RegExp =>
  /(?![\u0600-\u0605\u06dd\u070f\u08e2])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{DI}\u2800]|\p{M}(?<=\p{M}{9}|"\p{M})/gu

const isJoiner = (char: string): boolean => char === '\u200c' || char === '\u200d'

/** Scripts and pictures that joiners shape: past Latin, where a joiner only hides. */
const joinsBefore = (): RegExp => /[\p{L}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}](?<![\0-\u024f])$/u
const joinsAfter = (): RegExp => /^(?![\0-\u024f])[\p{L}\p{M}\p{Extended_Pictographic}]/u

const joins = (text: string, at: number): boolean =>
  joinsBefore().test(text.slice(Math.max(0, at - 2), at)) && joinsAfter().test(text.slice(at + 1, at + 3))

/** One selector after a character that it changes: pictures, Han characters, Mongolian letters. */
const selects = (): RegExp =>
  /(?:\p{Emoji}[\ufe0e\ufe0f]|\p{Script=Han}[\u{e0100}-\u{e01ef}]|\p{Script=Mongolian}[\u180b-\u180d\u180f])$/u

function escapeUnlessNeeded(char: string, at: number, text: string): string {
  if (isJoiner(char) && joins(text, at)) return char
  if (selects().test(text.slice(Math.max(0, at - 2), at) + char)) return char
  const code = char.codePointAt(0) as number
  if (char === '\r') return '\\r'
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, '0')}`
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`
}

/**
 * Returns a text from a transcript, a name or a path as it can be shown: characters that could steer a terminal or
 * mislead the reader become visible escapes such as `\x1b`. Newlines and tabs stay; CR before a newline is removed.
 */
export const safe = (text: string): string =>
  PLAIN.test(text) ? text : text.replaceAll('\r\n', '\n').replace(harmful(), escapeUnlessNeeded)

/** Most texts: Latin letters and the usual signs, with the arrows of this program's own lines. */
const PLAIN = /^[\t\n\x20-\x7e\xa1-\xac\xae-\u02ff\u2010-\u2027\u2030-\u203b\u2190-\u2193]*$/

/** Returns whether `safeLine` would leave a text as it is. */
export const isPlainLine = (text: string): boolean => PLAIN.test(text) && !text.includes('\n')

/** Returns the same as one line, with newlines escaped. */
export const safeLine = (text: string): string => {
  const seen = safe(text)
  return seen.includes('\n') ? seen.replaceAll('\n', '\\n') : seen
}

/** Returns a JSON text with the same characters escaped: the same JSON, safe to show. */
export const safeJson = (json: string): string =>
  isPlainLine(json) && !json.includes('\t') ? json : json.replace(harmfulInJson(), escaped)

const escaped = (char: string): string =>
  char
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')

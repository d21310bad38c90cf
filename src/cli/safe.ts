/**
 * What may not reach a terminal as it is: control characters but newline and tab, so escape sequences too;
 * what is not seen, such as marks that reorder or hide text, but for signs that Arabic and Syriac show;
 * separators that break lines; half surrogate pairs.
 */
const HARMFUL = /(?![\n\t\u0600-\u0605\u06dd\u070f\u08e2])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

const isJoiner = (char: string): boolean => char === '\u200c' || char === '\u200d'

/** Scripts and pictures that joiners shape: past Latin, where a joiner only hides. */
const JOINS_BEFORE = /[\p{L}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}](?<![\0-\u024f])$/u
const JOINS_AFTER = /^(?![\0-\u024f])[\p{L}\p{M}\p{Extended_Pictographic}]/u

const joins = (text: string, at: number): boolean =>
  JOINS_BEFORE.test(text.slice(Math.max(0, at - 2), at)) && JOINS_AFTER.test(text.slice(at + 1, at + 3))

function visible(char: string, at: number, text: string): string {
  if (isJoiner(char) && joins(text, at)) return char
  const code = char.codePointAt(0) as number
  if (char === '\r') return '\\r'
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, '0')}`
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`
}

/**
 * Gives a text from a transcript, a name or a path as people may see it: whatever could steer a terminal or
 * mislead the reader stands as a visible escape such as `\x1b`. Newlines and tabs stay; CR before a newline
 * goes.
 */
export const safe = (text: string): string => text.replaceAll('\r\n', '\n').replace(HARMFUL, visible)

/** Gives a JSON text with the same characters escaped: the same JSON, safe to look at. */
export const safeJson = (json: string): string => json.replace(HARMFUL, escaped)

const escaped = (char: string): string =>
  char
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')

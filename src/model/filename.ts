/** The longest file name, in bytes, before a suffix is added. */
const BYTES = 200

const utf8 = new TextEncoder()

/** Characters that end a name, lead elsewhere or are invisible: path separators, control and format characters. */
const NOT_IN_NAMES = /[/\\:\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

/**
 * Returns a text as a file name that is valid on every system; the same text if it is one. A name from a transcript
 * must not lead out of the folder that it is written to.
 */
export function plainFileName(text: string): string {
  const plain = text.replaceAll(NOT_IN_NAMES, '_').replace(/^[.~-]?\.*$/, '_')
  if (utf8.encode(plain).length <= BYTES) return plain
  const ending = /\.[\w.]{1,16}$/.exec(plain)?.[0] ?? ''
  let kept = plain.slice(0, BYTES - ending.length)
  while (utf8.encode(kept).length > BYTES - ending.length) kept = kept.slice(0, -1)
  return kept.toWellFormed().replace(/\ufffd$/, '') + ending
}

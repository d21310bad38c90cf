/** A file's name has at most so many bytes, with room for what is put behind it. */
const BYTES = 200

const utf8 = new TextEncoder()

/** What ends a name, leads elsewhere, or is not seen: separators of any system, control characters, marks of order. */
const NOT_IN_NAMES = /[/\\:\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

/**
 * Gives a text as the name of one file or folder that it can be anywhere, the very same one where it is such a name: what
 * comes from a transcript must not lead out of the folder that it is written to.
 */
export function plainFileName(text: string): string {
  const plain = text.replaceAll(NOT_IN_NAMES, '_').replace(/^[.~-]?\.*$/, '_')
  if (utf8.encode(plain).length <= BYTES) return plain
  const ending = /\.[\w.]{1,16}$/.exec(plain)?.[0] ?? ''
  let kept = plain.slice(0, BYTES - ending.length)
  while (utf8.encode(kept).length > BYTES - ending.length) kept = kept.slice(0, -1)
  return kept.toWellFormed().replace(/\ufffd$/, '') + ending
}

import { tryParse } from '../model/value.ts'
import { endOfValue, type Part, skipBlank, valueOf } from './bytes.ts'
import { endOfScalar } from './places.ts'

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })
const [LIST, OBJECT, COMMA, COLON, QUOTE] = [0x5b, 0x7b, 0x2c, 0x3a, 0x22]

/**
 * Gives the elements that stand whole in a list of a document that was cut off; the list is the document itself where its
 * key is ''.
 */
export function tornParts(bytes: Uint8Array, list: string): Part[] {
  const parts: Part[] = []
  const open = startOf(bytes, list)
  if (open === undefined) return parts
  for (let at = skipBlank(bytes, open + 1); at < bytes.length; ) {
    const end = endOfValue(bytes, at, bytes.length)
    const part = end > at ? valueOf(bytes, at, end, true) : undefined
    if (!part) break
    parts.push(part)
    at = skipBlank(bytes, end)
    if (bytes[at] === COMMA) at = skipBlank(bytes, at + 1)
  }
  return parts
}

/** Gives where the list opens: at the beginning, or as the value of a key of the outermost object. */
function startOf(bytes: Uint8Array, list: string): number | undefined {
  let at = skipBlank(bytes, 0)
  if (list === '') return bytes[at] === LIST ? at : undefined
  if (bytes[at] !== OBJECT) return undefined
  at = skipBlank(bytes, at + 1)
  while (bytes[at] === QUOTE) {
    const end = endOfScalar(bytes, at)
    const key = tryParse(utf8.decode(bytes.subarray(at, end)))
    const colon = skipBlank(bytes, end)
    if (bytes[colon] !== COLON) return undefined
    at = skipBlank(bytes, colon + 1)
    if (key === list) return bytes[at] === LIST ? at : undefined
    const closed = endOfValue(bytes, at, bytes.length)
    at = skipBlank(bytes, closed > at ? closed : endOfScalar(bytes, at))
    if (bytes[at] === COMMA) at = skipBlank(bytes, at + 1)
  }
  return undefined
}

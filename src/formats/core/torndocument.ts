import { isObject, type JsonObject } from '../../model/json.ts'
import { tryParse } from '../../model/value.ts'
import { endOfValue, type Part, skipBlank, valueOf } from './jsonscan.ts'
import { endOfScalar } from './jsonchildren.ts'

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })
const [LIST, OBJECT, COMMA, COLON, QUOTE] = [0x5b, 0x7b, 0x2c, 0x3a, 0x22]

/** What stands whole of a document that was cut off: elements of its list, and what it says before the list. */
export interface Torn {
  readonly parts: readonly Part[]
  readonly enclosing?: JsonObject
}

/**
 * Returns what stands whole in the first of these lists that a document which was cut off has; the list is the document
 * itself where its key is ''. Undefined where none has a whole element.
 */
export function tornIn(bytes: Uint8Array, lists: readonly string[]): Torn | undefined {
  for (const list of lists) {
    const open = startOf(bytes, list)
    const parts = open === undefined ? [] : tornParts(bytes, open)
    if (open === undefined || parts.length === 0) continue
    const enclosing = tryParse(`${utf8.decode(bytes.subarray(skipBlank(bytes, 0), open + 1))}]}`)
    return { parts, ...(isObject(enclosing) && { enclosing }) }
  }
  return undefined
}

function tornParts(bytes: Uint8Array, open: number): Part[] {
  const parts: Part[] = []
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

/** Returns where the list opens: at the beginning, or as the value of a key of the outermost object. */
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

/** A member of a JSON object or an element of an array, as it is spelled. */
export interface JsonPart {
  /** The key as it is spelled, with its quotes; absent of an element. */
  readonly key?: string
  readonly value: string
}

/** Returns the members of a JSON object or the elements of an array. The text is known to be JSON. */
export function jsonParts(text: string): JsonPart[] {
  const parts: JsonPart[] = []
  const marks = /["{}[\],]/g
  let depth = 0
  let start = 0
  const isObject = /^\s*\{/.test(text)
  const add = (end: number): void => {
    const part = text.slice(start, end)
    if (part.trim() !== '') parts.push(isObject ? memberOf(part) : { value: part })
  }
  for (let mark = marks.exec(text); mark; mark = marks.exec(text)) {
    const [sign] = mark
    if (sign === '"') marks.lastIndex = endOfString(text, mark.index)
    else if (sign === '{' || sign === '[') {
      if (depth++ === 0) start = marks.lastIndex
    } else if (sign !== ',') {
      if (--depth === 0) add(mark.index)
    } else if (depth === 1) {
      add(mark.index)
      start = marks.lastIndex
    }
  }
  return parts
}

function memberOf(part: string): JsonPart {
  const begin = part.indexOf('"')
  const end = endOfString(part, begin)
  return { key: part.slice(begin, end), value: part.slice(part.indexOf(':', end) + 1) }
}

/** Returns the position after the string that begins at a quote. */
function endOfString(text: string, quote: number): number {
  const ends = /[\\"]/g
  ends.lastIndex = quote + 1
  for (let end = ends.exec(text); end; end = ends.exec(text)) {
    if (end[0] === '"') return ends.lastIndex
    ends.lastIndex++
  }
  return text.length
}

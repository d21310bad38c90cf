import { iso } from '../../model/iso.ts'
import { type JsonObject, jsonText } from '../../model/json.ts'

/** How long the line of the title is, its newline included: it is changed in place. */
export const TITLE_BYTES = 256

/** A title, who gave it, and when, in milliseconds since 1970. */
export interface Title {
  readonly title: string
  readonly source?: 'auto' | 'user'
  readonly updated: number
}

const utf8 = new TextEncoder()

const lengthOf = (value: JsonObject): number => utf8.encode(jsonText(value)).length + 1

/** Gives the value of a title line: 256 bytes of JSON with its newline, the title cut to whole characters where needed. */
export function titleSlot({ title, source, updated }: Title): JsonObject {
  const letters = [...title.slice(0, TITLE_BYTES)]
  const slot = (count: number, pad = 0): JsonObject => ({
    type: 'title',
    v: 1,
    title: letters.slice(0, count).join(''),
    ...(source && { source }),
    updatedAt: iso(updated),
    pad: ' '.repeat(pad),
  })
  let count = letters.length
  while (lengthOf(slot(count)) > TITLE_BYTES) count--
  return slot(count, TITLE_BYTES - lengthOf(slot(count)))
}

const BEGIN = utf8.encode('{"type":"title"')

/** Tells whether a file that begins with some bytes has a title line that can be changed in place. */
export const hasTitle = (head: Uint8Array): boolean =>
  head[TITLE_BYTES - 1] === 0x0a && BEGIN.every((byte, at) => head[at] === byte)

import { isObject } from '../model/json.ts'
import { parseJson } from '../model/value.ts'

/** A file in a bundle: its path, and where its bytes stand. */
export interface Bundled {
  readonly file: string
  /** Where the line that tells of it begins. */
  readonly at: number
  readonly from: number
  readonly to: number
}

const utf8 = new TextDecoder()
const NEWLINE = 10
/** A line that tells of a file is shorter. */
const LONGEST = 64 << 10

/** Tells whether a stream begins as a bundle: with a line of JSON that tells of the file behind it. */
export const isBundle = (head: Uint8Array): boolean => headerAt(head, 0) !== undefined

/** Gives the files that stand whole in bytes from a place on, and where the first that does not begins. */
export function bundledIn(bytes: Uint8Array, start = 0): { readonly files: Bundled[]; readonly end: number } {
  const files: Bundled[] = []
  let at = start
  for (;;) {
    const header = headerAt(bytes, at)
    if (!header || header.to > bytes.length) return { files, end: at }
    files.push(header)
    at = header.to
  }
}

function headerAt(bytes: Uint8Array, at: number): Bundled | undefined {
  const newline = bytes.subarray(at, at + LONGEST).indexOf(NEWLINE)
  if (newline < 0) return undefined
  const value = parseJson(utf8.decode(bytes.subarray(at, at + newline)))?.value
  if (!isObject(value) || typeof value.file !== 'string' || typeof value.bytes !== 'number') return undefined
  const from = at + newline + 1
  return { file: value.file, at, from, to: from + value.bytes }
}

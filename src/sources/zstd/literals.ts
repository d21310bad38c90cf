import { damaged } from './bits.ts'
import { type HuffmanTable, readCodes, readHuffman } from './huffman.ts'

/** How literals are kept. */
const RAW = 0
const EQUAL = 1
const CODED = 2

/** What a block's literals are, the table of their codes, and where they end. */
export interface Literals {
  readonly bytes: Uint8Array
  readonly table: HuffmanTable | undefined
  readonly end: number
}

/** Reads the literals of a block, of which there are at most so many. RFC 8878, section 3.1.1.3.1. */
export function readLiterals(block: Uint8Array, most: number, known: HuffmanTable | undefined): Literals {
  const byte = (at: number): number => block[at] ?? 0
  const kind = byte(0) & 3
  const form = (byte(0) >> 2) & 3
  if (kind === RAW || kind === EQUAL) {
    const [size, start] =
      form % 2 === 0
        ? [byte(0) >> 3, 1]
        : [(byte(0) >> 4) | (byte(1) << 4) | (form === 3 ? byte(2) << 12 : 0), form === 3 ? 3 : 2]
    const end = start + (kind === RAW ? size : 1)
    check(size <= most && end <= block.length)
    const bytes = kind === RAW ? block.subarray(start, end) : new Uint8Array(size).fill(byte(start))
    return { bytes, table: known, end }
  }
  const [size, packed, start] = codedSizes(form, byte)
  const end = start + packed
  check(size <= most && end <= block.length)
  const [table, first] = kind === CODED ? readHuffman(block, start, end) : [known, start]
  if (!table) throw damaged('codes without a table')
  const bytes = new Uint8Array(size)
  if (form === 0) readCodes(table, block, first, end, bytes)
  else readStreams(table, block, first, end, bytes)
  return { bytes, table, end }
}

function check(isRight: boolean): void {
  if (!isRight) throw damaged('literals that are too long')
}

/** Gives how many literals there are, how many bytes they take, and where these begin. */
function codedSizes(
  form: number,
  byte: (at: number) => number,
): readonly [size: number, packed: number, start: number] {
  const low = byte(0) >> 4
  if (form < 2) return [low | ((byte(1) & 63) << 4), (byte(1) >> 6) | (byte(2) << 2), 3]
  const middle = low | (byte(1) << 4)
  if (form === 2) return [middle | ((byte(2) & 3) << 12), (byte(2) >> 2) | (byte(3) << 6), 4]
  return [middle | ((byte(2) & 63) << 12), (byte(2) >> 6) | (byte(3) << 2) | (byte(4) << 10), 5]
}

/** Decodes literals that are kept as four streams, the lengths of the first three before them. */
function readStreams(
  table: HuffmanTable,
  block: Uint8Array,
  start: number,
  end: number,
  to: Uint8Array,
): void {
  const part = (to.length + 3) >> 2
  let at = start + 6
  for (let i = 0; i < 4; i++) {
    const told = (block[start + 2 * i] ?? 0) | ((block[start + 2 * i + 1] ?? 0) << 8)
    const next = i < 3 ? at + told : end
    if (next > end || part * 3 > to.length) throw damaged('streams without an end')
    readCodes(table, block, at, next, to.subarray(i * part, i < 3 ? (i + 1) * part : to.length))
    at = next
  }
}

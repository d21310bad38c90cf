import { BackBits, damaged, highest } from './bits.ts'
import { nextState, readFse } from './fse.ts'

/** A table of Huffman codes: by the next `most` bits the symbol, and how many of them are its code. RFC 8878, section 4.2. */
export interface HuffmanTable {
  readonly most: number
  readonly symbols: Uint8Array
  readonly lengths: Uint8Array
}

/** A code has at most so many bits, the states of its weights so many, and there are so many symbols. */
const LONGEST = 11
const WEIGHTS = 6
const SYMBOLS = 256

/** Reads a table, and gives where it ends. */
export function readHuffman(
  bytes: Uint8Array,
  start: number,
  end: number,
): readonly [table: HuffmanTable, end: number] {
  const head = bytes[start] ?? 0
  const first = start + 1
  const isPlain = head >= 128
  const stop = first + (isPlain ? (head - 126) >> 1 : head)
  if (stop > end) throw damaged('codes without an end')
  const weights = isPlain ? plainWeights(bytes, first, head - 127) : readWeights(bytes, first, stop)
  return [huffmanTable(weights), stop]
}

const plainWeights = (bytes: Uint8Array, start: number, count: number): number[] =>
  Array.from({ length: count }, (_, i) => {
    const byte = bytes[start + (i >> 1)] as number
    return i % 2 === 0 ? byte >> 4 : byte & 15
  })

/** Reads weights by two states that take turns, until there are no bits for the next state. */
function readWeights(bytes: Uint8Array, start: number, end: number): number[] {
  const [table, first] = readFse(bytes.subarray(0, end), start, WEIGHTS, SYMBOLS - 1)
  const source = new BackBits(bytes, first, end)
  const states = [source.read(table.log), source.read(table.log)] as [number, number]
  if (source.left < 0) throw damaged('weights without an end')
  const weights: number[] = []
  for (let turn = 0; ; turn = 1 - turn) {
    weights.push(table.symbols[states[turn] as number] as number)
    if (weights.length >= SYMBOLS) throw damaged('too many weights')
    states[turn] = nextState(table, states[turn] as number, source)
    if (source.left < 0) {
      weights.push(table.symbols[states[1 - turn] as number] as number)
      return weights
    }
  }
}

/** Makes a table of weights: the last one, which is not told, fills it. */
function huffmanTable(weights: readonly number[]): HuffmanTable {
  const sum = weights.reduce((all, weight) => all + (weight === 0 ? 0 : 2 ** (weight - 1)), 0)
  const most = highest(sum) + 1
  const left = 2 ** most - sum
  if (sum === 0 || most > LONGEST || weights.length >= SYMBOLS || 2 ** highest(left) !== left)
    throw damaged('weights that make no codes')
  const all = [...weights, highest(left) + 1]
  const [symbols, lengths] = [new Uint8Array(1 << most), new Uint8Array(1 << most)]
  let at = 0
  for (let weight = 1; weight <= most; weight++)
    for (const [symbol, its] of all.entries())
      if (its === weight) {
        const next = at + 2 ** (weight - 1)
        symbols.fill(symbol, at, next)
        lengths.fill(most + 1 - weight, at, next)
        at = next
      }
  return { most, symbols, lengths }
}

/** Decodes a stream of codes into all of some bytes. */
export function readCodes(
  { most, symbols, lengths }: HuffmanTable,
  bytes: Uint8Array,
  start: number,
  end: number,
  to: Uint8Array,
): void {
  const source = new BackBits(bytes, start, end)
  for (let i = 0; i < to.length; i++) {
    const next = source.peek(most)
    to[i] = symbols[next] as number
    source.left -= lengths[next] as number
  }
  if (source.left !== 0) throw damaged('codes that do not end where they should')
}

import { BackBits, damaged } from './bits.ts'
import { constantTable, type FseTable, fseTable, nextState, readFse } from './fse.ts'
import type { HuffmanTable } from './huffman.ts'
import { readLiterals } from './literals.ts'
import type { Window } from './window.ts'

/** Something that a sequence has a code for: what each code stands for, and the table that is used unless one is told. */
interface Coded {
  /** By code the least number that it stands for, and how many bits are read and added to that. */
  readonly base: readonly number[]
  readonly bits: readonly number[]
  /** The table of each block has at most 2 to the power of so many states. */
  readonly most: number
  readonly usual: FseTable
}

const zeros = (count: number): number[] => new Array<number>(count).fill(0)

function coded(first: number, bits: readonly number[], most: number, usual: FseTable): Coded {
  let next = first
  const base = bits.map((count) => {
    const least = next
    next += 2 ** count
    return least
  })
  return { base, bits, most, usual }
}

/** How many literals come before a match, how far back that is, and how long. RFC 8878, sections 3.1.1.3.2 and 6. */
const RUNS = coded(
  0,
  [...zeros(16), 1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16],
  9,
  fseTable(
    [
      4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1,
      -1, -1,
    ],
    6,
  ),
)
const DISTANCES = coded(
  1,
  Array.from({ length: 32 }, (_, code) => code),
  8,
  fseTable([1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1], 5),
)
const MATCHES = coded(
  3,
  [...zeros(32), 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16],
  9,
  fseTable([1, 4, 3, 2, 2, 2, 2, 2, 2, ...zeros(37).map(() => 1), -1, -1, -1, -1, -1, -1, -1], 6),
)

/** What a block leaves to the next one of its frame. */
export interface Left {
  codes: HuffmanTable | undefined
  /** The tables of runs, distances and matches. */
  tables: readonly [FseTable | undefined, FseTable | undefined, FseTable | undefined]
  /** The last three distances, the newest first. */
  recent: readonly [number, number, number]
}

/** Gives what the first block of a frame begins with. */
export const nothingLeft = (): Left => ({
  codes: undefined,
  tables: [undefined, undefined, undefined],
  recent: [1, 4, 8],
})

/** Unpacks a compressed block into a window, literals of at most so many bytes among it. */
export function unpackBlock(block: Uint8Array, most: number, left: Left, window: Window): void {
  const { bytes, table, end } = readLiterals(block, most, left.codes)
  left.codes = table
  const [count, start] = countAt(block, end)
  if (count === 0 && start < block.length) throw damaged('bytes behind a block without sequences')
  const used = count === 0 ? 0 : readSequences({ block, start, count, literals: bytes, left, window })
  window.put(bytes, used, bytes.length)
}

/** Gives how many sequences a block has, and where they go on. */
function countAt(block: Uint8Array, at: number): readonly [count: number, start: number] {
  const byte = (i: number): number => block[at + i] ?? 0
  if (at >= block.length) throw damaged('a block without sequences')
  if (byte(0) < 128) return [byte(0), at + 1]
  if (byte(0) < 255) return [((byte(0) - 128) << 8) | byte(1), at + 2]
  return [byte(1) + (byte(2) << 8) + 0x7f00, at + 3]
}

/** How the table of a block is told. */
const USUAL = 0
const CONSTANT = 1
const TOLD = 2

interface Sequences {
  readonly block: Uint8Array
  readonly start: number
  readonly count: number
  readonly literals: Uint8Array
  readonly left: Left
  readonly window: Window
}

/** Does what a block's sequences say, and gives how many literals that took. */
function readSequences({ block, start, count, literals, left, window }: Sequences): number {
  const forms = block[start] ?? 0
  if ((forms & 3) !== 0) throw damaged('sequences of an unknown form')
  let at = start + 1
  const tables = [RUNS, DISTANCES, MATCHES].map((kind, i) => {
    const [table, end] = tableAt(block, at, (forms >> (6 - 2 * i)) & 3, kind, left.tables[i])
    at = end
    return table
  }) as [FseTable, FseTable, FseTable]
  left.tables = tables
  const [runs, distances, matches] = tables
  const source = new BackBits(block, at, block.length)
  let [run, distance, match] = [source.read(runs.log), source.read(distances.log), source.read(matches.log)]
  let used = 0
  for (let i = 0; i < count; i++) {
    const told = numberOf(DISTANCES, distances, distance, source)
    const length = numberOf(MATCHES, matches, match, source)
    const before = numberOf(RUNS, runs, run, source)
    if (i < count - 1) {
      run = nextState(runs, run, source)
      match = nextState(matches, match, source)
      distance = nextState(distances, distance, source)
    }
    if (source.left < 0 || used + before > literals.length) throw damaged('sequences without an end')
    window.put(literals, used, used + before)
    used += before
    left.recent = recentAfter(left.recent, told, before === 0)
    window.copy(left.recent[0], length)
  }
  if (source.left !== 0) throw damaged('sequences that do not end where they should')
  return used
}

function tableAt(
  block: Uint8Array,
  at: number,
  form: number,
  { base, most, usual }: Coded,
  known: FseTable | undefined,
): readonly [table: FseTable, end: number] {
  if (form === USUAL) return [usual, at]
  if (form === TOLD) return readFse(block, at, most, base.length - 1)
  if (form === CONSTANT) {
    const symbol = block[at] ?? base.length
    if (symbol >= base.length) throw damaged('a symbol that is none')
    return [constantTable(symbol), at + 1]
  }
  if (!known) throw damaged('a table that was not told')
  return [known, at]
}

const numberOf = ({ base, bits }: Coded, table: FseTable, state: number, source: BackBits): number => {
  const code = table.symbols[state] as number
  return (base[code] as number) + source.long(bits[code] as number)
}

/** Gives the last three distances behind a sequence: 1 to 3 stand for one of those before, or near it. */
function recentAfter([a, b, c]: Left['recent'], told: number, isBare: boolean): Left['recent'] {
  if (told > 3) return [told - 3, a, b]
  const which = isBare ? told : told - 1
  if (which === 0) return [a, b, c]
  if (which === 1) return [b, a, c]
  if (which === 2) return [c, a, b]
  if (a === 1) throw damaged('a distance of nothing')
  return [a - 1, a, b]
}

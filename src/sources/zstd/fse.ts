import { type BackBits, Bits, damaged, highest } from './bits.ts'

/** A table of finite state entropy: by state the symbol, and what leads to the next state. RFC 8878, section 4.1. */
export interface FseTable {
  /** How many bits the first state has. */
  readonly log: number
  readonly symbols: Uint8Array
  /** How many bits are read for the next state, and added to what. */
  readonly bits: Uint8Array
  readonly base: Uint16Array
}

/** Gives the table that has one state. */
export const constantTable = (symbol: number): FseTable => ({
  log: 0,
  symbols: Uint8Array.of(symbol),
  bits: Uint8Array.of(0),
  base: Uint16Array.of(0),
})

/** Makes a table of how often each symbol comes, of 2 to the power of `log`; -1 is less than once. */
export function fseTable(counts: readonly number[], log: number): FseTable {
  const size = 1 << log
  const symbols = new Uint8Array(size)
  const next = counts.map((count) => Math.abs(count))
  let high = size
  for (const [symbol, count] of counts.entries()) if (count === -1) symbols[--high] = symbol
  const step = (size >> 1) + (size >> 3) + 3
  let at = 0
  for (const [symbol, count] of counts.entries())
    for (let i = 0; i < count; i++) {
      symbols[at] = symbol
      do at = (at + step) & (size - 1)
      while (at >= high)
    }
  if (at !== 0) throw damaged('a table that is not full')
  const [bits, base] = [new Uint8Array(size), new Uint16Array(size)]
  for (const [state, symbol] of symbols.entries()) {
    const number = next[symbol] as number
    next[symbol] = number + 1
    const count = log - highest(number)
    bits[state] = count
    base[state] = (number << count) - size
  }
  return { log, symbols, bits, base }
}

/** Reads a table, of at most 2 to the power of `most` states and of symbols up to `last`. Gives where it ends. */
export function readFse(
  bytes: Uint8Array,
  start: number,
  most: number,
  last: number,
): readonly [table: FseTable, end: number] {
  const source = new Bits(bytes, start)
  const log = source.read(4) + 5
  if (log > most) throw damaged('a table that is too large')
  const counts: number[] = []
  for (let left = 1 << log; left > 0; ) {
    const count = readCount(source, left)
    counts.push(count)
    left -= Math.abs(count)
    if (count === 0)
      for (let more = 3; more === 3; ) {
        more = source.read(2)
        for (let i = 0; i < more; i++) counts.push(0)
        if (counts.length > last) throw damaged('a symbol that is none')
      }
    if (left < 0 || counts.length > last + 1) throw damaged('a symbol that is none')
  }
  if (source.end > bytes.length) throw damaged('a table without an end')
  return [fseTable(counts, log), source.end]
}

/** Reads how often a symbol comes, where so many times are left. */
function readCount(source: Bits, left: number): number {
  const bits = highest(left + 1) + 1
  const value = source.read(bits)
  const mask = (1 << (bits - 1)) - 1
  const short = (1 << bits) - 1 - (left + 1)
  if ((value & mask) < short) {
    source.back()
    return (value & mask) - 1
  }
  return (value > mask ? value - short : value) - 1
}

/** Gives the state that follows one. */
export const nextState = (table: FseTable, state: number, source: BackBits): number =>
  (table.base[state] as number) + source.read(table.bits[state] as number)

import { crc32 } from 'node:zlib'
import type { RefValue } from '../model/operation.ts'
import type { RefName } from '../model/refname.ts'
import { compressNow, decompress } from './level/block.ts'
import { decodeRef, encodeRef } from './level/refvalue.ts'
import { fullNames, shortNames } from './level/shortnames.ts'

/** The values that refs took with an operation; null where a ref was removed. */
export interface JournalLine {
  readonly operation: number
  /** The number of the commit: several may belong to one operation. */
  readonly commit: number
  readonly refs: readonly (readonly [RefName, RefValue | null])[]
}

type Refs = JournalLine['refs']

type ShortRefs = readonly (readonly [name: string, value: RefValue | null])[]

/**
 * Of lines that are written as one, the last one first: how many operations and commits each is before the one behind
 * it, and how many refs it has.
 */
type JoinedLines = readonly (readonly [operations: number, commits: number, refs: number])[]

type ParsedLine = readonly [
  operation: number,
  commit: number,
  ...refs: ShortRefs | readonly [string, JoinedLines?],
]

/** A line's refs are packed from so many characters on: an import of thousands of sessions moves as many. */
const LONG = 4096

/** Brotli's quality for long lines: 9 gains one in a thousand and takes eight times as long, and 5 ms for the shortest. */
const QUALITY = 5

/** Its quality for lines that are written as one: 5 gains an eighth and takes three times as long, while others wait. */
const QUICK = 2

const checksum = (text: string): string => crc32(text).toString(16).padStart(8, '0')

/**
 * Gives lines, one at least, as they stand in the journal when they are written at once: as one, for they repeat much of
 * each other. It begins with its newline, so that one behind a torn one stands by itself.
 */
export function journalText(lines: readonly JournalLine[]): string {
  const last = lines.at(-1) as JournalLine
  const { operation, commit } = last
  const refs = lines.length === 1 ? refsText(last.refs) : joinedRefsText(lines)
  const text = `[${operation},${commit}${refs}]`
  return `\n${checksum(text)} ${text}`
}

/** Gives refs as they follow in a line, one behind the other, or packed as one. */
function refsText(refs: Refs): string {
  if (refs.length === 0) return ''
  const short = shortened(refs)
  const text = JSON.stringify(short)
  return text.length < LONG ? `,${text.slice(1, -1)}` : `,${packed(short, QUALITY)}`
}

/** Returns the refs of all lines, packed as one, and the line of each. */
function joinedRefsText(lines: readonly JournalLine[]): string {
  const parts = lines.map(({ operation, commit, refs }, i) => {
    const next = lines[i + 1] ?? { operation, commit }
    return [next.operation - operation, next.commit - commit, refs.length]
  })
  const short = shortened(lines.flatMap(({ refs }) => refs))
  return `,${packed(short, QUICK)},${JSON.stringify(parts.reverse())}`
}

function shortened(refs: Refs): ShortRefs {
  const names = shortNames(refs.map(([name]) => name))
  return refs.map(([, value], i) => [names[i] as string, value])
}

const packed = (refs: ShortRefs, quality: number): string =>
  `"${Buffer.from(compressNow(encodeRef(refs), quality)).toString('base64')}"`

const isSound = (text: string): boolean => text.slice(0, 8) === checksum(text.slice(9))

/** Reads lines that are written as one, or gives undefined where that fails its checksum, or has it and is none that is written here. */
export function readLines(text: string): JournalLine[] | undefined {
  if (!isSound(text)) return undefined
  try {
    return parsed(text.slice(9))
  } catch {
    // Like one that fails its checksum: whoever reads the journal counts it.
    return undefined
  }
}

/** Gives the number of the last commit in lines that are written as one, 0 where that fails its checksum. */
export const lastCommitIn = (text: string): number =>
  // All of a long line is not read for a number at its beginning.
  isSound(text) ? Number(/^\[\d+,(\d+)/.exec(text.slice(9))?.[1] ?? 0) : 0

function parsed(text: string): JournalLine[] {
  const [operation, commit, ...rest] = JSON.parse(text) as ParsedLine
  const [first, parts] = rest as readonly [unknown, JoinedLines?]
  if (typeof first !== 'string') return [{ operation, commit, refs: full(rest as ShortRefs) }]
  const last = { operation, commit, refs: full(unpacked(first)) }
  return parts ? splitLines(last, parts) : [last]
}

function unpacked(text: string): ShortRefs {
  return decodeRef(decompress(Buffer.from(text, 'base64'))) as ShortRefs
}

/** Gives the lines that `last` is made of. */
function splitLines(last: JournalLine, parts: JoinedLines): JournalLine[] {
  let { operation, commit } = last
  let end = last.refs.length
  const lines = parts.map(([operations, commits, count]) => {
    operation -= operations
    commit -= commits
    end -= count
    return { operation, commit, refs: last.refs.slice(end, end + count) }
  })
  return lines.reverse()
}

function full(refs: ShortRefs): Refs {
  const names = fullNames(refs.map(([name]) => name))
  return refs.map(([, value], i) => [names[i] as RefName, value])
}

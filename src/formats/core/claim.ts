/** The grounds of a file for its right to the id that its agent gave the session in it. */
export interface Claim {
  /** Whether nobody speaks in it, and it refers to no history. */
  readonly silent: boolean
  /** Whether it is the transcript of a sub-agent. */
  readonly subagent: boolean
  /** The name of the file without its ending, by which other files may refer to it. */
  readonly name: string
  /** The session or file at a place of which it begins. */
  readonly base: string | undefined
  readonly layout: Layout
  /** When its first record was written, in milliseconds since 1970. */
  readonly began: number | null
}

/** How a file keeps a session, the newer ways last: agents went from documents to lines, and from lines to databases. */
export const LAYOUTS = ['document', 'lines', 'rows'] as const

export type Layout = (typeof LAYOUTS)[number]

/** The reason why a file has the better claim to an id than another one. */
export type ClaimReason = 'conversation' | 'main' | 'continues' | 'layout' | 'older'

/** Which of two claims is the better one, and why. */
export interface ClaimOrder {
  readonly better: 'first' | 'second'
  readonly why: ClaimReason
}

/** Returns a test whether the first of two claims is better by a rule, the second, or neither. */
const ruled = (why: ClaimReason, first: boolean, second: boolean): ClaimOrder | undefined =>
  first === second ? undefined : { better: first ? 'first' : 'second', why }

/**
 * Compares the claims of two files to one id: a conversation comes before a file in which nobody speaks, a main session
 * before a sub-agent, a file that continues the other one before it, a newer layout before an older one. Undefined where
 * none of these tells them apart.
 */
export const compareClaims = (first: Claim, second: Claim): ClaimOrder | undefined =>
  ruled('conversation', !first.silent, !second.silent) ??
  ruled('main', !first.subagent, !second.subagent) ??
  compareBases(first, second) ??
  compareLayouts(first, second)

/** Compares two files of one session of which one may continue the other: the newest file that continues another counts. */
function compareBases(first: Claim, second: Claim): ClaimOrder | undefined {
  return (
    ruled('continues', isBasedOn(first, second), isBasedOn(second, first)) ??
    ruled('continues', first.base !== undefined, second.base !== undefined) ??
    (first.base === undefined ? undefined : reversed(compareBegun(first, second), 'continues'))
  )
}

const isBasedOn = ({ base }: Claim, { name }: Claim): boolean => base !== undefined && name.endsWith(base)

function compareLayouts(first: Claim, second: Claim): ClaimOrder | undefined {
  const [one, other] = [first, second].map(({ layout }) => LAYOUTS.indexOf(layout)) as [number, number]
  return ruled('layout', one > other, other > one)
}

/** Compares two conversations that nothing else tells apart: the one that began first keeps the id. */
export function compareBegun(first: Claim, second: Claim): ClaimOrder | undefined {
  const [one, other] = [first, second].map(({ began }) => began ?? Number.POSITIVE_INFINITY) as [
    number,
    number,
  ]
  return ruled('older', one < other, other < one)
}

const reversed = (order: ClaimOrder | undefined, why: ClaimReason): ClaimOrder | undefined =>
  order && { better: order.better === 'first' ? 'second' : 'first', why }

/** Returns how a file keeps a session, from its path: that of a session in a database or a folder has `#` and its id. */
export function layoutOf(path: string, bundled: boolean): Layout {
  if (bundled) return 'document'
  if (/#[^#/\\]*$/.test(path)) return 'rows'
  return /\.json(?:\.gz|\.zst)?$/i.test(path) ? 'document' : 'lines'
}

/** Returns the name of a file without its ending. */
export const stemOf = (path: string): string =>
  path
    .slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
    .replace(/(?:\.jsonl?)?(?:\.gz|\.zst)?$/i, '')

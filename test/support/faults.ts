import { appendFileSync } from 'node:fs'
import { ALL } from './amount.ts'

const FILE = process.env.SESS_SOAK

/** Whether faults are tried as often as a soak does. */
const SOAKS = FILE !== undefined

/** So many milliseconds of work a soak has in all. */
const WORK = 1000 * Number(process.env.SESS_SOAK_SECONDS ?? 0)

/** The share of a soak's time that a test gets where it names no other. */
const SHARE = 0.025

/** Returns how often a fault is tried that is tried `many` times with volume: without, a quarter of that. */
const few = (many: number): number => (ALL ? many : Math.ceil(many / 4))

/** Counts rounds: `many` with volume, else a quarter of them; in a soak more, within a share of its time. */
export function* rounds(many: number, soaked: number, share = SHARE): Generator<number> {
  yield* eachRound(few(many), soaked, share)
}

/** Counts rounds of which each is another fault: as many in every run of the tests; in a soak more. */
export function* eachRound(usual: number, soaked: number, share = SHARE): Generator<number> {
  const until = Date.now() + WORK * share
  for (let round = 0; round < (SOAKS ? soaked : usual); round++) {
    if (round >= usual && Date.now() > until) return
    yield round
  }
}

/**
 * Yields some of many items, spread over all of them: without volume a quarter; in a soak all of them, within a
 * share of its time.
 */
export function* some<T>(items: readonly T[], many: number, share = SHARE): Generator<T> {
  const stride = strideOf(items.length)
  for (const round of eachRound(Math.min(few(many), items.length), items.length, share))
    yield items[(round * stride) % items.length] as T
}

/** Returns a step by which all places of a ring are met, near ones far from each other: its golden section. */
function strideOf(length: number): number {
  let stride = Math.max(1, Math.round(length * 0.618))
  while (greatestCommonDivisor(stride, length) > 1) stride++
  return stride
}

const greatestCommonDivisor = (a: number, b: number): number =>
  b === 0 ? a : greatestCommonDivisor(b, a % b)

/** Returns the numbers from 0 up to and without another. */
export const upTo = (end: number): number[] => Array.from({ length: end }, (_, i) => i)

/** Writes down how often a fault of a class was tried and how much was lost: for the table of a soak. */
export function tally(fault: number, what: string, runs: number, losses = 0): void {
  if (FILE !== undefined) appendFileSync(FILE, `${JSON.stringify({ fault, what, runs, losses })}\n`)
}

/** Writes down that a fault could not be tried on this machine, and why. */
export function notRun(fault: number, what: string, why: string): void {
  if (FILE !== undefined)
    appendFileSync(FILE, `${JSON.stringify({ fault, what, runs: 0, losses: 0, why })}\n`)
}

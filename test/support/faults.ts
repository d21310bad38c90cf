import { appendFileSync } from 'node:fs'

const FILE = process.env.SESS_SOAK

/** When a soak has to end, in milliseconds since 1970. */
const UNTIL = Number(process.env.SESS_SOAK_UNTIL ?? Number.POSITIVE_INFINITY)

/** Whether faults are tried as often as a soak does. */
export const SOAKS = FILE !== undefined

/** Counts rounds: as many as every run of the tests makes, in a soak more, but not beyond its end. */
export function* rounds(usual: number, soaked: number): Generator<number> {
  for (let round = 0; round < (SOAKS ? soaked : usual); round++) {
    if (SOAKS && round >= usual && Date.now() > UNTIL) return
    yield round
  }
}

/** Gives every n-th place of a text of so many bytes, and all of them in a soak. */
export function* places(length: number, usual: number, soaked = 1): Generator<number> {
  const step = SOAKS ? soaked : usual
  for (let at = 0; at < length && Date.now() <= UNTIL; at += step) yield at
}

/** Writes down how often a fault of a class was tried and how much was lost: for the table of a soak. */
export function tally(fault: number, what: string, runs: number, losses = 0): void {
  if (FILE !== undefined) appendFileSync(FILE, `${JSON.stringify({ fault, what, runs, losses })}\n`)
}

/** Writes down that a fault could not be tried on this machine, and why. */
export function notRun(fault: number, what: string, why: string): void {
  if (FILE !== undefined)
    appendFileSync(FILE, `${JSON.stringify({ fault, what, runs: 0, losses: 0, why })}\n`)
}

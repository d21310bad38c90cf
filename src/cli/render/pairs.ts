import type { LogEntry } from '../../ops/log.ts'
import { listEdits } from './edits.ts'

/** An entry of one side, of the other, or two that correspond. */
export interface Pair {
  readonly left?: LogEntry
  readonly right?: LogEntry
}

/** Gives what two sides said, in order, those beside each other that correspond: the same role, in order. */
export function pairs(left: readonly LogEntry[], right: readonly LogEntry[]): Pair[] {
  const all: Pair[] = []
  let [l, r] = [0, 0]
  const both = (): Pair => ({ left: left[l++] as LogEntry, right: right[r++] as LogEntry })
  for (const { side, value } of listEdits(left.map(kindOf), right.map(kindOf)) ?? [])
    for (let i = 0; i < value.length; i++)
      if (side === 'both') all.push(both())
      else all.push(side === 'left' ? { left: left[l++] as LogEntry } : { right: right[r++] as LogEntry })
  // Sides too far apart are paired by their places.
  while (l < left.length && r < right.length) all.push(both())
  while (l < left.length) all.push({ left: left[l++] as LogEntry })
  while (r < right.length) all.push({ right: right[r++] as LogEntry })
  return all
}

/** Of messages the role and whether they have words; of others the type. */
const kindOf = ({ role, type, text }: LogEntry): string =>
  role === null ? type : `${role}${text === null ? '' : ' text'}`

import { isObject, type Json } from '../model/json.ts'
import type { Sample, Splitter, Unit } from './format.ts'
import { lines } from './lines.ts'

const MOST_OBJECTS = 50

/** A head is split in slices of this size, so that what is not needed is not parsed. */
const SLICE = 16 << 10

/** Gives the units of the first bytes of a source, in order and only as they are asked for. */
export function* unitsOf(splitter: Splitter, head: Uint8Array, whole: boolean): Generator<Unit> {
  for (let at = 0; at < head.length; at += SLICE) yield* splitter.push(head.subarray(at, at + SLICE))
  if (whole) yield* splitter.end().units
}

/** Makes a sample of a source's names, its first bytes and its size. What a line holds is salvaged as in reading. */
export function sampleOf(
  name: string,
  head: Uint8Array,
  size: number,
  folder = '',
  above: readonly string[] = [],
): Sample {
  const whole = head.length === size
  const objects: Json[] = []
  for (const { value } of unitsOf(lines(), head, whole)) {
    if (isObject(value)) objects.push(value)
    if (objects.length === MOST_OBJECTS) break
  }
  return { name, folder, above, head, lines: objects, whole }
}

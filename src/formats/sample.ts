import { isObject, type Json } from '../model/json.ts'
import type { Sample } from './format.ts'
import { lines } from './lines.ts'

const MOST_OBJECTS = 50

/** Makes a sample of a source's name, its first bytes and its size. What a line holds is salvaged as in reading. */
export function sampleOf(name: string, head: Uint8Array, size: number): Sample {
  const whole = head.length === size
  const splitter = lines()
  const units = splitter.push(head)
  if (whole) units.push(...splitter.end().units)
  const objects: Json[] = []
  for (const { value } of units) {
    if (objects.length === MOST_OBJECTS) break
    if (isObject(value)) objects.push(value)
  }
  return { name, head, lines: objects, whole }
}

import { isObject, type Json } from '../model/json.ts'
import { tryParse } from '../model/value.ts'
import type { Sample } from './format.ts'

const MOST_LINES = 50
const NEWLINE = 10

/** Makes a sample of a source's name, its first bytes and its size. */
export function sampleOf(name: string, head: Uint8Array, size: number): Sample {
  const whole = head.length === size
  const text = new TextDecoder().decode(whole ? head : head.subarray(0, head.lastIndexOf(NEWLINE) + 1))
  const lines: Json[] = []
  for (const line of text.split('\n', MOST_LINES)) {
    const value = tryParse(line)
    if (isObject(value)) lines.push(value)
  }
  return { name, head, lines, whole }
}

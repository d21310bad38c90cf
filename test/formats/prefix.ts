import { expect } from 'vitest'
import type { Format } from '../../src/formats/core/format.ts'
import { readText } from './read.ts'

/** Expects that the beginning of a file, at any of its lines, reads as it reads within the whole. */
export function expectStable(format: Format, text: string): void {
  const whole = readText(format, text).readings
  const lines = text.split('\n')
  for (let end = 1; end < lines.length; end++) {
    const { readings } = readText(format, lines.slice(0, end).join('\n'))
    expect(readings).toEqual(whole.slice(0, readings.length))
  }
}

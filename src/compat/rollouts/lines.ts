import { appendFileSync, readFileSync } from 'node:fs'
import type { Json } from '../../model/json.ts'
import { spell } from '../../model/spelling.ts'
import { fromValue, tryParse } from '../../model/value.ts'
import { endLine } from '../pi/file.ts'

/** Gives a value as a line of JSON, spelled as Python spells it. */
export function lineOf(value: object): string {
  return `${spell(fromValue(value) as Json, 'pa')}\n`
}

/** Appends a value to a file; a last line that was not ended is ended first. */
export function appendLine(path: string, value: object): void {
  endLine(path)
  appendFileSync(path, lineOf(value))
}

/** Gives the values of a file's lines, frozen. Throws where a line is no JSON. */
export function linesOf(path: string): readonly object[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line, i) => {
      if (line.trim() === '') return []
      const value = tryParse(line)
      if (typeof value !== 'object' || value === null)
        throw new Error(`line ${i + 1} of ${path} is no JSON object`)
      return [frozen(value as object)]
    })
}

/** Freezes a value and all that it holds. */
export function frozen<T extends object>(value: T): T {
  for (const child of Object.values(value))
    if (typeof child === 'object' && child !== null) frozen(child as object)
  return Object.freeze(value)
}

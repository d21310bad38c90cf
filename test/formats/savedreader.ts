import { deserialize, serialize } from 'node:v8'
import { expect } from 'vitest'
import type { Format, FormatReader, Reading } from '../../src/formats/core/format.ts'
import type { Splitter, Unit } from '../../src/formats/core/splitter.ts'
import { restoreState, type SavedState, saveState } from '../../src/model/savedstate.ts'

/** What a reader made of a unit, and how it stood after it. */
export interface Step {
  readonly line: number
  readonly bytes: string
  readonly reading: Reading
  readonly active: number | null
  readonly facts: unknown
}

/** A reader with the splitter that it gets its units from. */
export interface Reads {
  readonly reader: FormatReader
  readonly splitter: Splitter
}

/** Returns a new reader of a source, from its beginning or from a later unit on. */
export const beginReading = (
  format: Format,
  names: readonly [name: string, folder?: string],
  { later = false } = {},
): Reads => ({
  reader: format.reader(...names),
  splitter: ((later ? format.laterSplitter : undefined) ?? format.splitter)(),
})

/** Reads the units of some bytes, and ends the source if it is to be ended. */
export function readUnits(
  { reader, splitter }: Reads,
  bytes: Uint8Array,
  { ends = false, lines = 0 }: { readonly ends?: boolean; readonly lines?: number } = {},
): Step[] {
  const steps: Step[] = []
  const read = (unit: Unit): void => {
    const line = unit.line + lines
    const reading = reader.read({ ...unit, line })
    steps.push({
      ...{ line, reading: structuredClone(reading), active: reader.active() },
      ...{ bytes: Buffer.from(unit.bytes).toString('latin1'), facts: structuredClone(reader.facts()) },
    })
  }
  for (const unit of splitter.push(bytes)) read(unit)
  if (ends) for (const unit of splitter.end().units) read(unit)
  return steps
}

/** Returns the state of a reader as another process finds it, with its bytes; undefined where it has none. */
export function savedState(
  reader: FormatReader,
): { readonly state: SavedState; readonly bytes: Uint8Array } | undefined {
  if (Object.keys(reader).length === 0) return undefined
  const bytes = serialize(saveState(reader))
  return { state: deserialize(bytes) as SavedState, bytes }
}

/** Returns a new reader, and splitter, with the state of another one. */
function resumed(state: SavedState, ...of: Parameters<typeof beginReading>): Reads {
  const after = beginReading(of[0], of[1], { later: true })
  expect(restoreState(after.reader, state)).toBe(true)
  return after
}

const newlinesIn = (bytes: Uint8Array): number => bytes.filter((byte) => byte === 10).length

/**
 * Reads a source by a reader that is replaced, after each line after which an import may save it, by a new one with its
 * state. Returns what they made of the units, and how often one was replaced.
 */
export function readInTurns(
  format: Format,
  names: readonly [name: string, folder?: string],
  source: Uint8Array,
): { readonly steps: readonly Step[]; readonly turns: number } {
  const steps: Step[] = []
  let reads = beginReading(format, names)
  let [from, covered, lines, turns] = [0, 0, 0, 0]
  for (let end = source.indexOf(10) + 1; end > 0; end = source.indexOf(10, end) + 1) {
    const read = readUnits(reads, source.subarray(from, end), { lines })
    from = end
    steps.push(...read)
    covered += read.reduce((sum, step) => sum + step.bytes.length, 0)
    const pending = reads.splitter.pendingLines?.()
    const saved = pending === undefined ? undefined : savedState(reads.reader)
    if (pending === undefined || !saved) continue
    reads = resumed(saved.state, format, names)
    turns++
    lines = newlinesIn(source.subarray(0, end)) - pending
    from = covered
  }
  steps.push(...readUnits(reads, source.subarray(from), { ends: true, lines }))
  return { steps, turns }
}

import type { Facts, ParsedEntry, Reader, Reading, RecordIndex } from './format.ts'
import type { Unit } from './splitter.ts'

/** What a unit holds, but for what it continues. */
export type Told = Omit<Reading, 'entry'> & { readonly entry?: Omit<ParsedEntry, 'parent'> }

/** Reads a source without a tree: every entry continues the one before. */
export function linear(tell: (unit: Unit) => Told, facts: () => Facts): Reader {
  let count = 0
  let last: RecordIndex | null = null
  return {
    read(unit) {
      const handle = count++
      const { entry, ...rest } = tell(unit)
      if (!entry) return rest
      const parent = last
      last = handle
      return { ...rest, entry: { ...entry, parent } }
    },
    active: () => last,
    facts,
  }
}

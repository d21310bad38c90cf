import { isObject, type JsonObject } from '../../model/json.ts'
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

/** What one record of a linear session carries. */
export interface Taken extends Pick<Reading, 'time' | 'native'> {
  /** The entry without its parent, its kind without the dialect. */
  readonly entry?: Omit<ParsedEntry, 'type' | 'parent'> & { readonly kind: string }
  /** What it tells of the session; what was told first counts. */
  readonly facts?: Facts
}

/** Reads a session in which each entry continues the one before, by what each record that is an object carries. */
export function linearReader(
  dialect: string,
  take: (value: JsonObject, handle: RecordIndex) => Taken,
  known: Facts = {},
): Reader {
  let next: RecordIndex = 0
  let facts = known
  return linear(
    ({ value }) => {
      const handle = next++
      if (!isObject(value)) return {}
      const { entry, facts: told, ...envelope } = take(value, handle)
      facts = { ...told, ...facts }
      if (!entry) return envelope
      const { kind, ...said } = entry
      return { ...envelope, entry: { type: `${dialect}/${kind}`, ...said } }
    },
    () => facts,
  )
}

import { isObject, type JsonObject } from '../../model/json.ts'
import type { Facts, ParsedEntry, Reader, Reading, RecordIndex } from './format.ts'
import { linear } from './chainreader.ts'

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

/** Returns a value under a key, nothing where there is none. */
export const given = <K extends string, V>(key: K, value: V | undefined): { readonly [_ in K]?: V } =>
  (value === undefined ? {} : { [key]: value }) as { readonly [_ in K]?: V }

import type { Json } from '../../model/json.ts'

/** The kind of a value: it decides which filters apply. */
export type Kind = 'oid' | 'oids' | 'time' | 'text' | 'texts' | 'number' | 'other'

/** The environment of a template besides the item. */
export interface Setting {
  /** Milliseconds since 1970. */
  readonly now: number
  readonly zone: (time: number) => number
  /** The names of branches by oid. */
  readonly names: ReadonlyMap<string, string>
}

/** A field of a thing that a template shows. */
export interface Field<T> {
  readonly kind: Kind
  /** Its description, for help. */
  readonly is: string
  readonly of: (thing: T, setting: Setting) => Json
}

/** The fields of a thing by their names. */
export type Fields<T> = Readonly<Record<string, Field<T>>>

import type { Json } from '../../model/json.ts'

/** What a value is: what filters may be put behind it. */
export type Kind = 'oid' | 'oids' | 'time' | 'text' | 'texts' | 'number' | 'other'

/** What a template knows of the world besides the thing that it shows. */
export interface Setting {
  /** Milliseconds since 1970. */
  readonly now: number
  readonly zone: (time: number) => number
  /** What branches name an oid. */
  readonly names: ReadonlyMap<string, string>
}

/** A field of a thing that a template shows. */
export interface Field<T> {
  readonly kind: Kind
  /** What it is, for help. */
  readonly is: string
  readonly of: (thing: T, setting: Setting) => Json
}

/** The fields of a thing by their names. */
export type Fields<T> = Readonly<Record<string, Field<T>>>

import type { Json } from '../../model/json.ts'

/** The kind of a value: it decides which filters apply. */
export type FieldKind = 'oid' | 'oids' | 'time' | 'text' | 'texts' | 'number' | 'other'

/** The environment of a template besides the item. */
export interface TemplateSetting {
  /** Milliseconds since 1970. */
  readonly now: number
  readonly zone: (time: number) => number
  /** The names of branches by oid. */
  readonly names: ReadonlyMap<string, string>
}

/** A field of a thing that a template shows. */
export interface TemplateField<T> {
  readonly kind: FieldKind
  /** Its description, for help. */
  readonly is: string
  readonly of: (thing: T, setting: TemplateSetting) => Json
}

/** The fields of a thing by their names. */
export type TemplateFields<T> = Readonly<Record<string, TemplateField<T>>>

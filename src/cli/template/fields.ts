import type { Json } from '../../model/json.ts'
import type { PriceOf } from '../../model/prices.ts'
import type { Display, Line } from '../../text/text.ts'

/** The kind of a value: it decides which filters apply. */
export type FieldKind = 'oid' | 'oids' | 'time' | 'text' | 'texts' | 'number' | 'other'

/** The environment of a template besides the item. */
export interface TemplateSetting extends Omit<Display, 'columns'> {
  readonly priceOf: PriceOf
  /** The names of branches by oid. */
  readonly names: ReadonlyMap<string, string>
  /** The short ids of sessions, where lines name the session of each entry. */
  readonly sessions?: ReadonlyMap<string, string>
}

/** A field of a thing that a template shows. */
export interface TemplateField<T> {
  readonly kind: FieldKind
  /** Its description, for help. */
  readonly is: string
  /** Whether it shows what an entry adds to its model call, which is found only where it is asked for. */
  readonly isUsage?: true
  readonly of: (thing: T, setting: TemplateSetting) => Json
}

/** The fields of a thing by their names. */
export type TemplateFields<T> = Readonly<Record<string, TemplateField<T>>>

/** The environment of a format: that of a template, and the width of lines. */
export interface Setup extends TemplateSetting, Display {}

/** A way to show a thing that has a name. */
export type ItemFormat<T> = {
  /** How it shows it, for help. */
  readonly is: string
  /** Whether it shows what an entry adds to its model call. */
  readonly usesUsage?: boolean
} & (
  | {
      readonly lines: (thing: T, setup: Setup) => readonly Line[]
      /** Put an empty line between things. */
      readonly apart?: boolean
    }
  | { readonly data: (thing: T) => object }
)

/** The formats of a thing by their names. */
export type ItemFormats<T> = Readonly<Record<string, ItemFormat<T>>>

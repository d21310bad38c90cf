import type { PriceOf } from '../../model/prices.ts'
import type { Line } from '../render/styledtext.ts'
import type { TemplateSetting } from './fields.ts'

/** The environment of a format: that of a template, the width of lines, and the prices of models. */
export interface Setup extends TemplateSetting {
  readonly columns: number
  readonly priceOf: PriceOf
}

/** A way to show a thing that has a name. */
export type ItemFormat<T> = {
  /** How it shows it, for help. */
  readonly is: string
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

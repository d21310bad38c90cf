import type { Defined } from '../model/json.ts'
import type { Value } from './values.ts'

/** A declared input of a verb. Its name is the key under which the verb declares it. */
export interface Input<T = unknown> extends InputDetail {
  readonly about: string
  /** The form of its text; an input without it is true or false. */
  readonly value?: Value<unknown, string>
  /** Whether it holds several values. */
  readonly list?: boolean
  readonly required?: boolean
  /** Whether it is the current session where it is left out. */
  readonly current?: boolean
  readonly default?: unknown
  /** Marks the type of what it holds. */
  readonly type?: () => T
}

interface InputDetail {
  /** The input that it goes with. */
  readonly needs?: string
  /** The inputs that it does not go with. */
  readonly excludes?: readonly string[]
}

export interface Inputs {
  readonly [name: string]: Input
}

type TypeOf<D> = D extends { readonly type?: () => infer T } ? T : never

/** The type of what declared inputs hold: those that may be left out are optional properties. */
export type InputOf<D> = Defined<{ [K in keyof D]: TypeOf<D[K]> }>

/** An input that must be passed. */
export interface RequiredInput<T> extends Input<T> {
  readonly required: true
}

type RequiredNames<D> = { [K in keyof D]: D[K] extends { readonly required: true } ? K : never }[keyof D]

/** The type of what a program passes: flags, lists and inputs with a default may be left out too. */
export type GivenInput<D> = { readonly [K in RequiredNames<D>]: TypeOf<D[K]> } & {
  readonly [K in Exclude<keyof D, RequiredNames<D>>]?: TypeOf<D[K]>
}

/** Returns what an input holds where it is left out; undefined where it holds nothing. */
export const usualValue = ({ value, list, current, default: usual }: Input): unknown =>
  !value ? false : list ? [] : current ? '@' : usual

/** Returns the input of a verb with what was left out. */
export const withUsual = <D extends Inputs>(declared: D, given: GivenInput<D>): InputOf<D> =>
  Object.fromEntries(
    Object.entries<Input>(declared).flatMap(([name, one]) => {
      const value = (given as Readonly<Record<string, unknown>>)[name] ?? usualValue(one)
      return value === undefined ? [] : [[name, value]]
    }),
  ) as InputOf<D>

/** Declares an input that is needed. */
export const required = <T>(value: Value<T, string>, about: string): RequiredInput<T> => ({
  value,
  about,
  required: true,
})

/** Declares an input that may be left out. */
export const optional = <T>(
  value: Value<T, string>,
  about: string,
  detail: InputDetail = {},
): Input<T | undefined> => ({ value, about, ...detail })

/** Declares an input with a value that it has by default. */
export const withDefault = <T>(value: Value<T, string>, usual: T, about: string): Input<T> => ({
  value,
  about,
  default: usual,
})

/** Declares a list of values, which may be empty. */
export const several = <T>(value: Value<T, string>, about: string): Input<readonly T[]> => ({
  value,
  about,
  list: true,
})

/** Declares a list of one value or more. */
export const atLeastOne = <T>(value: Value<T, string>, about: string): RequiredInput<readonly T[]> => ({
  ...several(value, about),
  required: true,
})

/** Declares a session or a revision that is the current session where it is left out. */
export const current = (value: Value<string, string>, about: string): Input<string> => ({
  value,
  about,
  current: true,
})

/** Declares an input that is true or false; false where it is left out. */
export const flag = (about: string, detail: InputDetail = {}): Input<boolean> => ({ about, ...detail })

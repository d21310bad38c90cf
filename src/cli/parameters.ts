import { file, operation, seconds, type Value } from './values.ts'

/** Marks the type of what an argument or an option holds in a command's input. */
interface Typed<T> {
  readonly type?: () => T
}

/** A declared argument. Its name is the key under which a command declares it. */
export interface Argument<T = unknown> extends Typed<T> {
  readonly value: Value<unknown>
  readonly about: string
  readonly required: boolean
  readonly variadic: boolean
  /** Without it, the command works on the current session. */
  readonly current: boolean
}

/** A declared option. Its long flag is the key under which a command declares it; one letter is a short flag alone. */
export interface Option<T = unknown> extends Typed<T>, OptionDetail {
  readonly about: string
  /** Its value; a flag has none. */
  readonly value?: Value<unknown>
  /** Whether it may be given several times. */
  readonly repeated?: boolean
  /** Whether its value may be left out. */
  readonly bare?: boolean
  /** Whether its flag begins with `--no-`: the input is true without it. */
  readonly off?: boolean
  readonly default?: unknown
}

interface OptionDetail {
  /** Its short flag, a letter. */
  readonly short?: string
  /** Whether the command needs it. */
  readonly required?: boolean
  /** The option that it goes with. */
  readonly needs?: string
  /** The options and arguments that it does not go with. */
  readonly excludes?: readonly string[]
}

const argument = (value: Value<unknown>, about: string): Argument<never> => ({
  value,
  about,
  required: false,
  variadic: false,
  current: false,
})

/** Declares an argument that a command needs. */
export const required = <T>(value: Value<T>, text: string): Argument<T> => ({
  ...argument(value, text),
  required: true,
})

/** Declares an argument that may be left out. */
export const optional = <T>(value: Value<T>, text: string): Argument<T | undefined> => argument(value, text)

/** Declares an argument that may be repeated, and left out. */
export const several = <T>(value: Value<T>, text: string): Argument<readonly T[]> => ({
  ...argument(value, text),
  variadic: true,
})

/** Declares an argument that may be repeated and is needed once. */
export const atLeastOne = <T>(value: Value<T>, text: string): Argument<readonly T[]> => ({
  ...several(value, text),
  required: true,
})

/** Declares a session or a revision that is the current session where it is left out. */
export const current = (value: Value<string>, text: string): Argument<string> => ({
  ...argument(value, text),
  current: true,
})

/** Declares an option without a value. */
export const flag = (text: string, detail: OptionDetail = {}): Option<boolean> => ({ about: text, ...detail })

/** Declares the flag `--no-KEY`: the input is true without it. */
export const flagOff = (text: string): Option<boolean> => ({ about: text, off: true })

/** Declares an option with a value. */
export const option = <T>(
  value: Value<T>,
  text: string,
  detail: OptionDetail = {},
): Option<T | undefined> => ({ about: text, value, ...detail })

/** Declares an option with a value that it has by default. */
export const optionWith = <T>(
  value: Value<T>,
  usual: T,
  text: string,
  detail: OptionDetail = {},
): Option<T> => ({ about: text, value, default: usual, ...detail })

/** Declares an option that a command needs. */
export const requiredOption = <T>(value: Value<T>, text: string): Option<T> => ({
  about: text,
  value,
  required: true,
})

/** Declares an option that may be given several times. */
export const repeated = <T>(value: Value<T>, text: string): Option<readonly T[]> => ({
  about: text,
  value,
  repeated: true,
})

/** Declares an option whose value may be left out: it is true then. */
export const bareOption = <T>(
  value: Value<T>,
  text: string,
  detail: OptionDetail = {},
): Option<T | true | undefined> => ({ about: text, value, bare: true, ...detail })

/** Returns the flag of an option: the long one where there is one. */
export const flagOf = (key: string, { off }: Pick<Option, 'off'>): string =>
  key.length === 1
    ? `-${key}`
    : `--${off ? 'no-' : ''}${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

export interface Arguments {
  readonly [name: string]: Argument
}

export interface Options {
  readonly [name: string]: Option
}

type TypeOf<D> = D extends { readonly type?: () => infer T } ? T : never

/** The type of the input of declared arguments or options: those that may be left out are optional properties. */
export type InputOf<D> = {
  readonly [K in keyof D as undefined extends TypeOf<D[K]> ? never : K]: TypeOf<D[K]>
} & {
  readonly [K in keyof D as undefined extends TypeOf<D[K]> ? K : never]?: Exclude<TypeOf<D[K]>, undefined>
}

/** The options that every command takes. */
export const GLOBAL_OPTIONS = {
  store: option({ ...file('dir'), kind: 'folder' }, 'the folder of the store'),
  json: flag('print JSON: one object, or one per line for lists'),
  lockTimeout: option(seconds(), 'how long to wait for a store that is in use (5)'),
  atOp: option(operation('op'), 'read the store as of an operation or a time'),
  color: flagOff('do not use colours'),
  pager: flagOff('do not use a pager'),
}

export type GlobalOptions = Partial<InputOf<typeof GLOBAL_OPTIONS>>

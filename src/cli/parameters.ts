import { flag as flagInput, type Input, type InputOf, optional, several } from '../verbs/input.ts'
import {
  file,
  operation,
  seconds,
  type NameKind as VerbNameKind,
  type Value as VerbValue,
  words,
} from '../verbs/values.ts'

export { type InputOf, optional, required, several } from '../verbs/input.ts'
export {
  branch,
  choice,
  file,
  label,
  pair,
  ref,
  revision,
  seconds,
  session,
  text,
} from '../verbs/values.ts'

/** Kinds of names that completion offers: those of verbs, and those of the command line. */
export type NameKind =
  | VerbNameKind
  | 'entry-format'
  | 'session-format'
  | 'topic'
  | 'command'
  | 'setting-value'

/** A value of an argument or an option. */
export type Value<T> = VerbValue<T, string>

export const entryFormat = words<NameKind>('name', 'entry-format')
export const sessionFormat = words<NameKind>('name', 'session-format')
export const topic = words<NameKind>('topic', 'topic')
export const commandName = words<NameKind>('command', 'command')
export const settingValue = words<NameKind>('value', 'setting-value')

/** A declared argument: an input of a verb. Its name is the key under which a command declares it. */
export type Argument<T = unknown> = Input<T>

/**
 * A declared option: an input of a verb, with what the command line adds. Its long flag is the key under which a command
 * declares it; one letter is a short flag alone.
 */
export interface Option<T = unknown> extends Input<T> {
  /** Its short flag, a letter. */
  readonly short?: string
  /** Whether its value may be left out. */
  readonly bare?: boolean
  /** Whether its flag begins with `--no-`: the input is true without it. */
  readonly off?: boolean
}

type OptionDetail = Pick<Option, 'short' | 'needs' | 'excludes'>

/** Declares an option without a value. */
export const flag = (about: string, detail: OptionDetail = {}): Option<boolean> => flagInput(about, detail)

/** Declares the flag `--no-KEY`: the input is true without it. */
export const flagOff = (about: string): Option<boolean> => ({ about, off: true })

/** Declares an option with a value. */
export const option = <T>(value: Value<T>, about: string, detail: OptionDetail = {}): Option<T | undefined> =>
  optional(value, about, detail)

/** Declares an option with a value that it has by default. */
export const optionWith = <T>(
  value: Value<T>,
  usual: T,
  about: string,
  detail: OptionDetail = {},
): Option<T> => ({ about, value, default: usual, ...detail })

/** Declares an option that may be given several times. */
export const repeated = several

/** Declares an option whose value may be left out: it is true then. */
export const bareOption = <T>(
  value: Value<T>,
  about: string,
  detail: OptionDetail = {},
): Option<T | true | undefined> => ({ about, value, bare: true, ...detail })

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

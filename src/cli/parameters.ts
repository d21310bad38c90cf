import { resolve } from 'node:path'
import { SessError } from '../model/errors.ts'
import type { Defined } from '../model/json.ts'
import { parseTime } from '../model/time.ts'
import type { Platform } from './platform.ts'
import { integer, number, oneOf, type Schema, string } from './schema.ts'

/** Kinds of names: completion offers names of the kind of a value, and errors suggest them. */
export type NameKind =
  | 'session'
  | 'revision'
  | 'revset'
  | 'branch'
  | 'label'
  | 'labels'
  | 'pair'
  | 'pairs'
  | 'key'
  | 'operation'
  | 'ref'
  | 'agent'
  | 'entry-format'
  | 'session-format'
  | 'source-format'
  | 'file'
  | 'folder'
  | 'topic'
  | 'command'
  | 'setting'
  | 'setting-value'

/** Where a word was typed: relative paths and times mean something there. */
export interface Where {
  readonly platform: Pick<Platform, 'env' | 'zone'>
}

/** A value of an argument or an option: its name in help, how it is read, and what it can be. */
export interface Value<T> {
  readonly name: string
  /** A description of it, to follow the word "takes": `a whole number`. */
  readonly takes: string
  /** Returns the value of what was typed; undefined where it is none. */
  readonly read: (typed: string, where: Where) => T | undefined
  readonly schema: Schema<T>
  readonly kind?: NameKind
  readonly choices?: readonly string[]
  readonly hint?: string
}

const words =
  (usual: string, kind?: NameKind) =>
  (name = usual): Value<string> => ({
    name,
    takes: 'a text',
    read: (typed) => typed,
    schema: string,
    ...(kind && { kind }),
  })

/** A text that means nothing more. */
export const text = words('text')
export const session = words('session', 'session')
/** A session, a branch, a label or an entry; for some commands also a range. */
export const revision = words('revision', 'revision')
export const revset = words('expression', 'revset')
export const branch = words('branch', 'branch')
/** A label of the session in question. */
export const label = words('label', 'label')
/** A label of any session. */
export const anyLabel = words('label', 'labels')
/** A `KEY=VALUE` of the session in question. */
export const pair = words('pair', 'pair')
/** A `KEY=VALUE` of any session. */
export const anyPair = words('condition', 'pairs')
export const pairKey = words('key', 'key')
export const operation = words('operation', 'operation')
/** The full name of a ref, as `for-each-ref` prints it. */
export const ref = words('name', 'ref')
export const agent = words('agent', 'agent')
export const entryFormat = words('name', 'entry-format')
export const sessionFormat = words('name', 'session-format')
/** The name of a format that is read, or of its dialect. */
export const sourceFormat = words('format', 'source-format')
export const topic = words('topic', 'topic')
export const commandName = words('command', 'command')
export const setting = words('key', 'setting')
export const settingValue = words('value', 'setting-value')

/** An empty path is a variable that is not set, and would mean another place. */
const filled = (typed: string): string | undefined => typed || undefined

/** A path as it was typed. */
export const file = (name = 'file'): Value<string> => ({
  name,
  takes: 'a path',
  read: filled,
  schema: string,
  kind: 'file',
})

/** The absolute path of a folder. */
export const folder = (): Value<string> => ({
  name: 'dir',
  takes: 'a path',
  read: (typed, { platform }) => filled(typed) && resolve(platform.env.cwd, typed),
  schema: string,
  kind: 'folder',
})

/** A whole number from 0. */
export const count = (name = 'n'): Value<number> => ({
  name,
  takes: 'a whole number',
  read: (typed) => (/^\d+$/.test(typed) && Number.isSafeInteger(Number(typed)) ? Number(typed) : undefined),
  schema: integer,
})

/** A number of seconds, fractions allowed. */
export const seconds = (): Value<number> => ({
  name: 'seconds',
  takes: 'a number of seconds',
  read: (typed) => (/^\d+(?:\.\d+)?$/.test(typed) ? Number(typed) : undefined),
  schema: number,
})

const TIMES = 'write a duration such as 12h, 3d, 2w, or a day such as yesterday, 2026-04-01'

/** A time, in milliseconds since 1970. */
export const time = (name = 'time'): Value<number> => ({
  name,
  takes: name === 'age' ? 'an age' : 'a time',
  hint: TIMES,
  read: (typed, { platform }) => parseTime(typed, platform.env.now(), platform.zone),
  schema: number,
})

/** Returns a time that a setting names, in milliseconds since 1970. Throws `bad-usage`. */
export function timeOf({ platform }: Where, typed: string): number {
  const read = parseTime(typed, platform.env.now(), platform.zone)
  if (read !== undefined) return read
  throw new SessError('bad-usage', `'${typed}' is not a time`, { hint: TIMES })
}

/** One of some words. */
export const choice = <const W extends readonly string[]>(choices: W, name: string): Value<W[number]> => ({
  name,
  takes: choices.length > 1 ? `${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}` : `${choices[0]}`,
  read: (typed) => choices.find((one) => one === typed),
  schema: oneOf(...choices),
  choices,
})

/** Marks the type of what an argument or an option holds in a command's input. */
interface Typed<T> {
  readonly type?: () => T
}

/** A declared argument. Its name is the key under which a command declares it. */
export interface Argument<T = unknown> extends Typed<T> {
  readonly value: Value<unknown>
  readonly about: string
  readonly required?: boolean
  readonly variadic?: boolean
  /** Without it, the command works on the current session. */
  readonly current?: boolean
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

/** Declares an argument that a command needs. */
export const required = <T>(value: Value<T>, about: string): Argument<T> => ({ value, about, required: true })

/** Declares an argument that may be left out. */
export const optional = <T>(value: Value<T>, about: string): Argument<T | undefined> => ({ value, about })

/** Declares an argument that may be repeated, and left out. */
export const several = <T>(value: Value<T>, about: string): Argument<readonly T[]> => ({
  value,
  about,
  variadic: true,
})

/** Declares an argument that may be repeated and is needed once. */
export const atLeastOne = <T>(value: Value<T>, about: string): Argument<readonly T[]> => ({
  ...several(value, about),
  required: true,
})

/** Declares a session or a revision that is the current session where it is left out. */
export const current = (value: Value<string>, about: string): Argument<string> => ({
  value,
  about,
  current: true,
})

/** Declares an option without a value. */
export const flag = (about: string, detail: OptionDetail = {}): Option<boolean> => ({ about, ...detail })

/** Declares the flag `--no-KEY`: the input is true without it. */
export const flagOff = (about: string): Option<boolean> => ({ about, off: true })

/** Declares an option with a value. */
export const option = <T>(
  value: Value<T>,
  about: string,
  detail: OptionDetail = {},
): Option<T | undefined> => ({ about, value, ...detail })

/** Declares an option with a value that it has by default. */
export const optionWith = <T>(
  value: Value<T>,
  usual: T,
  about: string,
  detail: OptionDetail = {},
): Option<T> => ({ about, value, default: usual, ...detail })

/** Declares an option that a command needs. */
export const requiredOption = <T>(value: Value<T>, about: string): Option<T> => ({
  about,
  value,
  required: true,
})

/** Declares an option that may be given several times. */
export const repeated = <T>(value: Value<T>, about: string): Option<readonly T[]> => ({
  about,
  value,
  repeated: true,
})

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

type TypeOf<D> = D extends { readonly type?: () => infer T } ? T : never

/** The type of the input of declared arguments or options: those that may be left out are optional properties. */
export type InputOf<D> = Defined<{ [K in keyof D]: TypeOf<D[K]> }>

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

import type { Call } from './call.ts'
import { anyOf, type Nothing, type Schema } from './schema.ts'
import type { Line } from './style.ts'
import type { Value } from './values.ts'

/** The groups of commands in help, in their order: what a newcomer needs first comes first. */
export const GROUPS = {
  start: 'Start:',
  inspect: 'Inspect:',
  search: 'Search:',
  change: 'Change:',
  combine: 'Combine and edit:',
  undo: 'Undo:',
  store: 'The store:',
  secrets: 'Secrets:',
  scripts: 'For scripts:',
  help: 'Help:',
} as const

export type Group = keyof typeof GROUPS

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
  /** What it takes; a flag takes nothing. */
  readonly value?: Value<unknown>
  /** Whether it may be given several times. */
  readonly repeated?: boolean
  /** Whether its value may be left out. */
  readonly bare?: boolean
  /** Whether its flag begins with `--no-`: without it, what its key says is on. */
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

/** Declares an option that turns off what its key says: `--no-KEY`. */
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

/** What declared arguments or options hold: those that may be left out are optional properties. */
export type InputOf<D> = {
  readonly [K in keyof D as undefined extends TypeOf<D[K]> ? never : K]: TypeOf<D[K]>
} & {
  readonly [K in keyof D as undefined extends TypeOf<D[K]> ? K : never]?: Exclude<TypeOf<D[K]>, undefined>
}

/** What a command prints with `--json`. */
export interface Output<T> {
  /** Whether one object or several, one per line: `One object.`, `A line for each session.` */
  readonly is: string
  readonly schema: Schema<T>
}

/** Describes the output of a command: how many objects, and the schema of each. */
export const output = <T>(is: string, schema: Schema<T>): Output<T> => ({ is, schema })

/** What a command found or did. */
export interface Answer<T> {
  /** For programs: an object, or several. */
  readonly data: T | Iterable<T> | AsyncIterable<T>
  /** For people: lines, or a function that prints them itself. */
  readonly render?: () => Iterable<Line> | AsyncIterable<Line> | Promise<void>
  /** Lines for people on standard error, below the others. */
  readonly notes?: Iterable<Line | string>
  /** What to type to go back; not shown in a dry run, which changed nothing. */
  readonly back?: string | undefined
}

/** Prints while a command still works. */
export interface Out<T> {
  /** Prints an object as a line of JSON. */
  readonly data: (value: T, zero?: boolean) => Promise<void> | undefined
  /** Prints a line for scripts; with `--json` the object; with `zero` a NUL ends it. */
  readonly record: (line: string, value: T, zero?: boolean) => Promise<void> | undefined
}

/**
 * What a command does: `read` changes nothing; `write` can be undone, and takes `-n`; `destructive` cannot be undone,
 * takes `--yes` too, and asks on a terminal.
 */
export type Effect = 'read' | 'write' | 'destructive'

interface Described {
  readonly name: string
  /** In one line, to follow its name. */
  readonly summary: string
  /** More of it, below its options. */
  readonly help?: string | (() => string)
  /** Lines to type, each with what it does. */
  readonly examples: readonly (readonly [line: string, does: string])[]
}

interface Behaviour {
  readonly effect: Effect
  /** Whether it prints more than a screen holds, and so goes through the pager. */
  readonly paged?: boolean
  /** Whether it reports what it kept when a signal stops it. */
  readonly reportsStop?: boolean
  /** Whether it runs until it is stopped: that is no error then, and there is no dry run of it. */
  readonly endless?: boolean
}

interface Declaration<A, O, T> extends Described, Behaviour {
  readonly arguments?: A
  readonly options?: O
  readonly output: Output<T>
  readonly run: (
    call: Call,
    input: InputOf<A> & InputOf<O>,
    out: Out<NoInfer<T>>,
  ) => Promise<Answer<NoInfer<T>> | void> | Answer<NoInfer<T>>
}

/** A declared command, or a command that only has commands of its own. */
export interface Command extends Described, Behaviour {
  readonly group?: Group
  readonly arguments: Arguments
  readonly options: Options
  readonly output: Output<unknown>
  readonly commands: readonly Command[]
  readonly run?: (
    call: Call,
    input: object,
    out: Out<unknown>,
  ) => Promise<Answer<unknown> | undefined> | Answer<unknown>
}

/**
 * Declares a command. Its registration, help, page in docs/cli.md, the JSON Schema of its output, completion and
 * suggestions are derived from this.
 */
export function defineCommand<A extends Arguments = Nothing, O extends Options = Nothing, T = never>(
  declared: Declaration<A, O, T> & { readonly group: Group },
): Command {
  return commandOf(declared)
}

/** Declares a command of a command. */
export function defineSubcommand<A extends Arguments = Nothing, O extends Options = Nothing, T = never>(
  declared: Declaration<A, O, T>,
): Command {
  return commandOf(declared)
}

/** Declares a command that is nothing without one of its own commands. */
export const defineFamily = (
  declared: Described & { readonly group: Group; readonly commands: readonly Command[] },
): Command => ({
  ...declared,
  effect: 'read',
  arguments: {},
  options: {},
  output: output(
    declared.commands.map((one) => `With ${one.name}: ${one.output.is}`).join(' '),
    anyOf(...declared.commands.map((one) => one.output.schema)),
  ),
})

const commandOf = <A extends Arguments, O extends Options, T>(
  declared: Declaration<A, O, T> & { readonly group?: Group },
): Command =>
  // What it takes was parsed by the declarations that its types come from.
  ({ arguments: {}, options: {}, commands: [], ...declared }) as unknown as Command

/** A command of which only this is known before its module is loaded. */
export interface Listed {
  readonly name: string
  readonly group: Group
  readonly summary: string
  readonly load: () => Promise<Command>
}

import { hasCode, SessError } from '../model/errors.ts'
import type { Line } from '../text/text.ts'
import { anyOf, type Nothing, type Schema } from '../verbs/schema.ts'
import type { Invocation } from './invocation.ts'
import { type Arguments, flag, type InputOf, type Options } from './parameters.ts'

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

export type CommandGroup = keyof typeof GROUPS

/** The output of a command with `--json`. */
export interface CommandOutput<T> {
  /** Whether one object or several, one per line: `One object.`, `A line for each session.` */
  readonly is: string
  readonly schema: Schema<T>
}

/** Describes the output of a command: how many objects, and the schema of each. */
export const output = <T>(is: string, schema: Schema<T>): CommandOutput<T> => ({ is, schema })

/** The result of a command. */
export interface Answer<T> {
  /** For programs: an object, or several. */
  readonly data: T | Iterable<T> | AsyncIterable<T>
  /** For people: lines, or a function that prints them itself. */
  readonly render?: () => Iterable<Line> | AsyncIterable<Line> | Promise<void>
  /** Lines for people on standard error, below the others. */
  readonly notes?: Iterable<Line | string>
  /** The command that reverts it; not shown in a dry run, which changed nothing. */
  readonly back?: string | undefined
}

/** Prints while a command still works. */
export interface Out<T> {
  /** Prints an object as a line of JSON. */
  readonly data: (value: T, zero?: boolean) => Promise<void> | undefined
  /** Prints a line for scripts; with `--json` the object; with `zero` a NUL ends it. */
  readonly record: (line: string, value: T, zero?: boolean) => Promise<void> | undefined
}

/** The command line that a command belongs to. */
export interface CommandTable {
  readonly commands: readonly ListedCommand[]
  /** Returns the help on a command, or on a command of it; on the whole program without a name. */
  readonly helpOn: (...names: readonly string[]) => Promise<string>
}

/**
 * The effect of a command: `read` changes nothing; `write` can be undone, and takes `-n`; `destructive` cannot be undone,
 * takes `--yes` too, asks on a terminal, and is refused where there is none.
 */
export type CommandEffect = 'read' | 'write' | 'destructive'

/** The entry of a command in the list of commands. */
interface CommandTitle {
  readonly name: string
  /** In one line, to follow its name. */
  readonly summary: string
}

export interface Manual {
  /** More of it, below its options. */
  readonly help?: string | (() => string)
  /** Lines to type, each with what it does. */
  readonly examples: readonly (readonly [line: string, does: string])[]
}

interface Behaviour {
  readonly effect: CommandEffect
  /** Whether it runs without `--yes` where there is no terminal to ask on, although it is destructive. */
  readonly unattended?: boolean
  /** Whether it prints more than a screen holds, and so goes through the pager. */
  readonly paged?: boolean
  /** Whether it reports what it kept when a signal stops it. */
  readonly reportsStop?: boolean
  /** Whether it runs until it is stopped: that is no error then, and there is no dry run of it. */
  readonly endless?: boolean
}

/** Returns the error for a command line that a command does not take. */
export const misuse = (command: string, message: string): SessError =>
  new SessError('bad-usage', message, { hint: `type 'sess help ${command}' to see how it is used` })

/** Runs a command, and adds a hint at its help to the error of a wrong call that has none. */
export async function withUsageHint<T>(command: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (!hasCode(error, 'bad-usage') || error.hint !== '') throw error
    throw error.with({ hint: misuse(command, '').hint })
  }
}

/** Returns the options that a command has by its effect. */
export const effectOptions = ({ effect, endless = false, unattended = false }: Behaviour): Options => ({
  ...(effect !== 'read' &&
    !endless && { dryRun: flag('show what would change; write nothing', { short: 'n' }) }),
  ...(effect === 'destructive' && {
    yes: flag(unattended ? 'do not ask on a terminal' : 'do not ask; needed where there is no terminal'),
  }),
})

interface Declaration<A, O, T> extends Manual, Behaviour {
  readonly arguments?: A
  readonly options?: O
  readonly output: CommandOutput<T>
  readonly run: (
    call: Invocation,
    input: InputOf<A> & InputOf<O>,
    out: Out<NoInfer<T>>,
    program: CommandTable,
  ) => Promise<Answer<NoInfer<T>> | void> | Answer<NoInfer<T>>
}

/** The declaration that a module exports: a command, or a family of commands. */
export interface CommandBody extends Manual, Behaviour {
  readonly arguments: Arguments
  readonly options: Options
  readonly output: CommandOutput<unknown>
  readonly commands: readonly Command[]
  readonly run?: (
    call: Invocation,
    input: object,
    out: Out<unknown>,
    program: CommandTable,
  ) => Promise<Answer<unknown> | undefined> | Answer<unknown>
}

export interface Command extends CommandTitle, CommandBody {}

/**
 * Declares a command, which has its name in the table of `commands/index.ts`. Its registration, help, page in
 * docs/cli.md, the JSON Schema of its output, completion and suggestions are derived from this.
 */
export const defineCommand = <A extends Arguments = Nothing, O extends Options = Nothing, T = never>(
  declared: Declaration<A, O, T>,
): CommandBody =>
  // The input is parsed by the same declarations that its type is derived from.
  ({ arguments: {}, options: {}, commands: [], ...declared }) as unknown as CommandBody

/** Declares a family of commands, such as `op`: called alone, it is an error. */
export const defineFamily = (declared: Manual & { readonly commands: readonly Command[] }): CommandBody => ({
  ...declared,
  effect: 'read',
  arguments: {},
  options: {},
  output: output(
    declared.commands.map((one) => `With ${one.name}: ${one.output.is}`).join(' '),
    anyOf(...declared.commands.map((one) => one.output.schema)),
  ),
})

/** A command of which only this is known before its module is loaded. */
export interface ListedCommand extends CommandTitle {
  readonly group: CommandGroup
  readonly load: () => Promise<Command>
}

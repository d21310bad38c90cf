import * as commander from 'commander'
import { reflow } from '../text/wrap.ts'
import { type Command, type CommandTable, effectOptions, GROUPS, type ListedCommand } from './define.ts'
import type { Invocation } from './invocation.ts'
import { configure } from './loadconfig.ts'
import {
  type Argument,
  flagOf,
  GLOBAL_OPTIONS,
  type GlobalOptions,
  type Option,
  type Value,
} from './parameters.ts'
import { runCommand } from './runner.ts'
import { topicList } from './topics.ts'
import { version } from './version.ts'

/** The mistakes in a command line that the parser finds. */
export type MistakeKind =
  | 'no-command'
  | 'unknown-command'
  | 'unknown-option'
  | 'missing-argument'
  | 'missing-option'
  | 'missing-value'
  | 'too-many'
  | 'invalid'

/** Thrown where a command line is invalid. */
export class Mistake extends Error {
  override readonly name = 'Mistake'
  readonly kind: MistakeKind
  readonly command: CommandLine
  /** The word that is wrong, or the argument or option that is missing. */
  readonly subject: string
  readonly option: commander.Option | undefined
  /** A word that is not a value of the expected kind. */
  readonly wrong: { readonly typed: string; readonly value: Value<unknown> } | undefined

  constructor(
    kind: MistakeKind,
    command: CommandLine,
    subject: string,
    { option, wrong }: Partial<Pick<Mistake, 'option' | 'wrong'>> = {},
  ) {
    super(`${kind}: ${subject}`)
    this.kind = kind
    this.command = command
    this.subject = subject
    this.option = option
    this.wrong = wrong
  }
}

/** The parser of a command line, with the methods by which commander reports what is wrong. */
export class CommandLine extends commander.Command {
  override createCommand(name?: string): CommandLine {
    return new CommandLine(name)
  }

  /** Its name after that of the command that it belongs to: `op restore`; '' for the whole program. */
  get path(): string {
    const { parent } = this
    return parent instanceof CommandLine ? `${parent.path} ${this.name()}`.trim() : ''
  }

  unknownCommand(): never {
    throw new Mistake('unknown-command', this, this.args[0] ?? '')
  }

  unknownOption(typed: string): never {
    throw new Mistake('unknown-option', this, typed)
  }

  missingArgument(name: string): never {
    throw new Mistake('missing-argument', this, name)
  }

  missingMandatoryOptionValue(option: commander.Option): never {
    throw new Mistake('missing-option', this, option.flags, { option })
  }

  optionMissingArgument(option: commander.Option): never {
    throw new Mistake('missing-value', this, option.flags, { option })
  }

  _excessArguments(typed: readonly string[]): never {
    throw new Mistake('too-many', this, `${typed.length}`)
  }

  override help(): never {
    throw new Mistake('no-command', this, '')
  }
}

/**
 * Returns the parser of the whole command line. Only the name and the summary of each command are known: its arguments
 * and options are in its module, which is loaded on use.
 */
export function buildProgram(call: Invocation, commands: readonly ListedCommand[]): CommandLine {
  const program = new CommandLine('sess')
  const isAsked = call.argv.includes('-V') || call.argv.includes('--version')
  program
    .usage('[options] COMMAND')
    .description('git for agent conversations')
    .helpOption('-h, --help', 'show help')
    .helpCommand(false)
    .exitOverride()
    .configureHelp({ subcommandTerm: (command) => command.name(), minWidthToWrap: 20 })
    .configureOutput({
      writeOut: (text) => void call.io.text(text.replace(/\n$/, '')),
      getOutHelpWidth: () => call.io.helpWidth,
      getOutHasColors: () => false,
    })
  addOptions(program, GLOBAL_OPTIONS, call)
  program.version(isAsked ? `sess ${version()}` : '', '-V, --version', 'print the version')
  const add = ({ name, summary }: ListedCommand): void => {
    program.command(name).description(summary)
  }
  const only = soleCommand(call, commands)
  if (only) add(only)
  else
    for (const [group, title] of Object.entries(GROUPS)) {
      program.commandsGroup(title)
      commands.filter((listed) => listed.group === group).forEach(add)
    }
  program.addHelpText('after', () => `\n${reflow(topicList(), call.io.helpWidth)}`)
  program.hook('preSubcommand', async (_, line) => {
    call.options = program.opts<GlobalOptions>()
    await configure(call, line.name())
    await load(line as CommandLine, call, commands)
  })
  return program
}

/** The command that speaks of all others. */
const HELP = 'help'

/** Returns the command that is called if no other is needed: declaring all of them takes milliseconds. */
function soleCommand({ argv }: Invocation, commands: readonly ListedCommand[]): ListedCommand | undefined {
  const valued = Object.entries(GLOBAL_OPTIONS).flatMap(([key, one]) => (one.value ? [flagOf(key, one)] : []))
  const word = argv.find((text, i) => !text.startsWith('-') && !valued.includes(argv[i - 1] ?? ''))
  return word === undefined || word === HELP ? undefined : commands.find(({ name }) => name === word)
}

/** Loads the module of a command and declares its arguments and options to the parser. */
async function load(line: CommandLine, call: Invocation, commands: readonly ListedCommand[]): Promise<void> {
  const command = await commands.find(({ name }) => name === line.name())?.load()
  const program: CommandTable = { commands, helpOn: (...names) => helpOn(call, commands, names) }
  if (command) declare(line, command, call, program)
}

function declare(line: CommandLine, command: Command, call: Invocation, program: CommandTable): void {
  const { name, run, commands, help } = command
  for (const one of Object.entries(command.arguments)) line.addArgument(argumentFor(line, one, call))
  addOptions(line, { ...command.options, ...effectOptions(command) }, call)
  const text = typeof help === 'function' ? help() : help
  if (text !== undefined) line.addHelpText('after', () => `\n${reflow(text, call.io.helpWidth)}`)
  line.addHelpText('after', () => `\n${reflow(exampleText(command), call.io.helpWidth)}`)
  if (run) line.action(() => runCommand(call, command, line, program))
  if (commands.length === 0) return
  line.helpCommand(false).usage('COMMAND')
  line.configureHelp({ subcommandTerm: (sub) => `${sub.name()} ${sub.usage()}`, minWidthToWrap: 20 })
  for (const sub of commands) declare(line.command(sub.name).description(sub.summary), sub, call, program)
  line.name(name)
}

function argumentFor(
  line: CommandLine,
  [name, { value, about, required, list, current }]: [string, Argument],
  call: Invocation,
): commander.Argument {
  const dots = list ? '...' : ''
  const term = required ? `<${name}${dots}>` : `[${name}${dots}]`
  const argument = new commander.Argument(term, current ? `${about} (@)` : about)
  if (value?.choices) argument.choices([...value.choices])
  return argument.argParser((typed: string, before: unknown) => {
    const read = value?.read(typed, call.where)
    if (value && read === undefined)
      throw new Mistake('invalid', line, `<${name}>`, { wrong: { typed, value } })
    return list ? [...((before as unknown[] | undefined) ?? []), read] : read
  })
}

function addOptions(line: CommandLine, options: Readonly<Record<string, Option>>, call: Invocation): void {
  for (const one of Object.entries(options)) line.addOption(optionFor(line, one, call))
}

function optionFor(line: CommandLine, [key, declared]: [string, Option], call: Invocation): commander.Option {
  const { about, short, value, list, bare, default: usual, required = false } = declared
  const flags = [...(short ? [`-${short}`] : []), flagOf(key, declared)].join(', ')
  const term = !value ? '' : bare ? ` [${value.name}]` : ` <${value.name}>`
  const made = new commander.Option(flags + term, about).makeOptionMandatory(required)
  if (usual !== undefined) made.default(usual)
  if (value?.choices) made.choices([...value.choices])
  if (value)
    made.argParser((typed: string, before: unknown) => {
      const read = value.read(typed, call.where)
      if (read === undefined)
        throw new Mistake('invalid', line, `'${flagOf(key, declared)}'`, { wrong: { typed, value } })
      return list ? [...((before as unknown[] | undefined) ?? []), read] : read
    })
  return made
}

/** The description of a longer line is printed below it. */
const BESIDE = 64

function exampleText({ examples }: Command): string {
  const width = Math.max(...examples.map(([typed]) => typed.length))
  const shown = examples.map(([typed, does]) =>
    width > BESIDE ? `  ${typed}\n      ${does}` : `  ${typed.padEnd(width)}  ${does}`,
  )
  return `Examples:\n${shown.join('\n')}`
}

async function helpOn(
  call: Invocation,
  commands: readonly ListedCommand[],
  names: readonly string[],
): Promise<string> {
  let line = buildProgram(call, commands)
  for (const [depth, name] of names.entries()) {
    line = (line.commands.find((one) => one.name() === name) ?? line) as CommandLine
    if (depth === 0) await load(line, call, commands)
  }
  let text = ''
  line.configureOutput({ writeOut: (more) => void (text += more) }).outputHelp()
  return text.replace(/\n$/, '')
}

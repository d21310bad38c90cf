import type { Argument, Command, CommanderError, Option } from 'commander'
import { SessError } from '../model/errors.ts'
import { meantBy } from './foreign.ts'
import { guessing } from './guessing.ts'

/** Returns an error of commander in our words, with what to type instead; null if it only printed help. */
export function usageError(
  { code, exitCode, message }: CommanderError,
  argv: readonly string[],
  program: Command,
): SessError | null {
  if (exitCode === 0) return null
  const [first = '', guess] = message.replace(/^error: /, '').split('\n')
  const near = /^\(Did you mean (?:one of )?(.*)\?\)$/.exec(guess ?? '')?.[1]?.split(', ') ?? []
  const choices = /Allowed choices are (.*?)\.?$/.exec(first)?.[1]?.split(', ') ?? []
  const refused = { said: first.replace(/\.$/, ''), near, command: commandIn(argv, program), argv }
  const { says, hint } = (REFUSED[code] ?? otherwise)(refused)
  return new SessError('bad-usage', says, { choices, hint })
}

interface Refused {
  /** The message of commander. */
  readonly said: string
  /** The names that it takes for meant. */
  readonly near: readonly string[]
  /** The command that was called, or the whole command line where none was. */
  readonly command: Command
  readonly argv: readonly string[]
}

interface Told {
  readonly says: string
  readonly hint: string
}

const otherwise = ({ said, near, command }: Refused): Told => ({
  says: said,
  hint: guessing(near) + helpOn(command),
})

const missing = ({ said, command }: Refused): Told => ({
  says: said,
  hint: `type '${usageOf(command)}', or 'sess help ${nameOf(command)}' to see how it is used`,
})

/** Arguments that can be a title, whose words may have been typed without quotes. */
const SPACED: ReadonlySet<string> = new Set(['session', 'revision', 'title', 'value', 'branch'])

const REFUSED: { readonly [code: string]: (refused: Refused) => Told } = {
  'commander.help': ({ command }) => ({ says: 'no command was given', hint: withCommands(command) }),
  'commander.unknownCommand': ({ said, near, command }) => {
    const names = command.commands.map((other) => other.name())
    const known = meantBy(/^unknown command '(.*)'/.exec(said)?.[1] ?? '', names)
    return { says: said, hint: guessing(known.length > 0 ? known : near) + withCommands(command) }
  },
  'commander.unknownOption': ({ said, near, command }) => {
    const flag = /^unknown option '(.*)'/.exec(said)?.[1] ?? ''
    const meant = near.length > 0 ? near : longFor(flag, command)
    const rest = isWhole(command) || meant.length > 0 ? helpOn(command) : withOptions(command)
    return { says: said, hint: guessing(meant) + rest }
  },
  'commander.optionMissingArgument': ({ said, command, argv }) => {
    const flags = /^option '(.*)' argument missing/.exec(said)?.[1] ?? ''
    const option = optionsOf(command).find((one) => one.flags === flags)
    const typed = argv.findLast((word) => word === option?.short || word === option?.long)
    const value = flags.slice(flags.lastIndexOf('<'))
    return {
      says: `option '${typed ?? flags}' needs its ${value}`,
      hint: `'${typed ?? option?.long} ${value}': ${option?.description}; ${helpOn(command)}`,
    }
  },
  'commander.missingArgument': missing,
  'commander.missingMandatoryOptionValue': missing,
  'commander.excessArguments': (refused) => {
    const { says, hint } = missing(refused)
    const last = refused.command.registeredArguments.at(-1)?.name() ?? ''
    return {
      says,
      hint: !SPACED.has(last) ? hint : hint.replace("',", "', a name of several words in quotes,"),
    }
  },
  'commander.invalidArgument': (refused) => {
    const { says, hint } = otherwise(refused)
    const wrong = /^command-argument value '(.*)' is invalid for argument '(.*?)'/
    return { says: says.replace(wrong, "argument '$1' is invalid for <$2>"), hint }
  },
}

/** Returns the command that arguments call, or the subcommand; the program if they call none. */
function commandIn(argv: readonly string[], program: Command): Command {
  let called = program
  for (const word of argv) called = called.commands.find((command) => command.name() === word) ?? called
  return called
}

const isWhole = ({ parent }: Command): boolean => parent === null

/** Returns the words of a command, for calling it and for its help. */
const nameOf = (command: Command): string =>
  command.parent?.parent ? `${nameOf(command.parent)} ${command.name()}` : command.name()

const helpOn = (command: Command): string =>
  isWhole(command)
    ? "type 'sess help' to see the commands"
    : `type 'sess help ${nameOf(command)}' to see how it is used`

function withCommands(command: Command): string {
  if (isWhole(command)) return helpOn(command)
  const names = command.commands.map((other) => `'sess ${nameOf(other)}'`)
  return `there are ${names.join(', ')}: ${helpOn(command)}`
}

function withOptions(command: Command): string {
  const names = command.options.flatMap(({ long }) => (long ? [long] : []))
  const own = names.length === 0 ? 'it has no options of its own' : `its options are ${names.join(', ')}`
  return `${own}: ${helpOn(command)}`
}

/** Returns the options that an unknown letter may have meant. */
const longFor = (flag: string, { options }: Command): string[] =>
  /^-[a-z]$/.test(flag) ? options.flatMap(({ flags, long }) => (long?.[2] === flag[1] ? [flags] : [])) : []

const optionsOf = (command: Command): readonly Option[] => [
  ...command.options,
  ...(command.parent ? optionsOf(command.parent) : []),
]

/** Returns the usage of a command, with its required arguments. */
const usageOf = (command: Command): string =>
  [
    'sess',
    nameOf(command),
    ...command.registeredArguments.map(argumentAs),
    ...command.options.flatMap(({ mandatory, flags }) => (mandatory ? [flags] : [])),
  ].join(' ')

function argumentAs(argument: Argument): string {
  const name = `${argument.name().toUpperCase()}${argument.variadic ? '...' : ''}`
  return argument.required ? name : `[${name}]`
}

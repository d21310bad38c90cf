import { SessError } from '../../model/errors.ts'
import { counted } from '../../text/text.ts'
import type { CommandLine, Mistake } from '../program.ts'
import { didYouMean, meantBy, nearest } from './suggest.ts'

/** Returns in words what is wrong with a command line, with what to type instead. */
export function usageError(mistake: Mistake, argv: readonly string[]): SessError {
  const { message, hint } = worded({ ...mistake, command: calledIn(argv, mistake.command) }, argv)
  return new SessError('bad-usage', message, { hint })
}

/** Returns the command that arguments call, where the mistake was found before the command was parsed. */
function calledIn(argv: readonly string[], command: CommandLine): CommandLine {
  let called = command
  for (const word of argv)
    called = (called.commands.find((one) => one.name() === word) ?? called) as CommandLine
  return called
}

function worded(
  { kind, command, subject, option, wrong }: Omit<Mistake, keyof Error>,
  argv: readonly string[],
): { readonly message: string; readonly hint: string } {
  switch (kind) {
    case 'no-command':
      return { message: 'no command was given', hint: withCommands(command) }
    case 'unknown-command': {
      const names = command.commands.map((other) => other.name())
      const known = meantBy(subject, names)
      const near = known.length > 0 ? known : nearest(subject, names)
      return { message: `unknown command '${subject}'`, hint: didYouMean(near) + withCommands(command) }
    }
    case 'unknown-option': {
      const [takes] = command.registeredArguments
      if (subject === '--session' && NAMING_SESSION.has(takes?.name() ?? ''))
        return {
          message: `unknown option '${subject}'`,
          hint: `name the session without it: 'sess ${command.path} SESSION'`,
        }
      const near = subject.startsWith('--')
        ? nearest(subject, longOptions(command))
        : longFor(subject, command)
      const rest = command.path === '' || near.length > 0 ? helpOn(command) : withOptions(command)
      return { message: `unknown option '${subject}'`, hint: didYouMean(near) + rest }
    }
    case 'missing-argument':
      return { message: `'${command.path}' needs a <${subject}>`, hint: howToCall(command) }
    case 'missing-option':
      return { message: `'${command.path}' needs the option '${subject}'`, hint: howToCall(command) }
    case 'missing-value': {
      const typed = argv.findLast((word) => word === option?.short || word === option?.long) ?? option?.long
      const value = subject.slice(subject.lastIndexOf('<'))
      return {
        message: `option '${typed}' needs its ${value}`,
        hint: `'${typed} ${value}': ${option?.description}; ${helpOn(command)}`,
      }
    }
    case 'too-many': {
      const takes = command.registeredArguments
      const hint = howToCall(command)
      return {
        message: `'${command.path}' takes ${takes.length === 0 ? 'no arguments' : counted(takes.length, 'argument')}, not ${subject}`,
        hint: SPACED.has(takes.at(-1)?.name() ?? '')
          ? hint.replace("',", "', a name of several words in quotes,")
          : hint,
      }
    }
    case 'invalid': {
      const { typed = '', value } = wrong ?? {}
      const near = nearest(typed, value?.choices ?? [])
      return {
        message: `${subject} takes ${value?.takes}, not '${typed}'`,
        hint: didYouMean(near) + (value?.hint ?? helpOn(command)),
      }
    }
  }
}

/** Arguments that can name a session. */
const NAMING_SESSION: ReadonlySet<string> = new Set(['session', 'revision', 'a'])

/** Arguments that can be a title, whose words may have been typed without quotes. */
const SPACED: ReadonlySet<string> = new Set(['session', 'revision', 'title', 'value', 'branch'])

const helpOn = ({ path }: CommandLine): string =>
  path === '' ? "type 'sess help' to see the commands" : `type 'sess help ${path}' to see how it is used`

function withCommands(command: CommandLine): string {
  if (command.path === '') return helpOn(command)
  const names = command.commands.map((other) => `'sess ${command.path} ${other.name()}'`)
  return `there are ${names.join(', ')}: ${helpOn(command)}`
}

function withOptions(command: CommandLine): string {
  const names = command.options.flatMap(({ long }) => (long ? [long] : []))
  const own = names.length === 0 ? 'it has no options of its own' : `its options are ${names.join(', ')}`
  return `${own}: ${helpOn(command)}`
}

/** Returns the options that an unknown letter may have meant. */
const longFor = (flag: string, { options }: CommandLine): string[] =>
  /^-[a-z]$/.test(flag) ? options.flatMap(({ flags, long }) => (long?.[2] === flag[1] ? [flags] : [])) : []

function longOptions(command: CommandLine): string[] {
  const { options, parent } = command as CommandLine & { readonly parent: CommandLine | null }
  const own = options.flatMap(({ long }) => (long ? [long] : []))
  return parent ? [...own, ...longOptions(parent)] : own
}

/** Returns how a command is called, with its required options. */
function howToCall(command: CommandLine): string {
  const words = [
    'sess',
    command.path,
    ...command.registeredArguments.map((argument) => {
      const name = `${argument.name().toUpperCase()}${argument.variadic ? '...' : ''}`
      return argument.required ? name : `[${name}]`
    }),
    ...command.options.flatMap(({ mandatory, flags }) => (mandatory ? [flags] : [])),
  ]
  return `type '${words.join(' ')}', or 'sess help ${command.path}' to see how it is used`
}

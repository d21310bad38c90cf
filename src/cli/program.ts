import { Command } from 'commander'
import type { Act, Call, GlobalOptions } from './call.ts'
import { GROUPS, type Listed } from './commandlist.ts'
import { configure } from './configure.ts'
import { filled, seconds } from './options.ts'
import { splitWords } from './splitwords.ts'
import { topicList } from './topics.ts'
import { READERS, REPORTERS, WRITERS } from './verbs.ts'
import { version } from './version.ts'

const LISTED: ReadonlyMap<string, Listed> = new Map(
  GROUPS.flatMap(({ commands }) => commands.map((listed) => [listed.name, listed])),
)

/** The width of help, also in documents. */
const HELP_WIDTH = 100

/**
 * Returns the whole command line. Only the name and the summary of each command are known: its options are in its
 * module, which is loaded on use.
 */
export function buildProgram(call: Call): Command {
  const program = new Command('sess')
  program
    .usage('[options] COMMAND')
    .description('git for agent conversations')
    .option('--store <dir>', 'the folder of the store', filled)
    .option('--json', 'print JSON: one object, or one per line for lists')
    .option('--lock-timeout <seconds>', 'how long to wait for a store that is in use (5)', seconds)
    .option('--at-op <op>', 'read the store as of an operation or a time')
    .option('--no-color', 'do not use colours')
    .option('--no-pager', 'do not use a pager')
    .helpOption('-h, --help', 'show help')
    .helpCommand(false)
    .exitOverride()
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .configureOutput({
      writeOut: (text) => void call.io.text(text.replace(/\n$/, '')),
      // The error is thrown, too, and reported once.
      writeErr: () => undefined,
      outputError: () => undefined,
      getOutHelpWidth: () => HELP_WIDTH,
      getErrHelpWidth: () => HELP_WIDTH,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
  const asked = call.argv.includes('-V') || call.argv.includes('--version')
  program.version(asked ? `sess ${version()}` : '', '-V, --version', 'print the version')
  const add = ({ name, does }: Listed): void => {
    program.command(name).description(does)
  }
  const only = soleCommand(call.argv)
  if (only) add(only)
  else
    for (const { title, commands } of GROUPS) {
      program.commandsGroup(title)
      commands.forEach(add)
    }
  program.addHelpText('after', `\n${topicList()}`)
  program.hook('preSubcommand', async (_, command) => {
    call.options = program.opts<GlobalOptions>()
    await configure(call, command.name())
    await defineCommand(command, call)
  })
  return program
}

/** The global options whose value may be a word of its own. */
const VALUED: ReadonlySet<string> = new Set(['--store', '--lock-timeout', '--at-op'])

/** Commands that speak of all others. */
const SPEAKERS: ReadonlySet<string> = new Set(['help', 'completion'])

/** Returns the command that is called if no other is needed: declaring all of them takes milliseconds. */
function soleCommand(argv: readonly string[]): Listed | undefined {
  const word = argv.find((text, i) => !text.startsWith('-') && !VALUED.has(argv[i - 1] ?? ''))
  return word === undefined || SPEAKERS.has(word) ? undefined : LISTED.get(word)
}

/** Loads the module of a command and declares its arguments and options. */
async function defineCommand(command: Command, call: Call): Promise<void> {
  const listed = LISTED.get(command.name())
  if (!listed) return
  const { define } = await listed.load()
  const act: Act =
    (run) =>
    async (...args) => {
      const own = args.find((arg) => arg instanceof Command) ?? command
      prepare(call, own)
      const release = REPORTERS.has(nameOf(own)) ? call.handleSignals() : undefined
      try {
        await run(call, ...args)
      } finally {
        release?.()
      }
      if (call.dryRun) await call.io.note('dry run: nothing was written')
    }
  define(command, act, (other) => defineCommand(other, call))
  for (const own of [command, ...command.commands])
    if (WRITERS.has(nameOf(own))) own.option('-n, --dry-run', 'show what would change; write nothing')
}

/** Prepares a call for its command: whether it is a dry run, and whether its output may go through a pager. */
function prepare(call: Call, command: Command): void {
  const { io, world, options, config } = call
  call.dryRun = command.opts<{ dryRun?: boolean }>().dryRun ?? false
  const plain = io.json || !options.pager || world.variables.TERM === 'dumb' || !world.stdout.isTTY
  const pager = config.value('pager')
  if (!plain && pager !== 'off' && READERS.has(nameOf(command)))
    io.page(splitWords(pager) ?? [pager], () => call.handleSignals())
}

/** Returns the name of a command; that of a subcommand follows its command: `op restore`. */
const nameOf = (command: Command): string =>
  command.parent?.parent ? `${command.parent.name()} ${command.name()}` : command.name()

import { Command } from 'commander'
import type { Act, Call, Define, GlobalOptions } from './call.ts'
import { configure } from './configure.ts'
import { seconds } from './options.ts'
import { splitWords } from './splitwords.ts'
import { topicList } from './topics.ts'
import { READERS, WRITERS } from './verbs.ts'
import { version } from './version.ts'

interface Listed {
  readonly name: string
  readonly does: string
  readonly load: () => Promise<{ readonly define: Define }>
}

interface Group {
  readonly title: string
  readonly commands: readonly Listed[]
}

/** All commands, as help lists them: what a newcomer needs first comes first. */
const GROUPS: readonly Group[] = [
  {
    title: 'Start:',
    commands: [
      { name: 'init', does: 'make a store in this folder', load: () => import('./commands/init.ts') },
      {
        name: 'import',
        does: 'take session files of agents into the store',
        load: () => import('./commands/import.ts'),
      },
      {
        name: 'export',
        does: "give a session's file back, byte for byte",
        load: () => import('./commands/export.ts'),
      },
    ],
  },
  {
    title: 'Look:',
    commands: [
      { name: 'ls', does: 'list the sessions', load: () => import('./commands/ls.ts') },
      { name: 'log', does: 'show what was said, newest first', load: () => import('./commands/log.ts') },
      { name: 'tree', does: 'draw sessions as trees', load: () => import('./commands/tree.ts') },
      { name: 'show', does: 'show entries in full', load: () => import('./commands/show.ts') },
      {
        name: 'diff',
        does: 'show where two branches part and what each side said',
        load: () => import('./commands/diff.ts'),
      },
      {
        name: 'compare',
        does: 'show what branches took: tokens, cost, time, tools, errors',
        load: () => import('./commands/compare.ts'),
      },
      { name: 'context', does: 'show what the model sees', load: () => import('./commands/context.ts') },
      {
        name: 'handoff',
        does: 'tell a new session what to go on with',
        load: () => import('./commands/handoff.ts'),
      },
    ],
  },
  {
    title: 'Find:',
    commands: [{ name: 'search', does: 'find what was said', load: () => import('./commands/search.ts') }],
  },
  {
    title: 'Change:',
    commands: [
      {
        name: 'append',
        does: 'add entries to a session from standard input',
        load: () => import('./commands/append.ts'),
      },
      {
        name: 'compact',
        does: 'let a summary stand for the beginning of a path',
        load: () => import('./commands/compact.ts'),
      },
      {
        name: 'fork',
        does: 'begin a session that shares the path of an entry',
        load: () => import('./commands/fork.ts'),
      },
      {
        name: 'branch',
        does: 'list, make, remove or rename the branches of a session',
        load: () => import('./commands/branch.ts'),
      },
      {
        name: 'switch',
        does: 'make a session stand on another branch or entry',
        load: () => import('./commands/switch.ts'),
      },
      {
        name: 'navigate',
        does: 'go to any entry, before it where that is a message to edit',
        load: () => import('./commands/navigate.ts'),
      },
      {
        name: 'pop',
        does: 'go back on the path, leaving a summary of what was said',
        load: () => import('./commands/pop.ts'),
      },
      {
        name: 'label',
        does: 'name an entry, or list the entries that have names',
        load: () => import('./commands/label.ts'),
      },
      {
        name: 'rename',
        does: 'give a session another title',
        load: () => import('./commands/rename.ts'),
      },
      {
        name: 'set',
        does: 'note something on a session, as key and value',
        load: () => import('./commands/set.ts'),
      },
      {
        name: 'rm',
        does: 'remove sessions from the list',
        load: () => import('./commands/rm.ts'),
      },
    ],
  },
  {
    title: 'Bring back:',
    commands: [
      {
        name: 'cherry-pick',
        does: 'say entries of elsewhere again at the end of a branch',
        load: () => import('./commands/cherry-pick.ts'),
      },
      {
        name: 'rebase',
        does: 'let a branch continue another entry',
        load: () => import('./commands/rebase.ts'),
      },
    ],
  },
  {
    title: 'Undo:',
    commands: [
      {
        name: 'undo',
        does: 'take the last command back, or another one',
        load: () => import('./commands/undo.ts'),
      },
      { name: 'redo', does: 'do again what was undone', load: () => import('./commands/redo.ts') },
      {
        name: 'op',
        does: 'list and show operations, go back to one',
        load: () => import('./commands/op.ts'),
      },
      {
        name: 'reflog',
        does: 'show where a branch, label or HEAD was before',
        load: () => import('./commands/reflog.ts'),
      },
    ],
  },
  {
    title: 'The store:',
    commands: [
      { name: 'stats', does: 'count what the store holds', load: () => import('./commands/stats.ts') },
      { name: 'fsck', does: 'check all of the store', load: () => import('./commands/fsck.ts') },
      { name: 'config', does: 'show and change settings', load: () => import('./commands/config.ts') },
    ],
  },
  {
    title: 'For scripts:',
    commands: [
      {
        name: 'rev-parse',
        does: 'give the oids of revisions',
        load: () => import('./commands/rev-parse.ts'),
      },
      {
        name: 'rev-list',
        does: 'give the oids that revisions reach',
        load: () => import('./commands/rev-list.ts'),
      },
      {
        name: 'merge-base',
        does: 'give the best common ancestor of two revisions',
        load: () => import('./commands/merge-base.ts'),
      },
      {
        name: 'hash-object',
        does: 'give the oids of entries, or store them',
        load: () => import('./commands/hash-object.ts'),
      },
      { name: 'cat-file', does: 'give entries as JSON', load: () => import('./commands/cat-file.ts') },
      { name: 'for-each-ref', does: 'list refs', load: () => import('./commands/for-each-ref.ts') },
      {
        name: 'update-ref',
        does: 'move refs, all together or none',
        load: () => import('./commands/update-ref.ts'),
      },
      {
        name: 'ls-objects',
        does: 'list every entry, reachable or not',
        load: () => import('./commands/ls-objects.ts'),
      },
    ],
  },
  {
    title: 'Help:',
    commands: [
      { name: 'help', does: 'show help on a command or a topic', load: () => import('./commands/help.ts') },
      {
        name: 'completion',
        does: 'print what completes sess in a shell',
        load: () => import('./commands/completion.ts'),
      },
    ],
  },
]

const LISTED: ReadonlyMap<string, Listed> = new Map(
  GROUPS.flatMap(({ commands }) => commands.map((listed) => [listed.name, listed])),
)

/** The width of help, also in documents. */
const HELP_WIDTH = 100

/**
 * Gives the whole command line. Of each command only the name and what it does: its options come with its
 * module, which is loaded when it is asked for.
 */
export function buildProgram(call: Call): Command {
  const program = new Command('sess')
  program
    .usage('[options] COMMAND')
    .description('git for agent conversations')
    .option('--store <dir>', 'the folder of the store')
    .option('--json', 'print JSON: one object, or one per line for lists')
    .option('--lock-timeout <seconds>', 'how long to wait while another process has the store (5)', seconds)
    .option('--at-op <op>', 'read the store as it was right after an operation, or at a time')
    .option('--no-color', 'print without colours')
    .option('--no-pager', 'print what is longer than the screen at once')
    .helpOption('-h, --help', 'show help')
    .helpCommand(false)
    .exitOverride()
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .configureOutput({
      writeOut: (text) => void call.io.text(text.replace(/\n$/, '')),
      // What was wrong is thrown too, and said once.
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
      await run(call, ...args)
      if (call.dryRun) await call.io.note('dry run: nothing was written')
    }
  define(command, act, (other) => defineCommand(other, call))
  for (const own of [command, ...command.commands])
    if (WRITERS.has(nameOf(own)))
      own.option('-n, --dry-run', 'do it as if: say what would come of it, and write nothing')
}

/** Prepares a call for its command: whether it is a dry run, and whether its output may go through a pager. */
function prepare(call: Call, command: Command): void {
  const { io, world, options, config } = call
  call.dryRun = command.opts<{ dryRun?: boolean }>().dryRun ?? false
  const plain = io.json || !options.pager || world.variables.TERM === 'dumb' || !world.stdout.isTTY
  const pager = config.value('pager')
  if (!plain && pager !== 'off' && READERS.has(nameOf(command))) io.page(splitWords(pager) ?? [pager])
}

/** Gives the name of a command behind that of the command that it is part of: `op restore`. */
const nameOf = (command: Command): string =>
  command.parent?.parent ? `${command.parent.name()} ${command.name()}` : command.name()

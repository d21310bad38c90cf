import { expect, it } from 'vitest'
import { COMMANDS } from '../../src/cli/commands/index.ts'
import { type Command, defineCommand, type ListedCommand, output } from '../../src/cli/define.ts'
import { main } from '../../src/cli/main.ts'
import { choice, flag, flagOf, option, required, session, text } from '../../src/cli/parameters.ts'
import { arrayOf, object, string, type ValueOf } from '../../src/verbs/schema.ts'
import { violations } from '../support/schema.ts'
import { Shell } from '../support/shell.ts'

const wavesSchema = object({ session: string, waves: arrayOf(string) })

/** A whole new command. */
const waves = defineCommand({
  effect: 'write',
  arguments: { session: required(session(), 'its id') },
  options: {
    kind: option(choice(['spring', 'neap'], 'kind'), 'which waves', { short: 'k' }),
    tideGauge: option(text('name'), 'the gauge', { needs: 'kind' }),
    loud: flag('show their names', { excludes: ['kind'] }),
  },
  examples: [['sess waves 3b1f', 'all of them']],
  output: output('One object.', wavesSchema),
  run: (call, { session: id, kind = 'all', loud }) => {
    // The type of the output is that of the schema.
    const data: ValueOf<typeof wavesSchema> = { session: id, waves: [kind] }
    return { data, render: () => [[`${call.dryRun ? 'would show' : 'Showed'} ${loud}`]], back: 'sess undo' }
  },
})

const TITLE = { name: 'waves', summary: 'show the waves of a session' }

const ADDED: readonly ListedCommand[] = [
  ...COMMANDS,
  { ...TITLE, group: 'inspect', load: () => Promise.resolve({ ...TITLE, ...waves }) },
]

/** Runs a command line that knows the new command. */
async function typed(shell: Shell, ...argv: string[]): Promise<string> {
  const lines: string[] = []
  const stream = (before: string) => ({
    write: (chunk: string | Uint8Array, done: () => void) => {
      lines.push(String(chunk).replace(/^(?=.)/gm, before))
      done()
      return true
    },
  })
  await main(argv, shell.platform({}, stream(''), stream('! ')), ADDED)
  return lines.join('')
}

it('a declared command is known to help, completion, schemas and suggestions', async () => {
  const shell = new Shell({ samples: false })
  expect(await typed(shell, 'help')).toContain('  waves                     show the waves of a session\n')
  expect(await typed(shell, 'help', 'waves')).toMatchInlineSnapshot(`
    "Usage: sess waves [options] <session>

    show the waves of a session

    Arguments:
      session              its id

    Options:
      -k, --kind <kind>    which waves (choices: "spring", "neap")
      --tide-gauge <name>  the gauge
      --loud               show their names
      -n, --dry-run        show what would change; write nothing
      -h, --help           show help

    Examples:
      sess waves 3b1f  all of them
    "
  `)
  expect(await typed(shell, 'completion', 'words', '--', 'wav')).toBe('waves\tshow the waves of a session\n')
  expect(await typed(shell, 'completion', 'words', '--', 'waves', '--kind', 's')).toBe('spring\t\n')
  expect(await typed(shell, 'completion', 'words', '--', 'waves', '--ti')).toBe('--tide-gauge\tthe gauge\n')
  expect(await typed(shell, 'wvaes')).toContain("did you mean 'waves'?")
  const schema = JSON.parse(await typed(shell, 'help', 'json', 'waves')) as Parameters<typeof violations>[0]
  const printed = JSON.parse(
    (await typed(shell, 'waves', '3b1f', '-n', '--json')).split('\n')[0] ?? '',
  ) as object
  expect(printed).toEqual({ session: '3b1f', waves: ['all'], dryRun: true })
  expect(violations(schema, printed as never)).toEqual([])
})

it('what goes together is declared, and said', async () => {
  const shell = new Shell({ samples: false })
  const lines = [
    await typed(shell, 'waves', 'x', '-k', 'spring', '--loud'),
    await typed(shell, 'waves', 'x', '--tide-gauge', 'y'),
    await typed(shell, 'waves', 'x', '-k', 'sprng'),
    await typed(shell, 'waves'),
    await typed(shell, 'waves', 'x', '--loud'),
    await typed(shell, 'waves', 'x', '--loud', '-n'),
  ]
  expect(lines.join('')).toMatchInlineSnapshot(`
    "! sess: '--loud' and '--kind' exclude each other
    ! hint: type 'sess help waves' to see how it is used
    ! sess: '--tide-gauge' needs '--kind'
    ! hint: type 'sess help waves' to see how it is used
    ! sess: '--kind' takes spring or neap, not 'sprng'
    ! hint: did you mean 'spring'? type 'sess help waves' to see how it is used
    ! sess: 'waves' needs a <session>
    ! hint: type 'sess waves SESSION', or 'sess help waves' to see how it is used
    Showed true
    ! go back with: sess undo
    would show true
    ! dry run: nothing was written
    "
  `)
})

const all = async (): Promise<Command[]> => {
  const commands = await Promise.all(COMMANDS.map((listed) => listed.load()))
  return commands.flatMap((command) => [command, ...command.commands])
}

it('each declaration holds together', async () => {
  const global = ['json', 'store', 'help', 'dryRun', 'yes']
  for (const command of await all()) {
    const args = Object.entries(command.arguments)
    const options = Object.entries(command.options)
    const names = [...args.map(([name]) => name), ...options.map(([name]) => name)]
    expect([command.name, new Set(names).size]).toEqual([command.name, names.length])
    expect(names.filter((name) => global.includes(name))).toEqual([])
    expect(new Set(options.map(([key, one]) => flagOf(key, one))).size).toBe(options.length)
    for (const [, { needs = [], excludes = [] }] of options)
      expect(names).toEqual(expect.arrayContaining([needs, excludes].flat()))
    for (const [, { value, default: usual }] of options)
      if (value && usual !== undefined) expect(violations(value.schema, usual as never)).toEqual([])
    // Only the last argument may be repeated, and none that is needed follows one that may be left out.
    expect(args.slice(0, -1).some(([, { list }]) => list)).toBe(false)
    const needed = args.map(([, one]) => one.required)
    expect(needed).toEqual(needed.toSorted((a, b) => Number(b) - Number(a)))
  }
})

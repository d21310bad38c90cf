import { expect, it } from 'vitest'
import { Shell } from '../support/shell.ts'

const typed = async (lines: readonly string[]): Promise<string> => {
  const shell = new Shell()
  const said: string[] = []
  for (const line of lines) said.push(await shell.type(line))
  return said.join('')
}

it('says what an option needs that is given nothing', async () => {
  expect(
    await typed([
      'sess log -n',
      'sess ls --limit',
      'sess export 3b1f --out',
      'sess op log -n',
      'sess --store',
    ]),
  ).toMatchInlineSnapshot(`
    "$ sess log -n
    ! sess: option '-n' needs its <n>
    ! hint: '-n <n>': show at most N entries; type 'sess help log' to see how it is used
    exit 2
    $ sess ls --limit
    ! sess: option '--limit' needs its <n>
    ! hint: '--limit <n>': show at most N sessions; type 'sess help ls' to see how it is used
    exit 2
    $ sess export 3b1f --out
    ! sess: option '--out' needs its <path>
    ! hint: '--out <path>': write to a new file, or into a folder, instead of standard output; type 'sess help export' to see how it is used
    exit 2
    $ sess op log -n
    ! sess: option '-n' needs its <n>
    ! hint: '-n <n>': list at most N; type 'sess help op log' to see how it is used
    exit 2
    $ sess --store
    ! sess: option '--store' needs its <dir>
    ! hint: '--store <dir>': the folder of the store; type 'sess help' to see the commands
    exit 2
    "
  `)
})

it('says which options there are where one is unknown', async () => {
  expect(
    await typed([
      'sess scan -n',
      'sess resume -n 5',
      'sess export 3b1f -f',
      'sess stats -x',
      'sess op show -x',
    ]),
  ).toMatchInlineSnapshot(`
    "$ sess scan -n
    ! sess: unknown option '-n'
    ! hint: it has no options of its own: type 'sess help scan' to see how it is used
    exit 2
    $ sess resume -n 5
    ! sess: unknown option '-n'
    ! hint: its options are --pick, --all, --format, --run: type 'sess help resume' to see how it is used
    exit 2
    $ sess export 3b1f -f
    ! sess: unknown option '-f'
    ! hint: did you mean '--format <name>' or '--force'? type 'sess help export' to see how it is used
    exit 2
    $ sess stats -x
    ! sess: unknown option '-x'
    ! hint: it has no options of its own: type 'sess help stats' to see how it is used
    exit 2
    $ sess op show -x
    ! sess: unknown option '-x'
    ! hint: it has no options of its own: type 'sess help op show' to see how it is used
    exit 2
    "
  `)
})

it('says how a command is typed that lacks something, or is given too much', async () => {
  expect(
    await typed([
      'sess fork',
      'sess diff',
      'sess op show',
      'sess migrate x.jsonl',
      'sess log Slow forecast for Brest',
      'sess stats 3b1f',
    ]),
  ).toMatchInlineSnapshot(`
    "$ sess fork
    ! sess: missing required argument 'revision'
    ! hint: type 'sess fork REVISION', or 'sess help fork' to see how it is used
    exit 2
    $ sess diff
    ! sess: missing required argument 'a'
    ! hint: type 'sess diff A [B]', or 'sess help diff' to see how it is used
    exit 2
    $ sess op show
    ! sess: missing required argument 'operation'
    ! hint: type 'sess op show OPERATION', or 'sess help op show' to see how it is used
    exit 2
    $ sess migrate x.jsonl
    ! sess: required option '--to <version>' not specified
    ! hint: type 'sess migrate FILE --to <version>', or 'sess help migrate' to see how it is used
    exit 2
    $ sess log Slow forecast for Brest
    ! sess: too many arguments for 'log'. Expected 1 argument but got 4
    ! hint: type 'sess log [REVISION]', a name of several words in quotes, or 'sess help log' to see how it is used
    exit 2
    $ sess stats 3b1f
    ! sess: too many arguments for 'stats'. Expected 0 arguments but got 1
    ! hint: type 'sess stats', or 'sess help stats' to see how it is used
    exit 2
    "
  `)
})

it('guesses the commands of a command', async () => {
  expect(
    await typed(['sess op', 'sess op lgo', 'sess op undo', 'sess completion bsh']),
  ).toMatchInlineSnapshot(`
    "$ sess op
    ! sess: no command was given
    ! hint: there are 'sess op log', 'sess op show', 'sess op restore': type 'sess help op' to see how it is used
    exit 2
    $ sess op lgo
    ! sess: unknown command 'lgo'
    ! hint: did you mean 'log'? there are 'sess op log', 'sess op show', 'sess op restore': type 'sess help op' to see how it is used
    exit 2
    $ sess op undo
    ! sess: unknown command 'undo'
    ! hint: there are 'sess op log', 'sess op show', 'sess op restore': type 'sess help op' to see how it is used
    exit 2
    $ sess completion bsh
    ! sess: argument 'bsh' is invalid for <shell>. Allowed choices are bash, zsh, fish, words
    ! hint: did you mean 'bash' or 'zsh'? type 'sess help completion' to see how it is used
    exit 2
    "
  `)
})

it('takes no empty path for a store', async () => {
  expect(await typed(['sess --store "" ls'])).toMatchInlineSnapshot(`
    "$ sess --store "" ls
    ! sess: option '--store <dir>' argument '' is invalid. It is empty
    ! hint: type 'sess help ls' to see how it is used
    exit 2
    "
  `)
})

it('explains the name that stands for none', async () => {
  expect(await typed(['sess init', 'sess log'])).toMatchInlineSnapshot(`
    "$ sess init
    Made a store in /home/ada/.sess
    $ sess log
    ! sess: no session is called '@' (none was held in '/home/ada')
    ! hint: '@', or no name, is the latest session of this folder: type 'sess ls' to see all, and name one
    exit 1
    "
  `)
})

it('helps with the commands of a command', async () => {
  const shell = new Shell()
  const { stdout } = await shell.run('sess op restore --help')
  expect(stdout).toContain('Usage: sess op restore [options] <operation>')
  expect(await shell.run('sess help op restore')).toMatchObject({ code: 0, stdout, stderr: '' })
  expect(JSON.parse((await shell.run('sess help op restore --json')).stdout)).toEqual({
    topic: 'op restore',
    text: stdout.trimEnd(),
  })
  expect(
    await typed(['sess help op restroe', 'sess help log x', 'sess help revsets x']),
  ).toMatchInlineSnapshot(`
    "$ sess help op restroe
    ! sess: help on 'op' takes no such second word
    ! hint: did you mean 'restore'? type 'sess help op' alone, or 'sess help json COMMAND' for the JSON Schema of what a command prints
    exit 2
    $ sess help log x
    ! sess: help on 'log' takes no such second word
    ! hint: type 'sess help log' alone, or 'sess help json COMMAND' for the JSON Schema of what a command prints
    exit 2
    $ sess help revsets x
    ! sess: help on 'revsets' takes no such second word
    ! hint: type 'sess help revsets' alone, or 'sess help json COMMAND' for the JSON Schema of what a command prints
    exit 2
    "
  `)
})

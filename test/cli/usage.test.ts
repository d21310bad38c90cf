import { mkdirSync, writeFileSync } from 'node:fs'
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
    ! hint: '--out <path>': write to a new file or into a folder; type 'sess help export' to see how it is used
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
    ! hint: its options are --by: type 'sess help stats' to see how it is used
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
      'sess stats 3b1f c7d0',
    ]),
  ).toMatchInlineSnapshot(`
    "$ sess fork
    ! sess: no store at '/home/ada/.local/share/sess'
    ! hint: type 'sess import' to import the sessions of this machine, or 'sess init' to create an empty store
    exit 1
    $ sess diff
    ! sess: 'diff' needs a <a>
    ! hint: type 'sess diff A [B]', or 'sess help diff' to see how it is used
    exit 2
    $ sess op show
    ! sess: 'op show' needs a <operation>
    ! hint: type 'sess op show OPERATION', or 'sess help op show' to see how it is used
    exit 2
    $ sess migrate x.jsonl
    ! sess: 'migrate' needs the option '--to <version>'
    ! hint: type 'sess migrate FILE --to <version>', or 'sess help migrate' to see how it is used
    exit 2
    $ sess log Slow forecast for Brest
    ! sess: no store at '/home/ada/.local/share/sess'
    ! hint: type 'sess import' to import the sessions of this machine, or 'sess init' to create an empty store
    exit 1
    $ sess stats 3b1f c7d0
    ! sess: 'stats' takes 1 argument, not 2
    ! hint: type 'sess stats [SESSION]', a name of several words in quotes, or 'sess help stats' to see how it is used
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
    ! sess: <shell> takes bash, zsh, fish or words, not 'bsh'
    ! hint: did you mean 'bash' or 'zsh'? type 'sess help completion' to see how it is used
    exit 2
    "
  `)
})

it('takes no empty path: a variable that is not set', async () => {
  const lines = ['--store "" ls', 'import ""', 'watch x ""', 'mv "" x', 'backup ""', 'export 3b1f --out ""']
  expect(await typed(lines.map((line) => `sess ${line}`))).toMatchInlineSnapshot(`
    "$ sess --store "" ls
    ! sess: '--store' takes a path, not ''
    ! hint: type 'sess help ls' to see how it is used
    exit 2
    $ sess import ""
    ! sess: <path> takes a path, not ''
    ! hint: type 'sess help import' to see how it is used
    exit 2
    $ sess watch x ""
    ! sess: <path> takes a path, not ''
    ! hint: type 'sess help watch' to see how it is used
    exit 2
    $ sess mv "" x
    ! sess: <old> takes a path, not ''
    ! hint: type 'sess help mv' to see how it is used
    exit 2
    $ sess backup ""
    ! sess: <dir> takes a path, not ''
    ! hint: type 'sess help backup' to see how it is used
    exit 2
    $ sess export 3b1f --out ""
    ! sess: '--out' takes a path, not ''
    ! hint: type 'sess help export' to see how it is used
    exit 2
    "
  `)
})

it('says what a name stands for that names another kind of thing', async () => {
  const shell = new Shell()
  const said: string[] = []
  await shell.run('sess import sessions')
  await shell.run('sess navigate c7d0~2')
  for (const line of [
    'tree 3b1f/main',
    'rm 98c5e71acd',
    'rebase c7d0~2 3b1f',
    'merge c7d0 --into 3b1f',
    'merge 3b1f --into c7d0',
    'context 3b1f..c7d0',
    'log c7d0@{1}',
    'rm nothing',
  ])
    said.push(await shell.type(`sess ${line}`))
  expect(said.join('')).toMatchInlineSnapshot(`
    "$ sess tree 3b1f/main
    ! sess: no session is called '3b1f/main'
    ! hint: '3b1f/main' is an entry: name its session, '3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14'; type 'sess ls' to see the sessions
    exit 1
    $ sess rm 98c5e71acd
    ! sess: no session is called '98c5e71acd'
    ! hint: '98c5e71acd' is an entry: name a session; type 'sess ls' to see the sessions
    exit 1
    $ sess rebase c7d0~2 3b1f
    ! sess: no branch is called '3b1f'
    ! hint: '3b1f' is a session: name a branch of it, '3b1f/main'
    exit 1
    $ sess merge c7d0 --into 3b1f
    ! sess: no branch is called '3b1f'
    ! hint: '3b1f' is a session: name a branch of it, '3b1f/main'
    exit 1
    $ sess merge 3b1f --into c7d0
    ! sess: no branch is called 'c7d0'
    ! hint: 'c7d0' is a session: name a branch of it, 'c7d0/main'
    exit 1
    $ sess context 3b1f..c7d0
    ! sess: no session or entry is called '3b1f..c7d0'
    ! hint: this takes no range: name one session or entry; type 'sess ls' to see the sessions
    exit 1
    $ sess log c7d0@{1}
    ! sess: no session or entry is called 'c7d0@{1}' (its HEAD is detached)
    ! hint: name one of its branches: SESSION/BRANCH@{1}
    exit 1
    $ sess rm nothing
    ! sess: no session is called 'nothing'
    ! hint: type 'sess ls' to see the sessions
    exit 1
    "
  `)
})

it('says why nothing was imported, and what is no file', async () => {
  const shell = new Shell()
  mkdirSync(shell.path('empty'))
  writeFileSync(shell.path('empty/notes.txt'), 'x')
  const said: string[] = []
  for (const line of [
    'import empty',
    'import sessions --since 2030-01-01',
    'import /dev/null',
    'migrate empty --to v4',
  ])
    said.push(await shell.type(`sess ${line}`))
  expect(said.join('')).toMatchInlineSnapshot(`
    "$ sess import empty
    skipped, no conversation: empty/notes.txt
    0 files, 0 bytes, 0 sessions: 0 entries in 0 records
    ! no file there holds a conversation of a known format: name a file itself to import it
    $ sess import sessions --since 2030-01-01
    0 files, 0 bytes, 0 sessions: 0 entries in 0 records
    ! no file there is one that was asked for
    $ sess import /dev/null
    ! sess: '/dev/null' could not be read (it is no regular file)
    ! hint: name a file or a folder; write what comes through a pipe to a file first
    exit 1
    $ sess migrate empty --to v4
    ! sess: '/home/ada/empty' could not be read (it is no file)
    ! hint: give the path of a session file
    exit 1
    "
  `)
})

it('explains the name that stands for none', async () => {
  expect(await typed(['sess init', 'sess log'])).toMatchInlineSnapshot(`
    "$ sess init
    Created a store in /home/ada/.sess
    $ sess log
    ! sess: no session is current in '/home/ada' (none was switched to or held there or above)
    ! hint: there are no sessions yet: type 'sess import' to import those of this machine
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

it('suggests names of the same kind alone', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  await shell.run('sess rename c7d0 "The head of the tide"')
  const said: string[] = []
  for (const line of [
    'show HEAD~99',
    'xyzzy',
    'mrege',
    'import --agent cluade',
    'ls --agent cluade',
    'switch 3b1f/mian',
    'switch 3b1f/nothing-like-it',
    'export 3b1f --branch nothing-like-it',
    'log "The haed of the tide"',
  ])
    said.push((await shell.type(`sess ${line}`)).replace(/(it knows those of|sess knows) .*/, '$1 …'))
  expect(said.join('')).toMatchInlineSnapshot(`
    "$ sess show HEAD~99
    ! sess: no session is current in '/home/ada' (none was switched to or held there or above)
    ! hint: type 'sess ls' to see all sessions, and 'sess switch SESSION' to make one current here
    exit 1
    $ sess xyzzy
    ! sess: unknown command 'xyzzy'
    ! hint: type 'sess help' to see the commands
    exit 2
    $ sess mrege
    ! sess: unknown command 'mrege'
    ! hint: did you mean 'merge' or 'merge-base'? type 'sess help' to see the commands
    exit 2
    $ sess import --agent cluade
    ! sess: sess knows …
    ! hint: did you mean 'claude-code' or 'claude-desktop'? it knows those of claude-code, claude-desktop, codex, pi, oh-my-pi, opencode, kilo, gemini-cli, copilot-cli, cline, roo, cline-cli, crush, cursor, aider, goose, amp, qwen, kimi, droid, openclaw, continue, kiro, grok, vibe, windsurf, antigravity, dash, rollouts
    exit 2
    $ sess ls --agent cluade
    ! sess: no agent is called 'cluade'
    ! hint: did you mean 'claude' or 'claude-code' or 'claude-web'? sess knows …
    exit 2
    $ sess switch 3b1f/mian
    ! sess: no session or entry is called '3b1f/mian'
    ! hint: did you mean '3b1f/main'? type 'sess branch 3b1f' to see its branches
    exit 1
    $ sess switch 3b1f/nothing-like-it
    ! sess: no session or entry is called '3b1f/nothing-like-it'
    ! hint: it has at-1d9fca05, main; type 'sess branch 3b1f' to see its branches
    exit 1
    $ sess export 3b1f --branch nothing-like-it
    ! sess: no branch is called '3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/nothing-like-it'
    ! hint: it has at-1d9fca05, main; type 'sess branch SESSION' to see its branches
    exit 1
    $ sess log "The haed of the tide"
    ! sess: no session or entry is called 'The haed of the tide'
    ! hint: did you mean 'The head of the tide'? type 'sess ls' to see the sessions
    exit 1
    "
  `)
})

it('asks on a terminal before what cannot be undone', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  const terminal = true
  expect(await shell.type('sess expunge 3b1f~2', { terminal, stdin: ['n\n'] })).toMatchInlineSnapshot(`
    "$ sess expunge 3b1f~2
    ! sess expunge cannot be undone. Continue? [y/N]
    ! [31msess:[39m stopped: nothing was changed
    ! [36mhint:[39m repeat the command to continue
    exit 130
    "
  `)
  expect(await shell.type('sess gc', { terminal, stdin: [] })).toMatchInlineSnapshot(`
    "$ sess gc
    ! sess gc cannot be undone. Continue? [y/N]
    ! [31msess:[39m stopped: nothing was changed
    ! [36mhint:[39m repeat the command to continue
    exit 130
    "
  `)
  expect((await shell.run('sess fsck')).stdout).toContain('1 operation')
  const { transcript } = await shell.run('sess gc', { terminal, stdin: ['y\n'] })
  expect(transcript).toContain('sess gc cannot be undone. Continue? [y/N]')
  for (const line of ['sess gc --yes', 'sess gc -n']) {
    const { code, stderr } = await shell.run(line, { terminal })
    expect(stderr).not.toContain('Continue?')
    expect(code).toBe(0)
  }
})

it('suggests branches of the current session, and HEAD', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  await shell.run('sess switch 3b1f')
  expect(
    [await shell.type('sess switch mian'), await shell.type('sess show HAED')].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess switch mian
    ! sess: no session or entry is called 'mian'
    ! hint: did you mean 'main'? type 'sess ls' to see the sessions, or 'sess branch' to see the branches of this one
    exit 1
    $ sess show HAED
    ! sess: no session or entry is called 'HAED'
    ! hint: did you mean 'HEAD'? type 'sess ls' to see the sessions, or 'sess branch' to see the branches of this one
    exit 1
    "
  `)
})

it('refuses a script that expunges without --yes, and lets it collect garbage', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(await shell.type('sess expunge 3b1f~2', { stdin: ['y\n'] })).toMatchInlineSnapshot(`
    "$ sess expunge 3b1f~2
    ! sess: 'expunge' cannot be undone, and there is no terminal to ask on
    ! hint: add --yes to run it; 'sess expunge -n' shows what it would do
    exit 2
    "
  `)
  expect((await shell.run('sess show 3b1f~2')).stdout).not.toContain('[expunged')
  expect(await shell.run('sess expunge -n 3b1f~2')).toMatchObject({ code: 0 })
  expect(await shell.run('sess expunge --yes 3b1f~2 --force')).toMatchObject({ code: 0 })
  expect((await shell.run('sess show 3b1f~2')).stdout).toContain('[expunged')
  expect(await shell.run('sess gc', { stdin: ['n\n'] })).toMatchObject({ code: 0 })
})

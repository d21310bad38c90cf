import { execFileSync } from 'node:child_process'
import { mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, it } from 'vitest'
import { Shell } from '../support/shell.ts'

const FILE = '.config/sess/config.json'

function write(shell: Shell, path: string, text: string): void {
  mkdirSync(dirname(shell.path(path)), { recursive: true })
  writeFileSync(shell.path(path), text)
}

it('sets, shows and forgets settings', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(
    [
      await shell.type('sess config color always'),
      await shell.type('sess config color'),
      await shell.type('sess config color never -n'),
      await shell.type('sess config --for store lockTimeout 60'),
      await shell.type('sess config --no-color', {
        variables: { PAGER: 'more', SESS_PAGER: 'most -s', NO_COLOR: '1' },
      }),
      await shell.type('sess config color --json'),
      await shell.type('sess config hints no --no-color'),
      await shell.type('sess config --unset color'),
      await shell.type('sess config --unset color --json'),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess config color always
    Set color to always for the user (was not set)
    ! go back with: sess config --unset color
    $ sess config color
    always
    $ sess config color never -n
    would set color to never for the user (was always)
    ! dry run: nothing was written
    $ sess config --for store lockTimeout 60
    Set lockTimeout to 60 for this store (was not set)
    ! go back with: sess config --for store --unset lockTimeout
    $ sess config --no-color
    color           always   user: /home/ada/.config/sess/config.json
    pager           most -s  environment: $SESS_PAGER
    graph           auto     default
    tree.filter     default  default
    keys            letters  default
    keys.bindings   none     default
    progress        auto     default
    lockTimeout     60       store: /home/ada/.local/share/sess/config.json
    gc.grace        14d      default
    gc.operations   90d      default
    safe.directory  none     default
    prices          none     default
    hints           true     default
    hints.detached  true     default
    hints.scan      true     default
    hints.search    true     default
    $ sess config color --json
    {"key":"color","value":"always","origin":"user","from":"/home/ada/.config/sess/config.json"}
    $ sess config hints no --no-color
    ! sess: 'no' is not a value of 'hints'
    ! hint: it may be true or false
    exit 2
    $ sess config --unset color
    Unset color for the user (was always)
    ! go back with: sess config color always
    $ sess config --unset color --json
    {"key":"color","value":null,"before":null,"for":"user","path":"/home/ada/.config/sess/config.json"}
    "
  `)
  expect(shell.read(FILE)).toBe('{}\n')
  expect(statSync(shell.path(FILE)).mode & 0o777).toBe(0o600)
})

it('says which setting was meant, and who may say it', async () => {
  const shell = new Shell()
  await shell.run('sess init')
  expect(
    [
      await shell.type('sess config colour'),
      await shell.type('sess config hint.detached false'),
      await shell.type('sess config --for store pager "rm -rf x"'),
      await shell.type('sess config --unset'),
      await shell.type('sess config --list color'),
      await shell.type('sess --store none config --for store color never'),
      await shell.type('sess config pager cat', { variables: { SESS_PAGER: 'most' } }),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess config colour
    ! sess: there is no setting 'colour'
    ! hint: did you mean 'color'? type 'sess config --list' to see the settings
    exit 1
    $ sess config hint.detached false
    ! sess: there is no setting 'hint.detached'
    ! hint: did you mean 'hints.detached'? type 'sess config --list' to see the settings
    exit 1
    $ sess config --for store pager "rm -rf x"
    ! sess: 'pager' can only be set for the user
    ! hint: a store may come from elsewhere; set it with: sess config pager 'rm -rf x'
    exit 2
    $ sess config --unset
    ! sess: '--unset' needs <key>
    ! hint: type 'sess help config' to see how it is used
    exit 2
    $ sess config --list color
    ! sess: '--list' and <key> exclude each other
    ! hint: type 'sess help config' to see how it is used
    exit 2
    $ sess --store none config --for store color never
    ! sess: no store at '/home/ada/none'
    ! hint: type 'sess import' to import the sessions of this machine, or 'sess init' to create an empty store
    exit 1
    $ sess config pager cat
    Set pager to cat for the user (was not set)
    ! it has no effect here: most counts (environment: $SESS_PAGER)
    ! go back with: sess config --unset pager
    "
  `)
})

it('changes no setting of a backup', async () => {
  const shell = new Shell()
  await shell.run('sess init')
  await shell.run('sess backup copy')
  const refused = await shell.type('sess --store copy config --for store color never')
  expect(refused).toMatchInlineSnapshot(`
    "$ sess --store copy config --for store color never
    ! sess: '/home/ada/copy' could not be written (it is a backup)
    ! hint: restore it first: 'sess backup --restore BACKUP --store DIR'
    exit 1
    "
  `)
  expect(await shell.type('sess --store copy config color')).toContain('auto')
})

it('names a damaged file and what to do, and mends what it can', async () => {
  const shell = new Shell()
  await shell.run('sess init')
  write(shell, FILE, '{"color": ')
  const broken = [await shell.type('sess ls'), await shell.type('sess config color never')]
  expect((await shell.run('sess help log')).code).toBe(0)
  write(shell, FILE, '{"color": {"is": "blue"}, "pagr": "less"}')
  write(shell, '.sess/config.json', '{"pager": "rm -rf x"}')
  expect(
    [
      ...broken,
      await shell.type('sess ls'),
      await shell.type('sess config --unset color'),
      await shell.type('sess ls'),
      await shell.type('sess ls --json'),
      await shell.type('sess config pager'),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess ls
    ! sess: the settings in '/home/ada/.config/sess/config.json' cannot be used (Unexpected end of JSON input)
    ! hint: correct the file, or remove it to use the defaults
    exit 1
    $ sess config color never
    ! sess: the settings in '/home/ada/.config/sess/config.json' cannot be used (Unexpected end of JSON input)
    ! hint: correct the file, or remove it to use the defaults
    exit 1
    $ sess ls
    ! sess: the settings in '/home/ada/.config/sess/config.json' cannot be used (color is {"is":"blue"}, not auto, always or never)
    ! hint: type 'sess config --for user --unset color', or correct the file
    exit 1
    $ sess config --unset color
    Unset color for the user (was '{"is":"blue"}')
    ! go back with: sess config color '{"is":"blue"}'
    $ sess ls
    ! sess: 'pager' in '/home/ada/.sess/config.json' is ignored
    ! hint: a store may come from elsewhere: only your own file can set it
    ! sess: 'pagr' in '/home/ada/.config/sess/config.json' is not a setting
    ! hint: did you mean 'pager'?
    ! no sessions yet: type 'sess import' to import those of the agents on this machine
    $ sess ls --json
    $ sess config pager
    less
    "
  `)
})

it('waits for nobody at a pipe in the place of the settings', async () => {
  const shell = new Shell()
  mkdirSync(dirname(shell.path(FILE)), { recursive: true })
  execFileSync('sh', ['-c', 'mkfifo "$0"', shell.path(FILE)])
  expect(await shell.type('sess ls')).toMatchInlineSnapshot(`
    "$ sess ls
    ! sess: the settings in '/home/ada/.config/sess/config.json' cannot be used (it is not a regular file)
    ! hint: correct the file, or remove it to use the defaults
    exit 1
    "
  `)
})

it('prints colours where that is wanted', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  const colored = async (line: string, variables = {}, terminal = false): Promise<boolean> =>
    (await shell.run(line, { variables, terminal })).stdout.includes('\u001b[')
  expect(await colored('sess ls')).toBe(false)
  expect(await colored('sess ls', {}, true)).toBe(true)
  expect(await colored('sess ls', { NO_COLOR: '1' }, true)).toBe(false)
  expect(await colored('sess ls', { TERM: 'dumb' }, true)).toBe(false)
  expect(await colored('sess ls', { CLICOLOR_FORCE: '1' })).toBe(true)
  expect(await colored('sess ls', { CLICOLOR_FORCE: '0' })).toBe(false)
  await shell.run('sess config color always')
  expect(await colored('sess ls', { NO_COLOR: '1' })).toBe(true)
  expect(await colored('sess ls --no-color')).toBe(false)
  expect(await colored('sess ls --json', {}, true)).toBe(false)
  await shell.run('sess config color never')
  expect(await colored('sess ls', { CLICOLOR_FORCE: '1' }, true)).toBe(false)
})

it('reads no settings from the current folder, whose program it would start', async () => {
  const shell = new Shell({ samples: false })
  write(shell, 'sess/config.json', '{ "pager": "touch stolen" }')
  write(shell, '.config/sess/config.json', '{ "pager": "less" }')
  const { stdout } = await shell.run('sess config pager', { variables: { XDG_CONFIG_HOME: '.' } })
  expect(stdout).toBe('less\n')
})

it('has no settings where their path can hold none, and says why a file cannot be read', async () => {
  const shell = new Shell({ samples: false })
  await shell.run('sess init')
  expect((await shell.run('sess ls', { variables: { HOME: '/dev/null' } })).code).toBe(0)
  symlinkSync('loop', shell.path('loop'))
  expect(await shell.type('sess ls', { variables: { XDG_CONFIG_HOME: shell.path('loop') } })).toContain(
    "'/home/ada/loop/sess/config.json' could not be read (ELOOP: ",
  )
})

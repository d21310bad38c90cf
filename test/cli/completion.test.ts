import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { built } from '../support/built.ts'
import { Shell } from '../support/shell.ts'

async function sampled(): Promise<Shell> {
  const shell = new Shell()
  await shell.run('sess import sessions')
  return shell
}

/** Returns what may stand at the end of a line, without what it is. */
async function names(shell: Shell, ...words: string[]): Promise<string[]> {
  const { stdout } = await shell.main(['completion', 'words', '--', ...words])
  return stdout
    .split('\n')
    .flatMap((line) => (line === '' || line === ':open' ? [] : [line.split('\t')[0] as string]))
}

it('completes commands, options, values and topics without a store', async () => {
  const shell = new Shell({ samples: false })
  expect(await shell.type('sess completion words -- lo')).toMatchInlineSnapshot(`
    "$ sess completion words -- lo
    log	show the entries of a session, newest first
    "
  `)
  expect(await names(shell, 'log', '--li')).toEqual(['--limit'])
  expect(await names(shell, 'log', '--no-c')).toEqual(['--no-color'])
  expect(await names(shell, 'completion', '')).toEqual(['bash', 'zsh', 'fish', 'words'])
  expect(await names(shell, 'help', 'exit')).toEqual(['exit-codes'])
  expect(await names(shell, 'import', '')).toEqual([':files'])
  expect(await names(shell, '--store', '')).toEqual([':folders'])
  expect(await names(shell, 'export', '--out=')).toEqual([':files'])
  expect(await names(shell, 'log', '--limit', '')).toEqual([])
  expect(await names(shell, 'nothing', 'of', 'the')).toEqual([])
})

it('completes sessions, branches and oids', async () => {
  const shell = await sampled()
  expect(await shell.type('sess completion words -- log 019d')).toMatchInlineSnapshot(`
    "$ sess completion words -- log 019d
    019d3f52	a session of codex
    019d4482	a session of codex
    019d4e07	Slow forecast for Brest
    :open
    "
  `)
  expect(await names(shell, 'log', '-n', '5', '3b1f')).toEqual(['3b1f6a20'])
  expect(await names(shell, 'log', '--', '3b1f')).toEqual(['3b1f6a20'])
  expect(await names(shell, 'log', '3b1f/')).toEqual(['3b1f/at-1d9fca05', '3b1f/main'])
  expect(await names(shell, 'log', '')).toHaveLength(6)
  expect((await names(shell, 'log', ''))[0]).toBe('@')
  expect(await shell.type('sess completion words -- show 65c1')).toMatchInlineSnapshot(`
    "$ sess completion words -- show 65c1
    65c1f1916d90	Fix it without a time zone library, and say what it costs.
    :open
    "
  `)
  expect(await names(shell, 'export', '65c1')).toEqual([])
  expect(await names(shell, 'log', 'nothing/')).toEqual([])
})

it('completes an id to what names it alone, and leaves room for what can follow', async () => {
  const shell = new Shell({ samples: false })
  for (const id of ['aaaaaaaa-1', 'aaaaaaaa-12', 'aaaaaaaa-2', 'bbbbbbbb-1'])
    writeFileSync(
      shell.path(`${id}.jsonl`),
      `{"type":"session","version":3,"id":"${id}","timestamp":"2026-04-02T07:30:00.000Z","cwd":"/x"}\n` +
        '{"type":"message","id":"a1","parentId":null,"timestamp":"2026-04-02T07:30:01.000Z","message":{"role":"user","content":"Hi"}}\n',
    )
  await shell.run('sess import .')
  expect(await names(shell, 'log', 'a')).toEqual(['aaaaaaaa-1', 'aaaaaaaa-12', 'aaaaaaaa-2'])
  expect(await names(shell, 'log', 'b')).toEqual(['bbbbbbbb'])
  expect(await names(shell, 'log', 'bbbbbbbb-')).toEqual(['bbbbbbbb-'])
  expect((await names(shell, 'log', '')).toSorted()).toEqual([
    '@',
    'aaaaaaaa-1',
    'aaaaaaaa-12',
    'aaaaaaaa-2',
    'bbbbbbbb',
  ])
  const { stdout } = await shell.run('sess completion words -- log b')
  expect(stdout).toMatch(/\n:open\n$/)
  expect((await shell.run('sess completion words -- ls --agent p')).stdout).not.toContain(':open')
})

it('completes functions of revsets', async () => {
  const shell = new Shell({ samples: false })
  expect(await names(shell, 'log', '-r', 'fai')).toEqual(['failed()'])
  expect(await names(shell, 'log', '--revset=role(user) & to')).toEqual(['--revset=role(user) & tool('])
  expect(await names(shell, 'log', '-r', 'heads(me')).toEqual(['heads(merges()'])
  expect((await names(shell, 'log', '-r', '')).length).toBeGreaterThan(15)
})

it('completes operations, refs, labels and what is set', async () => {
  const shell = await sampled()
  await shell.run('sess set 3b1f status=done why=wherefore')
  await shell.run('sess set c7d0 status=done')
  await shell.run('sess label good 3b1f')
  expect(await names(shell, 'undo', '')).toEqual(['4', '3', '2', '1'])
  expect(await names(shell, 'op', 'restore', '')).toEqual(['4', '3', '2', '1'])
  expect(await names(shell, 'ls', '--at-op=')).toEqual(['--at-op=4', '--at-op=3', '--at-op=2', '--at-op=1'])
  expect(await names(shell, '--at-op', '2', 'undo', '')).toEqual(['2', '1'])
  expect(await names(shell, 'ls', '--where', '')).toEqual(['status=done', 'why=wherefore'])
  expect(await names(shell, 'set', '3b1f', '')).toEqual(['status=done', 'why=wherefore'])
  expect(await names(shell, 'set', '3b1f', '--unset', 's')).toEqual(['status'])
  expect(await names(shell, 'ls', '--label', '')).toEqual(['good', 'before-cache'])
  expect(await names(shell, 'label', '--session', '3b1f', '-d', '')).toEqual(['good'])
  expect(await names(shell, 'branch', '3b1f', '-d', '')).toEqual(['at-1d9fca05', 'main'])
  expect(await names(shell, 'update-ref', 'sessions/3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/l')).toEqual([
    'sessions/3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/labels/good',
  ])
  expect(await names(shell, 'log', '3b1f..c7')).toEqual(['3b1f..c7d02e95'])
  expect(await names(shell, 'rev-list', '^c7d0/')).toEqual(['^c7d0/main'])
})

it('completes formats, agents and values of settings', async () => {
  const shell = new Shell({ samples: false })
  expect(await names(shell, 'log', '--format', '')).toEqual([
    'oneline',
    'content',
    'full',
    'markdown',
    'oid',
    'json',
  ])
  expect(await names(shell, 'ls', '--format', '')).toEqual(['id', 'json'])
  expect(await names(shell, 'ls', '--agent', 'co')).toEqual(expect.arrayContaining(['codex', 'copilot-cli']))
  expect(await names(shell, 'config', 'hints', '')).toEqual(['true', 'false'])
  expect(await names(shell, 'config', 'lockTimeout', '')).toEqual([])
  expect(await names(shell, 'help', 'json', 'for')).toEqual(['fork', 'formats', 'for-each-ref'])
})

it('asks the store that the line names', async () => {
  const shell = await sampled()
  expect(await names(shell, '--store', 'other', 'log', '3b1f')).toEqual([])
  const store = shell.path('own')
  await shell.run(`sess --store ${store} import sessions/codex`)
  expect(await names(shell, '--store', store, 'log', '3b1f')).toEqual([])
  expect(await names(shell, `--store=${store}`, 'log', '019d4482')).toHaveLength(1)
})

it('prints what it says as JSON', async () => {
  const shell = new Shell({ samples: false })
  const { stdout } = await shell.main(['--json', 'completion', 'words', '--', 'merge-b'])
  expect(JSON.parse(stdout)).toEqual({
    name: 'merge-base',
    does: 'print the best common ancestor of two revisions',
  })
  expect(
    JSON.parse((await shell.main(['--json', 'completion', 'words', '--', 'import', ''])).stdout),
  ).toEqual({
    paths: 'files',
  })
})

it.each([
  ['bash', ['COMP_LINE', 'compopt -o nospace', 'complete -F _sess sess']],
  ['zsh', ['compadd "${open[@]}" -V sess', 'compdef _sess sess']],
  ['fish', ['commandline -opc', "complete -c sess -k -f -a '(__sess_words)'"]],
])('prints a script for %s that asks sess for the words', async (name, parts) => {
  const { stdout } = await new Shell({ samples: false }).run(`sess completion ${name}`)
  for (const part of [...parts, 'completion words -- ', ':files', ':folders', ':open'])
    expect(stdout).toContain(part)
})

const has = (program: string): boolean => spawnSync(program, ['--version']).status === 0

describe('in a shell', () => {
  const dist = built()

  /** Makes `sess` a command, and a store of the samples. */
  async function installed(): Promise<{ shell: Shell; env: NodeJS.ProcessEnv }> {
    const shell = await sampled()
    mkdirSync(shell.path('bin'))
    const bin = shell.path('bin/sess')
    const run = `import(${JSON.stringify(join(dist, 'cli/main.js'))}).then(({ main }) => main(process.argv.slice(1)))`
    writeFileSync(bin, `#!/bin/sh\nexec '${process.execPath}' -e '${run}' -- "$@"\n`)
    chmodSync(bin, 0o700)
    const PATH = `${shell.path('bin')}:${process.env.PATH}`
    const home = { HOME: shell.dir, XDG_CONFIG_HOME: shell.dir, XDG_DATA_HOME: shell.path('data') }
    return { shell, env: { ...process.env, ...home, PATH, SESS_STORE: storeOf(shell) } }
  }

  const storeOf = (shell: Shell): string => {
    for (const folder of ['data/sess', '.local/share/sess', 'store', '.sess'])
      if (existsSync(shell.path(folder, 'sess.json'))) return shell.path(folder)
    throw new Error('the shell has no store')
  }

  it.runIf(has('bash'))('bash completes', async () => {
    const { shell, env } = await installed()
    const script = `eval "$(sess completion bash)"
      compopt() { :; }
      try() { COMP_LINE=$1; shift; COMP_WORDS=("$@"); COMP_CWORD=$(( \${#COMP_WORDS[@]} - 1 )); _sess; echo "\${COMPREPLY[*]}"; }
      try 'sess merge-b' sess merge-b; try 'sess log 3b1f' sess log 3b1f; try 'sess log 3b1f/m' sess log 3b1f/m
      try 'sess log --li' sess log --li; try 'sess ls --agent=gro' sess ls --agent = gro
      try 'sess import --agent pi ses' sess import --agent pi ses; try 'sess --store=ses' sess --store = ses
      try 'sess log @' sess log @; try 'sess log @ --li' sess log @ --li; try 'sess --at-op=' sess --at-op =`
    expect(execFileSync('bash', ['--norc', '-c', script], { cwd: shell.dir, env, encoding: 'utf8' })).toBe(
      'merge-base\n3b1f6a20\n3b1f/main\n--limit\ngrok grok-updates grok-summary\nsessions\nsessions\n\n--limit\n1\n',
    )
  })

  it.runIf(has('fish'))('fish completes', async () => {
    const { shell, env } = await installed()
    const script = `sess completion fish | source
      for line in 'sess merge-b' 'sess log 3b1f/m' 'sess log --li' 'sess log 3b1f' 'sess log -r too' 'sess --store=ses'
        complete -C $line | string split -f1 \\t
      end`
    expect(execFileSync('fish', ['-N', '-c', script], { cwd: shell.dir, env, encoding: 'utf8' })).toBe(
      // Of a single name more can follow fish is told a longer one too: it adds no blank.
      'merge-base\n3b1f/main\n3b1f/main~\n--limit\n3b1f6a20\n3b1f6a20~\ntool(\ntool("\n--store=sessions/\n',
    )
  })

  it.runIf(has('zsh'))('zsh completes', async () => {
    const { shell, env } = await installed()
    // The widgets of zsh need a terminal: what they would be handed is printed instead.
    const script = `compdef() { : }; compadd() { print -rn -- "$names:"; printf ' <%s>' "$@"; print }; _files() { print files }
      eval "$(sess completion zsh)"
      try() { words=("$@"); CURRENT=$#; _sess }
      try sess merge-b; try sess log 3b1f/m; try sess import ''`
    expect(execFileSync('zsh', ['-f', '-c', script], { cwd: shell.dir, env, encoding: 'utf8' })).toBe(
      'merge-base: <-V> <sess> <-l> <-d> <lines> <-a> <names>\n' +
        '3b1f/main: <-S> <> <-V> <sess> <-l> <-d> <lines> <-a> <names>\nfiles\n',
    )
  })
})

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { Shell } from '../support/shell.ts'

const bin = fileURLToPath(new URL('../../bin/sess.js', import.meta.url))
const env = (shell: Shell): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  HOME: shell.dir,
  XDG_DATA_HOME: shell.path('data'),
})

it('runs as a process, and ends quietly where a pipe is closed', () => {
  const shell = new Shell()
  const type = (command: string): { status: number | null; stdout: string; stderr: string } => {
    const script = `sess() { '${process.execPath}' '${bin}' "$@"; }; ${command}`
    const { status, stdout, stderr } = spawnSync('bash', ['-c', script], {
      cwd: shell.dir,
      env: env(shell),
      encoding: 'utf8',
    })
    return { status, stdout, stderr }
  }
  expect(type('sess import sessions --json > taken; wc -l < taken')).toMatchObject({ status: 0, stderr: '' })
  const closed = type(
    'sess append --new --title long < <(for i in $(seq 3000); do echo "{\\"body\\":{\\"role\\":\\"user\\",\\"content\\":\\"$i\\"}}"; done) > oids; sess log long --json | head -n 1; echo "${PIPESTATUS[0]}"',
  )
  expect(closed.stderr).toBe('')
  expect(closed.stdout.split('\n')[0]).toContain('"text":"3000"')
  expect(closed.stdout.split('\n')[1]).toBe('0')
  expect(type('sess log nothing')).toEqual({
    status: 1,
    stdout: '',
    stderr: "sess: no session or entry is called 'nothing'\nhint: type 'sess ls' to see the sessions\n",
  })
})

it.skipIf(!existsSync('/dev/full'))('exits with the code of an error that it cannot print', () => {
  const shell = new Shell()
  const full = openSync('/dev/full', 'w')
  const { status } = spawnSync(process.execPath, [bin, 'nosuch'], {
    cwd: shell.dir,
    env: env(shell),
    stdio: ['ignore', 'ignore', full],
  })
  closeSync(full)
  expect(status).toBe(2)
})

it('takes a folder as standard input for an error, and stores nothing', () => {
  const shell = new Shell({ samples: false })
  const folder = openSync(shell.dir, 'r')
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, 'append', '--new', '--role', 'user'], {
    cwd: shell.dir,
    env: env(shell),
    stdio: [folder, 'pipe', 'pipe'],
    encoding: 'utf8',
  })
  closeSync(folder)
  expect([status, stdout.split('\n').length, stderr]).toEqual([
    1,
    2,
    "sess: 'standard input' could not be read (it is a folder)\nhint: give a file or a pipe\n",
  ])
})

it('says that the current folder is no more', () => {
  const shell = new Shell({ samples: false })
  const type = (args: string) => {
    const script = `mkdir gone && cd gone && rmdir ../gone && '${process.execPath}' '${bin}' ${args}`
    return spawnSync('bash', ['-c', script], { cwd: shell.dir, env: env(shell), encoding: 'utf8' })
  }
  expect(type('ls')).toMatchObject({
    status: 1,
    stdout: '',
    stderr: `sess: there is no file or folder '${shell.path('gone')}' (it was the current folder)\nhint: change to an existing folder: type 'cd'; nothing was changed\n`,
  })
  expect(type('--help')).toMatchObject({ status: 0, stderr: '' })
})

it('keeps what it acknowledged when it is killed, and lets others in between lines', async () => {
  const shell = new Shell({ samples: false })
  const options = { cwd: shell.dir, env: env(shell) }
  const run = (...args: string[]): string =>
    spawnSync(process.execPath, [bin, ...args], { ...options, encoding: 'utf8' }).stdout
  run('append', '--new', '--title', 'talk')
  const child = spawn(process.execPath, [bin, 'append', 'talk'], {
    ...options,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  child.stdin.write('{"body":{"role":"user","content":"kept"}}\n')
  const { value: oid } = (await lines.next()) as { value: string }
  expect(run('rev-parse', 'talk').trim()).toBe(oid)
  child.kill('SIGKILL')
  await once(child, 'close')
  expect(run('rev-parse', 'talk').trim()).toBe(oid)
  expect(run('fsck')).toContain('all is well')
})

const SCRIPT = '/usr/bin/script'

it.skipIf(!existsSync(SCRIPT))(
  'shows what is longer than a terminal in a pager, whole where there is none',
  () => {
    const shell = new Shell()
    const type = (line: string): string =>
      spawnSync(SCRIPT, ['-qec', `stty rows 10 cols 80; ${line}; echo code $?`, '/dev/null'], {
        cwd: shell.dir,
        env: { ...env(shell), NO_COLOR: '1', TERM: 'xterm' },
        encoding: 'utf8',
      }).stdout.replaceAll('\r', '')
    const sess = `'${process.execPath}' '${bin}'`
    type(`${sess} import sessions`)
    writeFileSync(shell.path('two'), '#!/bin/sh\necho "$1 $LESS"\nhead -n 2\n', { mode: 0o755 })
    const paged = type(`SESS_PAGER='./two "a b"' ${sess} log 3b1f`)
    expect(paged.split('\n')[0]).toBe('a b FRXK')
    expect(paged.split('\n').length).toBe(5)
    const whole = type(`SESS_PAGER=./missing ${sess} log 3b1f`)
    expect(whole.split('\n').length).toBeGreaterThan(15)
    expect(type(`${sess} log 3b1f --no-pager`)).toBe(whole)
    expect([paged, whole].map((text) => text.trimEnd().split('\n').at(-1))).toEqual(['code 0', 'code 0'])
  },
)

import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import sqlite from 'node-sqlite3-wasm'
import { expect, it, onTestFinished } from 'vitest'
import { Shell } from '../support/shell.ts'

/** Returns what others can get at below a folder. */
function exposed(dir: string): string[] {
  if (!existsSync(dir)) return []
  const names = lstatSync(dir).isDirectory() ? readdirSync(dir, { recursive: true, encoding: 'utf8' }) : []
  return ['.', ...names].flatMap((name) => {
    const { mode } = lstatSync(join(dir, name))
    return (mode & 0o077) === 0 ? [] : [`${name} ${(mode & 0o777).toString(8)}`]
  })
}

it('lets nobody else look into what it writes', async () => {
  const shell = new Shell()
  const commands = [
    'sess init',
    'sess import sessions',
    'sess append --new --title Tea --role user',
    'sess fork 3b1f',
    'sess config hints false --store .sess',
    'sess label here 3b1f',
    'sess fork 3b1f -n',
    'sess undo',
    'sess export 3b1f --out out.jsonl',
    'sess export 3b1f --format html --out page.html',
    'sess export 3b1f --format codex --to-agent',
    'sess fsck --rebuild',
  ]
  for (const command of commands)
    expect([command, (await shell.run(command, { stdin: ['hi'] })).code]).toEqual([command, 0])
  expect(exposed(shell.path('.sess'))).toEqual([])
  for (const name of ['out.jsonl', 'page.html']) expect(lstatSync(shell.path(name)).mode & 0o077).toBe(0)
  expect(exposed(shell.path('.codex'))).toEqual([])
})

it('leaves nothing open in a process that asks for no privacy, and needs no folder for temporary files', async () => {
  const shell = new Shell()
  const [mask, temporary] = [process.umask(0), process.env.TMPDIR]
  onTestFinished(() => {
    process.umask(mask)
    if (temporary === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = temporary
  })
  const zipped = gzipSync(
    readFileSync(shell.path('sessions/pi', readdirSync(shell.path('sessions/pi'))[0] ?? '')),
  )
  process.env.TMPDIR = shell.path('nowhere')
  const before = new Set(readdirSync(shell.dir))
  mkdirSync(shell.path('more'), { mode: 0o700 })
  writeFileSync(shell.path('more', 's.jsonl.gz'), zipped, { mode: 0o600 })
  const database = new sqlite.Database(shell.path('more', 'crush.db'))
  database.exec(
    "CREATE TABLE sessions (id TEXT, parent_session_id TEXT, title TEXT, created_at INTEGER); CREATE TABLE messages (id TEXT, session_id TEXT, role TEXT, parts TEXT, created_at INTEGER); INSERT INTO sessions VALUES ('s', NULL, 'T', 1); INSERT INTO messages VALUES ('m', 's', 'user', '[{\"type\":\"text\",\"data\":{\"text\":\"hi\"}}]', 1)",
  )
  database.close()
  for (const command of [
    'sess import sessions -n',
    'sess init',
    'sess import sessions more',
    'sess append 3b1f --role user',
    'sess merge 3b1f -n',
    'sess cherry-pick 019d4e07 -n',
    'sess pop 3b1f',
    'sess compact 019d4e07 --keep-tokens 1',
    'sess tree 3b1f',
    'sess search harbours',
    'sess stats',
    'sess handoff "go on" 3b1f',
    'sess redact 3b1f',
    'sess scan',
    'sess import --reread -n',
    'sess export 3b1f --out out.jsonl',
    'sess export 3b1f --format rollouts --out folder',
    'sess export 3b1f --format claude-code --to-agent',
    'sess backup copy',
    'sess gc --grace now --operations now',
    'sess expunge --yes 3b1f~1 --why test',
    'sess fsck --repair',
    'sess undo',
  ]) {
    const { code, output } = await shell.run(command, { stdin: ['hi'] })
    expect([command, code > 1 ? output : 'done']).toEqual([command, 'done'])
    expect([command, exposed(shell.path('.sess'))]).toEqual([command, []])
  }
  const made = readdirSync(shell.dir).filter((name) => !before.has(name) && name !== 'more')
  expect(made.toSorted()).toEqual(['.claude', '.sess', 'copy', 'folder', 'out.jsonl'])
  for (const name of made) expect([name, exposed(shell.path(name))]).toEqual([name, []])
})

it('says so where others could, and lets them no more', async () => {
  const shell = new Shell()
  await shell.run('sess init')
  await shell.run('sess import sessions')
  const store = shell.path('.sess')
  for (const name of ['refs.journal', 'sess.json', 'db.1', '.']) chmodSync(join(store, name), 0o755)
  expect((await shell.run('sess ls')).stderr).toBe(
    "sess: others could look into '/home/ada/.sess'; it is private to you now\n",
  )
  expect(exposed(store)).toEqual([])
  expect((await shell.run('sess ls')).stderr).toBe('')
})

import { chmodSync, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { Shell } from '../support/shell.ts'

/** Gives what others can get at below a folder. */
function exposed(dir: string): string[] {
  const names = readdirSync(dir, { recursive: true, encoding: 'utf8' })
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

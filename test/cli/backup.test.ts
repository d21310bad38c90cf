import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { Shell } from '../support/shell.ts'

it('copies a store, keeps what is there, checks it, and makes a store of it', async () => {
  const shell = new Shell()
  await shell.run('sess init')
  await shell.run('sess import sessions')
  const before = (await shell.run('sess log 3b1f')).stdout
  expect((await shell.run('sess backup copy -n')).stdout).toMatch(
    /^would copy \d+ files, [\d.]+ kB in all\n$/,
  )
  expect((await shell.run('sess backup copy')).stdout).toMatch(/^Copied \d+ files, [\d.]+ kB in all\n$/)
  expect((await shell.run('sess backup --verify copy')).transcript).toBe(
    '$ sess backup --verify copy\nall is well\n',
  )
  expect((await shell.run('sess log 3b1f --store copy')).stdout).toBe(before)
  await shell.run('sess rename 3b1f "Another name"')
  expect((await shell.run('sess backup copy')).stdout).toMatch(/; \d+ were there\n$/)
  rmSync(shell.path('.sess'), { recursive: true })
  expect((await shell.run('sess backup --restore copy --store .sess')).code).toBe(0)
  expect((await shell.run('sess ls')).stdout).toContain('Another name')
  expect((await shell.run('sess fsck')).stdout).toMatch(/^all is well: /)
  const again = await shell.run('sess backup --restore copy')
  expect([again.code, again.stderr]).toEqual([
    1,
    "sess: '/home/ada/.sess' exists already\nhint: there is a store: name another folder with --store, or repair it with 'sess fsck --repair --from DIR'\n",
  ])
})

it('says that a file is in the way, before which nothing is made', async () => {
  const shell = new Shell()
  await shell.run('sess init')
  writeFileSync(shell.path('file'), 'mine')
  for (const target of ['file', 'file/copy']) {
    const { code, stderr } = await shell.run(`sess backup ${target}`)
    expect(code).toBe(1)
    expect(stderr).toContain('hint: a file lies where the folder would: name another one\n')
  }
  expect(readFileSync(shell.path('file'), 'utf8')).toBe('mine')
})

it('says what is wrong with a backup, and restores none that is damaged', async () => {
  const shell = new Shell()
  await shell.run('sess init')
  await shell.run('sess import sessions')
  await shell.run('sess backup copy')
  const database = shell.path(
    'copy',
    readdirSync(shell.path('copy')).find((name) => name.startsWith('db.')) ?? '',
  )
  const table = readdirSync(database).find((name) => name.endsWith('.log')) ?? ''
  const bytes = readFileSync(join(database, table))
  writeFileSync(join(database, table), bytes.fill(7, 0, 9))
  expect((await shell.run('sess backup --verify copy')).transcript).toMatch(
    /\n\d+\.log is not what was backed up\nexit 5\n$/,
  )
  const { code, stderr } = await shell.run('sess backup --restore copy --store new')
  expect([code, stderr]).toEqual([
    5,
    expect.stringMatching(/is not what was backed up\nhint: use another backup/),
  ])
  await shell.run('sess init --store other')
  expect((await shell.run('sess backup other')).stderr).toMatch(
    /the folder holds something else\)\nhint: name an empty or new folder/,
  )
  expect((await shell.run('sess backup --verify other')).stderr).toMatch(
    /the folder holds no backup\)\nhint: name the folder that a backup was made in/,
  )
  const list = readdirSync(shell.path('copy')).find((name) => name.startsWith('backup.')) ?? ''
  for (const text of ['{', '7', '{"store":{}}']) {
    writeFileSync(shell.path('copy', list), text)
    for (const command of ['backup copy', 'backup --verify copy', 'backup --restore copy --store new'])
      expect(await shell.run(`sess ${command}`)).toMatchObject({
        code: 5,
        stderr: expect.stringMatching(
          /the backup '.*copy' has no valid list of its files\nhint: use another/,
        ) as string,
      })
  }
})

it('says so where others can enter the folder of a backup', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  mkdirSync(shell.path('open'))
  chmodSync(shell.path('open'), 0o755)
  const { code, stderr } = await shell.run('sess backup open')
  expect([code, stderr]).toEqual([
    0,
    "sess: others can enter '/home/ada/open': type 'chmod go= /home/ada/open' to keep the backup private\n",
  ])
  expect((await shell.run('sess backup closed')).stderr).toBe('')
})

it('refuses to back up the state of an earlier operation', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(await shell.type('sess --at-op 1 backup past')).toMatchInlineSnapshot(`
    "$ sess --at-op 1 backup past
    ! sess: backup copies the present state, not that of an earlier operation
    ! hint: leave --at-op out, and restore the state in the copy: 'sess --store DIR op restore 1'
    exit 2
    "
  `)
})

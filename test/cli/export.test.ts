import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { Shell } from '../support/shell.ts'

it('gives every sample back byte for byte', async () => {
  const shell = new Shell()
  const { stdout } = await shell.run('sess import sessions --json')
  const files = stdout.split('\n').slice(0, -2)
  expect(files).toHaveLength(5)
  for (const line of files) {
    const { path, session } = JSON.parse(line) as { path: string; session: string }
    const source = readFileSync(path.replace('/home/ada', shell.dir), 'utf8')
    expect((await shell.run(`sess export ${session}`)).stdout).toBe(source)
    expect((await shell.run(`sess export ${session} --bytes 100`)).stdout).toBe(source.slice(0, 100))
  }
})

it('writes to a new file for the user alone, and overwrites none', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions/pi')
  expect(
    [
      await shell.type('sess export 019d4e07 --out copy.jsonl'),
      await shell.type('sess export 019d4e07 --out copy.jsonl --bytes 3'),
      await shell.type('sess export 019d4e07 --out other.jsonl --bytes 3 --json'),
      await shell.type('sess export 019d4e07 --out no/such/folder'),
      await shell.type('sess export nothing --out none.jsonl'),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess export 019d4e07 --out copy.jsonl
    ! Wrote 5926 bytes to /home/ada/copy.jsonl
    $ sess export 019d4e07 --out copy.jsonl --bytes 3
    ! sess: '/home/ada/copy.jsonl' exists already
    ! hint: choose another file; nothing was overwritten
    exit 1
    $ sess export 019d4e07 --out other.jsonl --bytes 3 --json
    {"session":"019d4e07","path":"/home/ada/other.jsonl","bytes":3}
    $ sess export 019d4e07 --out no/such/folder
    ! sess: '/home/ada/no/such/folder' could not be written (ENOENT: no such file or directory, open '/home/ada/no/such/folder')
    ! hint: check the folder and its permissions; nothing acknowledged is lost
    exit 1
    $ sess export nothing --out none.jsonl
    ! sess: no session is called 'nothing'
    ! hint: type 'sess ls' to see the sessions
    exit 1
    "
  `)
  const [name = ''] = readdirSync(shell.path('sessions/pi'))
  expect(shell.read('copy.jsonl')).toBe(shell.read('sessions/pi', name))
  expect(statSync(shell.path('copy.jsonl')).mode & 0o777).toBe(0o600)
  expect(existsSync(shell.path('none.jsonl'))).toBe(false)
})

it('writes a session that was made here as lines that import to the same oids', async () => {
  const shell = new Shell({ samples: false })
  await shell.run('sess append --new --title made', { stdin: ['{"body":{"role":"user","content":"hi"}}'] })
  const { stdout } = await shell.run('sess export made')
  writeFileSync(shell.path('made.jsonl'), stdout)
  const elsewhere = `--store ${join(shell.dir, 'other')}`
  await shell.run(`sess import made.jsonl ${elsewhere}`)
  expect((await shell.run(`sess rev-parse made ${elsewhere}`)).stdout).toBe(
    (await shell.run('sess rev-parse made')).stdout,
  )
  expect(stdout).toMatchInlineSnapshot(`
    "{"oid":"fa6e8770783c4a4a18c71ca57e5e4887d54ea1ad2e1c5102240a872c19702817","parents":[],"type":"sess/message","body":{"role":"user","content":"hi"},"time":"2026-05-01T12:00:00.000Z","session":"019de368-f600-7617-9819-1a1b1c1d1e1f","title":"made","cwd":"/home/ada"}
    "
  `)
})

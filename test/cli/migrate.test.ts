import {
  appendFileSync,
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { migrate } from '../../src/ops/migrate.ts'
import { Shell } from '../support/shell.ts'

const V1 = [
  '{"type":"session","id":"s","timestamp":"2025-12-01T10:00:00.000Z","cwd":"/home/ada"}',
  '{"type":"message","timestamp":"2025-12-01T10:00:01.000Z","message":{"role":"user","content":"Nest the tables."}}',
  '{"type":"message","timestamp":"2025-12-01T10:00:02.000Z","message":{"role":"hookMessage","content":"Mind the moon."}}',
  '',
].join('\n')

function prepared(): Shell {
  const shell = new Shell()
  writeFileSync(join(shell.dir, 'old.jsonl'), V1)
  return shell
}

it('turns a file into another version, and tells what it passed', async () => {
  const shell = prepared()
  expect(
    [
      await shell.type('sess migrate old.jsonl --to v2'),
      await shell.type('sess migrate old.jsonl --to v4 --out new.jsonl'),
      await shell.type('sess migrate old.jsonl --to v4 --out new.jsonl'),
      await shell.type('sess migrate new.jsonl --to v3 --json'),
      await shell.type('sess migrate old.jsonl --to v3 --out other.jsonl --json -n'),
      await shell.type('sess migrate old.jsonl --to uuid-tree --json'),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess migrate old.jsonl --to v2
    {"type":"session","id":"s","timestamp":"2025-12-01T10:00:00.000Z","cwd":"/home/ada","version":2}
    {"type":"message","timestamp":"2025-12-01T10:00:01.000Z","message":{"role":"user","content":"Nest the tables."},"id":"11bc212c","parentId":null}
    {"type":"message","timestamp":"2025-12-01T10:00:02.000Z","message":{"role":"hookMessage","content":"Mind the moon."},"id":"5cd161b7","parentId":"11bc212c"}
    ! v1 -> v2: 3 records
    $ sess migrate old.jsonl --to v4 --out new.jsonl
    ! v1 -> v2 -> v3 -> v4: 3 records
    ! Wrote 427 bytes to /home/ada/new.jsonl
    $ sess migrate old.jsonl --to v4 --out new.jsonl
    ! sess: '/home/ada/new.jsonl' exists already
    ! hint: choose another file; nothing was overwritten
    exit 1
    $ sess migrate new.jsonl --to v3 --json
    ! {"error":{"code":"bad-usage","kind":"usage","message":"'/home/ada/new.jsonl' is v4: no way leads to v3","hint":"type 'sess help migrate' to see what becomes what, or 'sess export --format' to write any session","retryable":false}}
    exit 2
    $ sess migrate old.jsonl --to v3 --out other.jsonl --json -n
    {"way":["v1","v2","v3"],"records":3,"salvaged":0,"skipped":[],"edits":0,"path":"/home/ada/other.jsonl","bytes":393,"backup":null,"dryRun":true}
    ! dry run: nothing was written
    $ sess migrate old.jsonl --to uuid-tree --json
    {"type":"session","id":"s","timestamp":"2025-12-01T10:00:00.000Z","cwd":"/home/ada","version":2,"uuid":"dc9004ce-f046-86f4-b93c-7ce7fac0729e","parentUuid":null}
    {"type":"message","timestamp":"2025-12-01T10:00:01.000Z","message":{"role":"user","content":"Nest the tables."},"uuid":"27fd4402-f101-884b-9a75-f6389a645287","parentUuid":"dc9004ce-f046-86f4-b93c-7ce7fac0729e"}
    {"type":"message","timestamp":"2025-12-01T10:00:02.000Z","message":{"role":"hookMessage","content":"Mind the moon."},"uuid":"998304d7-58ec-81d2-96c5-3b15b6d08d15","parentUuid":"27fd4402-f101-884b-9a75-f6389a645287"}
    ! {"way":["v1","uuid-tree"],"records":3,"salvaged":0,"skipped":[],"edits":0}
    "
  `)
  expect(existsSync(join(shell.dir, 'other.jsonl'))).toBe(false)
  expect(readFileSync(join(shell.dir, 'old.jsonl'), 'utf8')).toBe(V1)
})

it('G5: leaves the file alone unless it is told to, and then keeps it beside itself', async () => {
  const shell = prepared()
  const [file, backup] = [join(shell.dir, 'old.jsonl'), join(shell.dir, 'old.jsonl.bak')]
  const lines = [
    await shell.type('sess migrate old.jsonl --to v3 --in-place -n'),
    await shell.type('sess migrate old.jsonl --to v3 --in-place --out x.jsonl'),
  ]
  expect([readFileSync(file, 'utf8'), existsSync(backup)]).toEqual([V1, false])
  const { mode } = statSync(file)
  lines.push(
    await shell.type('sess migrate old.jsonl --to v3 --in-place'),
    await shell.type('sess migrate old.jsonl --to v4 --in-place'),
    await shell.type('sess migrate old.jsonl --to v4 --in-place -n'),
  )
  expect(readFileSync(backup, 'utf8')).toBe(V1)
  renameSync(backup, file)
  lines.push(await shell.type('sess migrate old.jsonl --to v3 --in-place --json'))
  expect(lines.join('')).toMatchInlineSnapshot(`
    "$ sess migrate old.jsonl --to v3 --in-place -n
    ! v1 -> v2 -> v3: 3 records
    ! would write 393 bytes to /home/ada/old.jsonl
    ! the original would be kept as /home/ada/old.jsonl.bak
    ! dry run: nothing was written
    $ sess migrate old.jsonl --to v3 --in-place --out x.jsonl
    ! sess: '--in-place' and '--out' exclude each other
    ! hint: type 'sess help migrate' to see how it is used
    exit 2
    $ sess migrate old.jsonl --to v3 --in-place
    ! v1 -> v2 -> v3: 3 records
    ! Wrote 393 bytes to /home/ada/old.jsonl
    ! the original is kept as /home/ada/old.jsonl.bak
    ! go back with: mv /home/ada/old.jsonl.bak /home/ada/old.jsonl
    $ sess migrate old.jsonl --to v4 --in-place
    ! sess: '/home/ada/old.jsonl.bak' exists already
    ! hint: it may be an earlier backup: move it away first; nothing was overwritten
    exit 1
    $ sess migrate old.jsonl --to v4 --in-place -n
    ! sess: '/home/ada/old.jsonl.bak' exists already
    ! hint: it may be an earlier backup: move it away first; nothing was overwritten
    exit 1
    $ sess migrate old.jsonl --to v3 --in-place --json
    {"way":["v1","v2","v3"],"records":3,"salvaged":0,"skipped":[],"edits":0,"path":"/home/ada/old.jsonl","bytes":393,"backup":"/home/ada/old.jsonl.bak"}
    "
  `)
  expect(readFileSync(join(shell.dir, 'old.jsonl.bak'), 'utf8')).toBe(V1)
  expect(readFileSync(join(shell.dir, 'old.jsonl'), 'utf8')).toContain('"role":"custom"')
  expect(statSync(join(shell.dir, 'old.jsonl')).mode).toBe(mode)
})

it('keeps what an agent adds to the file while it is replaced', async () => {
  const shell = prepared()
  const [file, backup] = [join(shell.dir, 'old.jsonl'), join(shell.dir, 'old.jsonl.bak')]
  const agent = openSync(file, 'a')
  await shell.run('sess migrate old.jsonl --to v3 --in-place')
  writeSync(agent, 'added')
  closeSync(agent)
  expect(readFileSync(backup, 'utf8')).toBe(`${V1}added`)
})

it('does not replace a file that changes while it is read', async () => {
  const shell = prepared()
  const file = join(shell.dir, 'old.jsonl')
  const { isCurrent } = await migrate(file, 'v3')
  expect(isCurrent()).toBe(true)
  appendFileSync(file, 'added')
  expect(isCurrent()).toBe(false)
})

it('says where no way leads, what was damaged, and what has no place', async () => {
  const shell = prepared()
  const edit = { type: 'context_edit', id: 'b', parentId: 'a', targetId: 'a', replacement: null }
  const lines = [
    { type: 'session', version: 3, id: 's' },
    { type: 'message', id: 'a', parentId: null, message: { role: 'user', content: 'a' } },
    edit,
  ].map((line) => JSON.stringify(line))
  const [header, ...said] = lines
  writeFileSync(join(shell.dir, 'damaged.jsonl'), `${header}\n${said.join('')}\n{torn`)
  expect(
    [
      await shell.type('sess migrate sessions/claude/3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14.jsonl --to v3'),
      await shell.type('sess migrate damaged.jsonl --to v2'),
      await shell.type('sess migrate damaged.jsonl --to v4'),
      await shell.type('sess migrate nothing.jsonl --to v4'),
      await shell.type('sess migrate old.jsonl'),
      await shell.type('sess migrate old.jsonl --to v9'),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess migrate sessions/claude/3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14.jsonl --to v3
    ! sess: '/home/ada/sessions/claude/3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14.jsonl' is no session of pi, Dash or rollouts and no draft
    ! hint: type 'sess help migrate' to see what becomes what, or 'sess export --format' to write any session
    exit 2
    $ sess migrate damaged.jsonl --to v2
    ! sess: '/home/ada/damaged.jsonl' is v3: no way leads to v2
    ! hint: type 'sess help migrate' to see what becomes what, or 'sess export --format' to write any session
    exit 2
    $ sess migrate damaged.jsonl --to v4
    {"kind":"header","version":4,"id":"s","createdAt":0,"cwd":""}
    {"kind":"entry","lane":"main","id":"a","type":"message","parentId":null,"seq":1,"timestamp":0,"message":{"role":"user","content":"a"}}
    {"kind":"entry","lane":"main","id":"b","type":"custom","parentId":"a","seq":2,"timestamp":0,"customType":"pi.context_edit","data":{"targetId":"a","replacement":null}}
    ! v3 -> v4: 3 records, 1 of them from damaged lines
    ! edits that have no place there, and no effect: 1
    ! left out, as they hold no record: line 3
    $ sess migrate nothing.jsonl --to v4
    ! sess: there is no file or folder '/home/ada/nothing.jsonl'
    ! hint: give the path of a session file
    exit 1
    $ sess migrate old.jsonl
    ! sess: 'migrate' needs the option '--to <version>'
    ! hint: type 'sess migrate FILE --to <version>', or 'sess help migrate' to see how it is used
    exit 2
    $ sess migrate old.jsonl --to v9
    ! sess: '--to' takes v2, v3, v4, index-tree or uuid-tree, not 'v9'
    ! hint: did you mean 'v2' or 'v3' or 'v4'? type 'sess help migrate' to see how it is used
    exit 2
    "
  `)
})

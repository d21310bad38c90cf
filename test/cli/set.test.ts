import { expect, it } from 'vitest'
import { Shell } from '../support/shell.ts'

it('notes keys and values, clears them, and says the way back', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(
    [
      await shell.type("sess set 3b1f status=done 'why=a = b'"),
      await shell.type('sess set 3b1f status=open why='),
      await shell.type('sess set 3b1f status=open'),
      await shell.type('sess set 3b1f stars=5'),
      await shell.type('sess set 3b1f'),
      await shell.type('sess show 3b1f'),
      await shell.type('sess set 3b1f --unset status --unset stars'),
      await shell.type('sess set 3b1f'),
      await shell.type('sess set 3b1f status=done --json'),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess set 3b1f status=done 'why=a = b'
    Set status = done
    Set why = a = b
    ! go back with: sess set 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 status= why=
    $ sess set 3b1f status=open why=
    Set status = open (was done)
    Cleared why (was a = b)
    ! go back with: sess set 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 status=done 'why=a = b'
    $ sess set 3b1f status=open
    ! all of it was set before
    $ sess set 3b1f stars=5
    Set stars = 5
    ! go back with: sess set 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 stars=
    $ sess set 3b1f
    status  open
    stars   5
    $ sess show 3b1f
    entry    98c5e71acd891047e22327f00a02dc1fe93c5c198ac6cdb249082933b58f9be4
    parent   6b65079442
    role     assistant  claude/assistant
    time     2026-03-30 09:21
    session  3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14
    branch   main
    set      status=open
    set      stars=5
    git      main
    native   4a13915b-51d7-41b7-9351-7e6b47afb2e7
    model    claude-sonnet-4-5
    cost     ~$0.0148
    tokens   14 input, 220 output, 15,420 cache read, 1,830 cache write

    Added \`test/clock.test.js\`: 03:00 follows 01:59. It passes, and it fails with the old \`clock\`.

    before   6b65079442  tool  ← File created successfully at: /home/ada/tides/test/clock.test.js
    $ sess set 3b1f --unset status --unset stars
    Cleared status (was open)
    Cleared stars (was 5)
    ! go back with: sess set 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 status=open stars=5
    $ sess set 3b1f
    $ sess set 3b1f status=done --json
    {"session":"3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14","set":{"status":"done"},"before":{"status":null}}
    "
  `)
})

it('refuses what is no pair, no key, or too long', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(
    [
      await shell.type('sess set 3b1f done'),
      await shell.type('sess set 3b1f =done'),
      await shell.type('sess set 3b1f title=Tides'),
      await shell.type('sess set 3b1f cwd=/tmp'),
      await shell.type("sess set 3b1f 'a..b=c'"),
      await shell.type(`sess set 3b1f long=${'x'.repeat(1001)}`).then((said) => said.replace(/x{60,}/, 'x…')),
      await shell.type('sess set 3b2f status=done'),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess set 3b1f done
    ! sess: 'done' is not KEY=VALUE
    ! hint: type 'sess help set' to see how it is used
    exit 2
    $ sess set 3b1f =done
    ! sess: '=done' is not KEY=VALUE
    ! hint: type 'sess help set' to see how it is used
    exit 2
    $ sess set 3b1f title=Tides
    ! sess: 'title' cannot be a name (every session has it already)
    ! hint: change it with 'sess rename SESSION TITLE'
    exit 1
    $ sess set 3b1f cwd=/tmp
    ! sess: 'cwd' cannot be a name (every session has it already)
    ! hint: choose another key; nothing was set
    exit 1
    $ sess set 3b1f 'a..b=c'
    ! sess: 'a..b' cannot be a name
    ! hint: use letters and digits, with spaces and . _ - + @ / between them; at most 200 characters
    exit 1
    $ sess set 3b1f long=x…
    ! sess: 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…' is too long
    ! hint: use at most 1,000 characters; nothing was changed
    exit 1
    $ sess set 3b2f status=done
    ! sess: no session is called '3b2f'
    ! hint: type 'sess ls' to see the sessions
    exit 1
    "
  `)
})

import { expect, it } from 'vitest'
import { Shell } from '../support/shell.ts'

it('makes, moves and removes a ref', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(
    [
      await shell.type(
        'sess update-ref sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches/before 019d4e07~3',
      ),
      await shell.type(
        'sess update-ref sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches/before 019d4e07~4 019d4e07~3',
      ),
      await shell.type('sess for-each-ref sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches'),
      await shell.type(
        'sess update-ref -d sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches/before 019d4e07~4 --json',
      ),
      await shell.type(
        'sess update-ref sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/labels/a%20label 019d4e07 0000000000000000000000000000000000000000000000000000000000000000 --json',
      ),
      await shell.type('sess log "019d4e07/a label" -n 1'),
      await shell.type(
        'sess update-ref sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/labels/a%20label 0000000000000000000000000000000000000000000000000000000000000000 --json',
      ),
      await shell.type(
        'sess update-ref sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches/main 019d4e07 --json',
      ),
      await shell.type('sess fsck'),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess update-ref sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches/before 019d4e07~3
    $ sess update-ref sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches/before 019d4e07~4 019d4e07~3
    $ sess for-each-ref sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches
    ee044e52d9e581f26c52b37b6d66fd3e849e91c231e16f1f941dba1312d5e51c branch	sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches/before
    d46180147d235f0907b4925fb426214efa3b2b763e9a4c543eb6f7df181176b1 branch	sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches/main
    $ sess update-ref -d sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches/before 019d4e07~4 --json
    {"name":"sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches/before","old":"ee044e52d9e581f26c52b37b6d66fd3e849e91c231e16f1f941dba1312d5e51c","new":null}
    $ sess update-ref sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/labels/a%20label 019d4e07 0000000000000000000000000000000000000000000000000000000000000000 --json
    {"name":"sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/labels/a%20label","old":null,"new":"d46180147d235f0907b4925fb426214efa3b2b763e9a4c543eb6f7df181176b1"}
    $ sess log "019d4e07/a label" -n 1
    d46180147d  2026-04-02 07:31  assistant  (*main, label: a label) All three use \`daily\` now. The slo…
    $ sess update-ref sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/labels/a%20label 0000000000000000000000000000000000000000000000000000000000000000 --json
    {"name":"sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/labels/a%20label","old":"d46180147d235f0907b4925fb426214efa3b2b763e9a4c543eb6f7df181176b1","new":null}
    $ sess update-ref sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches/main 019d4e07 --json
    $ sess fsck
    all is well: 56 entries, 5 sessions, 98 records, 6 operations
    "
  `)
})

it('moves only from the value that is expected', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(
    [
      await shell.type(
        'sess update-ref sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches/main 019d4e07~1 019d4e07~2',
      ),
      await shell.type(
        'sess update-ref sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches/main 019d4e07~1 0000000000000000000000000000000000000000000000000000000000000000',
      ),
      await shell.type(
        'sess update-ref sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches/new 019d4e07~1 019d4e07',
      ),
      await shell.type('sess update-ref -d sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches/new'),
      await shell.type(
        'sess update-ref -d sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches/new 019d4e07',
      ),
      await shell.type('sess rev-parse 019d4e07 019d4e07~1'),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess update-ref sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches/main 019d4e07~1 019d4e07~2
    ! sess: 'sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches/main' changed meanwhile (expected 283d4aa753d55b72f4943c8092ff1c4aa70e62840b3b9bc1c1cade3b8c8406d8, found d46180147d235f0907b4925fb426214efa3b2b763e9a4c543eb6f7df181176b1)
    ! hint: check it, then repeat the command
    exit 3
    $ sess update-ref sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches/main 019d4e07~1 0000000000000000000000000000000000000000000000000000000000000000
    ! sess: 'sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches/main' changed meanwhile (expected no such ref, found d46180147d235f0907b4925fb426214efa3b2b763e9a4c543eb6f7df181176b1)
    ! hint: check it, then repeat the command
    exit 3
    $ sess update-ref sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches/new 019d4e07~1 019d4e07
    ! sess: 'sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches/new' changed meanwhile (expected d46180147d235f0907b4925fb426214efa3b2b763e9a4c543eb6f7df181176b1, found no such ref)
    ! hint: check it, then repeat the command
    exit 3
    $ sess update-ref -d sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches/new
    $ sess update-ref -d sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches/new 019d4e07
    ! sess: 'sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches/new' changed meanwhile (expected d46180147d235f0907b4925fb426214efa3b2b763e9a4c543eb6f7df181176b1, found no such ref)
    ! hint: check it, then repeat the command
    exit 3
    $ sess rev-parse 019d4e07 019d4e07~1
    d46180147d235f0907b4925fb426214efa3b2b763e9a4c543eb6f7df181176b1
    dd442d396955043c1ac5075ec5f4057dda8ce6240e65db1782466a355b18e7f7
    "
  `)
})

it('moves where a session stands', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(
    [
      await shell.type(
        'sess update-ref sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/HEAD 019d4e07~3 --json',
      ),
      await shell.type(
        'sess update-ref sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/HEAD ref:main 019d4e07~3 --json',
      ),
      await shell.type('sess update-ref sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/HEAD ref:other'),
      await shell.type('sess update-ref sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/HEAD ref:a/b'),
      await shell.type(
        'sess update-ref -d sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/HEAD ref:main --json',
      ),
      await shell.type('sess update-ref -d sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches/main'),
      await shell.type('sess fsck'),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess update-ref sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/HEAD 019d4e07~3 --json
    {"name":"sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/HEAD","old":null,"new":"a0209d045ed9105f6f9855b887184a52b616090c6f9f9ccf7ca65ca1a2879f71"}
    $ sess update-ref sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/HEAD ref:main 019d4e07~3 --json
    ! {"error":{"code":"conflict","kind":"conflict","message":"'sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/HEAD' changed meanwhile (expected dfe9c488d25bada7bde0b824fd9126f88df836f91503b03969d2e2d9458aecee, found a0209d045ed9105f6f9855b887184a52b616090c6f9f9ccf7ca65ca1a2879f71)","hint":"check it, then repeat the command","retryable":true}}
    exit 3
    $ sess update-ref sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/HEAD ref:other
    ! sess: no branch is called '019d4e07-5b20-7d11-a6c2-93e1f04b7a65/other'
    ! hint: it has main; type 'sess branch SESSION' to see its branches
    exit 1
    $ sess update-ref sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/HEAD ref:a/b
    ! sess: 'a/b' cannot be a name
    ! hint: use letters and digits, with spaces and . _ - + @ / between them; at most 200 characters
    exit 1
    $ sess update-ref -d sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/HEAD ref:main --json
    ! {"error":{"code":"conflict","kind":"conflict","message":"'sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/HEAD' changed meanwhile (expected ref:main, found a0209d045ed9105f6f9855b887184a52b616090c6f9f9ccf7ca65ca1a2879f71)","hint":"check it, then repeat the command","retryable":true}}
    exit 3
    $ sess update-ref -d sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches/main
    $ sess fsck
    all is well: 56 entries, 5 sessions, 98 records, 3 operations
    "
  `)
})

it('does all of what standard input says, or nothing', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(
    [
      await shell.type('sess update-ref --stdin --json', {
        stdin: [
          'create sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches/next "019d4e07~1"\nupdate sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/HEAD ref:next\ndelete sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches/main 019d4e07\n\nverify sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/labels/none\n',
        ],
      }),
      await shell.type('sess update-ref --stdin', {
        stdin: [
          'update sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches/next 019d4e07\ncreate sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches/next 019d4e07\n',
        ],
      }),
      await shell.type('sess update-ref --stdin', {
        stdin: [
          'create sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches/third 019d4e07\nverify sessions/3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/branches/main 019d4e07\n',
        ],
      }),
      await shell.type('sess update-ref --stdin', {
        stdin: [
          'create sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches/third 019d4e07\nverify sessions/3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/branches/main\n',
        ],
      }),
      await shell.type('sess update-ref --stdin -z', {
        stdin: [
          'create sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches/third\x00019d4e07~1\x00update sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches/next\x00019d4e07~3\x00\x00verify sessions/3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/branches/main\x003b1f\x00',
        ],
      }),
      await shell.type('sess for-each-ref sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches'),
      await shell.type('sess fsck'),
    ]
      .join('')
      .replaceAll('\0', '␀'),
  ).toMatchInlineSnapshot(`
    "$ sess update-ref --stdin --json
    {"name":"sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches/next","old":null,"new":"dd442d396955043c1ac5075ec5f4057dda8ce6240e65db1782466a355b18e7f7"}
    {"name":"sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/HEAD","old":null,"new":"ref:next"}
    {"name":"sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches/main","old":"d46180147d235f0907b4925fb426214efa3b2b763e9a4c543eb6f7df181176b1","new":null}
    $ sess update-ref --stdin
    ! sess: 'sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches/next' is named twice
    ! hint: type 'sess help' to see the commands
    exit 2
    $ sess update-ref --stdin
    ! sess: 'sessions/3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/branches/main' changed meanwhile (expected dd442d396955043c1ac5075ec5f4057dda8ce6240e65db1782466a355b18e7f7, found 98c5e71acd891047e22327f00a02dc1fe93c5c198ac6cdb249082933b58f9be4)
    ! hint: check it, then repeat the command
    exit 3
    $ sess update-ref --stdin
    ! sess: 'sessions/3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/branches/main' changed meanwhile (expected no such ref, found 98c5e71acd891047e22327f00a02dc1fe93c5c198ac6cdb249082933b58f9be4)
    ! hint: check it, then repeat the command
    exit 3
    $ sess update-ref --stdin -z
    $ sess for-each-ref sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches
    ee044e52d9e581f26c52b37b6d66fd3e849e91c231e16f1f941dba1312d5e51c branch	sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches/next
    283d4aa753d55b72f4943c8092ff1c4aa70e62840b3b9bc1c1cade3b8c8406d8 branch	sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches/third
    $ sess fsck
    all is well: 56 entries, 5 sessions, 98 records, 3 operations
    "
  `)
})

it('says what it does not take', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(
    [
      await shell.type('sess update-ref sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/source 019d4e07'),
      await shell.type('sess update-ref sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/meta 019d4e07'),
      await shell.type('sess update-ref sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65 019d4e07'),
      await shell.type('sess update-ref sessions/nobody/branches/main 019d4e07'),
      await shell.type(
        'sess update-ref sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches/a..b 019d4e07',
      ),
      await shell.type('sess update-ref sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches/%zz 019d4e07'),
      await shell.type('sess update-ref sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches/main nothing'),
      await shell.type('sess update-ref'),
      await shell.type('sess update-ref sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches/main'),
      await shell.type('sess update-ref -d sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches/main a b'),
      await shell.type('sess update-ref --stdin x'),
      await shell.type('sess update-ref --stdin', { stdin: ['\nmove a b'] }),
      await shell.type('sess update-ref --stdin', { stdin: ['create a'] }),
      await shell.type('sess update-ref --stdin', { stdin: ['create a "b'] }),
      await shell.type('sess update-ref --stdin', { stdin: ['create a "\\x"'] }),
      await shell.type('sess update-ref --stdin -z', { stdin: ['create a'] }),
    ]
      .join('')
      .replaceAll('\0', '␀'),
  ).toMatchInlineSnapshot(`
    "$ sess update-ref sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/source 019d4e07
    ! sess: 'sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/source' is not a ref that can be moved (the head of a log moves with its records)
    ! hint: those of kind branch, label and HEAD can: type 'sess for-each-ref' to see their names
    exit 1
    $ sess update-ref sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/meta 019d4e07
    ! sess: 'sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/meta' is not a ref that can be moved (it describes a session)
    ! hint: those of kind branch, label and HEAD can: type 'sess for-each-ref' to see their names
    exit 1
    $ sess update-ref sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65 019d4e07
    ! sess: 'sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65' is not a ref that can be moved
    ! hint: those of kind branch, label and HEAD can: type 'sess for-each-ref' to see their names
    exit 1
    $ sess update-ref sessions/nobody/branches/main 019d4e07
    ! sess: no session is called 'nobody'
    ! hint: type 'sess ls' to see the sessions
    exit 1
    $ sess update-ref sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches/a..b 019d4e07
    ! sess: 'a..b' cannot be a name
    ! hint: use letters and digits, with spaces and . _ - + @ / between them; at most 200 characters
    exit 1
    $ sess update-ref sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches/%zz 019d4e07
    ! sess: 'sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches/%zz' is not a ref that can be moved
    ! hint: those of kind branch, label and HEAD can: type 'sess for-each-ref' to see their names
    exit 1
    $ sess update-ref sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches/main nothing
    ! sess: no session or entry is called 'nothing'
    ! hint: type 'sess ls' to see the sessions
    exit 1
    $ sess update-ref
    ! sess: no ref or no value was named
    ! hint: type 'sess help update-ref' to see how it is used
    exit 2
    $ sess update-ref sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches/main
    ! sess: no ref or no value was named
    ! hint: type 'sess help update-ref' to see how it is used
    exit 2
    $ sess update-ref -d sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches/main a b
    ! sess: -d takes NAME and OLD
    ! hint: type 'sess help update-ref' to see how it is used
    exit 2
    $ sess update-ref --stdin x
    ! sess: '--stdin' and <name> exclude each other
    ! hint: type 'sess help update-ref' to see how it is used
    exit 2
    $ sess update-ref --stdin
    ! sess: line 2: 'move' is none of update, create, delete, verify
    ! hint: type 'sess help update-ref' to see the lines that it reads
    exit 2
    $ sess update-ref --stdin
    ! sess: line 1: it is not 'create NAME NEW'
    ! hint: type 'sess help update-ref' to see the lines that it reads
    exit 2
    $ sess update-ref --stdin
    ! sess: line 1: "b is not a text in quotes
    ! hint: type 'sess help update-ref' to see the lines that it reads
    exit 2
    $ sess update-ref --stdin
    ! sess: line 1: "\\x" is not a text in quotes
    ! hint: type 'sess help update-ref' to see the lines that it reads
    exit 2
    $ sess update-ref --stdin -z
    ! sess: line 1: 'create' lacks a value
    ! hint: type 'sess help update-ref' to see the lines that it reads
    exit 2
    "
  `)
})

it('says in a dry run what would move', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(
    [
      await shell.type(
        'sess update-ref -n sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches/new 019d4e07~1',
      ),
      await shell.type(
        'sess update-ref -n -d sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/labels/before-cache',
      ),
      await shell.type('sess for-each-ref sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches'),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess update-ref -n sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches/new 019d4e07~1
    sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches/new 0000000000000000000000000000000000000000000000000000000000000000 dd442d396955043c1ac5075ec5f4057dda8ce6240e65db1782466a355b18e7f7
    ! dry run: nothing was written
    $ sess update-ref -n -d sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/labels/before-cache
    sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/labels/before-cache b6be4a283625f09f30312f8873beb2bfaf76703c9c8b82bfa3dafa27cf114ade 0000000000000000000000000000000000000000000000000000000000000000
    ! dry run: nothing was written
    $ sess for-each-ref sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches
    d46180147d235f0907b4925fb426214efa3b2b763e9a4c543eb6f7df181176b1 branch	sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches/main
    "
  `)
})

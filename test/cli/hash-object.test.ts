import { expect, it } from 'vitest'
import { Shell } from '../support/shell.ts'

it('gives the oids of entries, also without a store', async () => {
  const shell = new Shell()
  expect(
    [
      await shell.type('sess hash-object', { stdin: ['{"body":{"role":"user","content":"Hi"}}\n'] }),
      await shell.type('sess hash-object --stdin --json', {
        stdin: ['{"body":{"role":"user","content":"Hi"}}\n'],
      }),
      await shell.type('sess hash-object', {
        stdin: [
          '{"type":"sess/message","parents":["d878049e4397d4e9d494af6fca9c6e469b72123b7cd6f6d2a4e493acbb5060a8"],"body":{"role":"assistant","content":"Hello! é"}}',
        ],
      }),
      await shell.type('sess hash-object -z', {
        stdin: ['{"body":{"role":"user","content":"Hi"}}\x00{"body":{"role":"user","content":"Hi"}}'],
      }),
      await shell.type('sess hash-object', { stdin: ['{"parents":["3b1f"],"body":1,"type":"note"}'] }),
    ]
      .join('')
      .replaceAll('\0', '␀'),
  ).toMatchInlineSnapshot(`
    "$ sess hash-object
    d878049e4397d4e9d494af6fca9c6e469b72123b7cd6f6d2a4e493acbb5060a8
    $ sess hash-object --stdin --json
    {"oid":"d878049e4397d4e9d494af6fca9c6e469b72123b7cd6f6d2a4e493acbb5060a8"}
    $ sess hash-object
    8c80e3d9a0043d198593a152b589f8802b878b40524be1788dfb39fd161296c1
    $ sess hash-object -z
    d878049e4397d4e9d494af6fca9c6e469b72123b7cd6f6d2a4e493acbb5060a8␀d878049e4397d4e9d494af6fca9c6e469b72123b7cd6f6d2a4e493acbb5060a8␀$ sess hash-object
    ! sess: no store at '/home/ada/.local/share/sess'
    ! hint: type 'sess import' to import the sessions of this machine, or 'sess init' to create an empty store
    exit 1
    "
  `)
})

it('stores entries that nothing names yet', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(
    [
      await shell.type('sess hash-object -w', {
        stdin: ['{"parents":["019d4e07~4"],"type":"note","body":{"why":"because"}}\n\n'],
      }),
      await shell.type('sess ls-objects --dangling'),
      await shell.type('sess update-ref sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches/why 6856'),
      await shell.type('sess log 019d4e07/why -n 2'),
      await shell.type('sess ls-objects --dangling'),
      await shell.type('sess hash-object -w', {
        stdin: [
          '{"parents":["019d4e07/why"],"type":"pi/compaction","body":{"summary":"Short."},"links":{"firstKept":"019d4e07~6"}}\n',
        ],
      }),
      await shell.type('sess hash-object -w', {
        stdin: ['{"parents":["019d4e07~4"],"type":"note","body":1,"links":{"target":"019d4e07"}}\n'],
      }),
      await shell.type('sess hash-object -w', {
        stdin: ['{"type":"note","body":1,"links":{"target":"019d4e07"}}\n'],
      }),
      await shell.type('sess fsck'),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess hash-object -w
    6856feb74c7ae38a1b15392711a66a4b75c47b25faf450a728e964e82ce238c2
    $ sess ls-objects --dangling
    6856feb74c7ae38a1b15392711a66a4b75c47b25faf450a728e964e82ce238c2 sess/note 1
    $ sess update-ref sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches/why 6856
    $ sess log 019d4e07/why -n 2
    6856feb74c  -                 -          (why) [sess/note]
    ee044e52d9  2026-04-02 07:30  tool       ← real 0m0.214s
    $ sess ls-objects --dangling
    $ sess hash-object -w
    72cc5ce7dbd1155e4b23b948ccac2c11b5fccb51166655f576c23e1dc83c09d7
    $ sess hash-object -w
    ! sess: invalid entry: the link '019d4e07' names no ancestor
    ! hint: each line is {"type":"sess/message","body":{"role":"user","content":"…"}}
    exit 1
    $ sess hash-object -w
    ! sess: invalid entry: the link '019d4e07' names no ancestor
    ! hint: each line is {"type":"sess/message","body":{"role":"user","content":"…"}}
    exit 1
    $ sess fsck
    all is well: 58 entries, 5 sessions, 98 records, 2 operations
    "
  `)
})

it('says which line is no entry', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(
    [
      await shell.type('sess hash-object', {
        stdin: ['{"body":{"role":"user","content":"Hi"}}\n{"body":1}\n'],
      }),
      await shell.type('sess hash-object', { stdin: ['no JSON'] }),
      await shell.type('sess hash-object', { stdin: ['{"type":"note","body":1,"parents":"x"}'] }),
      await shell.type('sess hash-object', { stdin: ['{"type":"note","body":1,"parents":[1]}'] }),
      await shell.type('sess hash-object', { stdin: ['{"type":"note","body":1,"links":[]}'] }),
      await shell.type('sess hash-object', { stdin: ['{"type":"note","body":1,"links":{"next":"x"}}'] }),
      await shell.type('sess hash-object', { stdin: ['{"type":"note","body":1,"links":{"kept":["x",2]}}'] }),
      await shell.type('sess hash-object', { stdin: ['{"type":"note","body":1,"links":{"target":2}}'] }),
      await shell.type('sess hash-object -w', { stdin: ['{"type":"note","body":1,"parents":["nothing"]}'] }),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess hash-object
    d878049e4397d4e9d494af6fca9c6e469b72123b7cd6f6d2a4e493acbb5060a8
    ! sess: invalid entry: line 2: the body of a message is an object
    ! hint: each line is {"type":"sess/message","body":{"role":"user","content":"…"}}
    exit 1
    $ sess hash-object
    ! sess: invalid entry: line 1: it is not JSON
    ! hint: each line is {"type":"sess/message","body":{"role":"user","content":"…"}}
    exit 1
    $ sess hash-object
    ! sess: invalid entry: line 1: its parents are not a list
    ! hint: each line is {"type":"sess/message","body":{"role":"user","content":"…"}}
    exit 1
    $ sess hash-object
    ! sess: invalid entry: line 1: one of its parents is not a text
    ! hint: each line is {"type":"sess/message","body":{"role":"user","content":"…"}}
    exit 1
    $ sess hash-object
    ! sess: invalid entry: line 1: its links are not an object
    ! hint: each line is {"type":"sess/message","body":{"role":"user","content":"…"}}
    exit 1
    $ sess hash-object
    ! sess: invalid entry: line 1: 'next' is not a link
    ! hint: each line is {"type":"sess/message","body":{"role":"user","content":"…"}}
    exit 1
    $ sess hash-object
    ! sess: invalid entry: line 1: one of its kept is not a text
    ! hint: each line is {"type":"sess/message","body":{"role":"user","content":"…"}}
    exit 1
    $ sess hash-object
    ! sess: invalid entry: line 1: its target is not a text
    ! hint: each line is {"type":"sess/message","body":{"role":"user","content":"…"}}
    exit 1
    $ sess hash-object -w
    ! sess: no session or entry is called 'nothing'
    ! hint: type 'sess ls' to see the sessions
    exit 1
    "
  `)
})

it('gives every entry the oid that it has', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  const { stdout: oids } = await shell.run('sess rev-list --all --reverse')
  const { stdout: files } = await shell.run('sess cat-file --batch', { stdin: [oids] })
  expect((await shell.run('sess hash-object', { stdin: [files] })).stdout).toBe(oids)
  const copied = await shell.run('sess init --store copy')
  expect(copied.code).toBe(0)
  expect((await shell.run('sess hash-object -w --store copy', { stdin: [files] })).stdout).toBe(oids)
  expect(await shell.type('sess fsck --store copy')).toContain('all is well: 56 entries, 0 sessions')
})

import { expect, it } from 'vitest'
import { Shell } from '../support/shell.ts'

const said = (content: string, role = 'user'): string => `${JSON.stringify({ body: { role, content } })}\n`

it('prints an oid for each line', async () => {
  const shell = new Shell({ samples: false })
  const lines = [
    `{"type":"sess/message","body":{"role":"user","content":"one"}}\n`,
    '\n',
    said('two', 'assistant'),
  ]
  expect(
    [
      await shell.type('sess append --new --title notes --json', { stdin: lines }),
      await shell.type('sess append notes', { stdin: [said('three').trimEnd()] }),
      await shell.type('sess append notes --role tool', { stdin: ['fo', 'ur\n', 'lines'] }),
      await shell.type('sess log notes'),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess append --new --title notes --json
    {"session":"019de368-f600-7617-9819-1a1b1c1d1e1f"}
    {"oid":"945c67912f558dc142e4d4a66f901e77031cf0ef68a4d2598cef6dea2970bd6e"}
    {"oid":"224236c8851c8b35ad229c39279a782f09fa1972355378dc1e0ea1dfd6390ae2"}
    $ sess append notes
    b42e4973db880b9a36ead07ca40f3342ece868ee5e6aacb791225a747db082e3
    $ sess append notes --role tool
    061a66c3fc8daf5875f41f33c33659a1e848bcf622e20a18d4d73178c810f6d1
    $ sess log notes
    061a66c3fc  2026-05-01 12:02  tool       (*main) four
    b42e4973db  2026-05-01 12:01  user       three
    224236c885  2026-05-01 12:00  assistant  two
    945c67912f  2026-05-01 12:00  user       one
    "
  `)
})

it('says so where no entry came', async () => {
  const shell = new Shell({ samples: false })
  await shell.run('sess append --new --title notes')
  expect(await shell.type('sess append notes', { stdin: ['\n'] })).toBe(
    '$ sess append notes\n! standard input was empty: no entry was added\n',
  )
})

it('adds no message without a text, and takes none that is not UTF-8', async () => {
  const shell = new Shell({ samples: false })
  await shell.run('sess append --new --title notes')
  expect(await shell.type('sess append notes --role user', { stdin: [] })).toBe(
    '$ sess append notes --role user\n! standard input was empty: no entry was added\n',
  )
  const { code, stderr } = await shell.run('sess append notes --role user', { stdin: [Uint8Array.of(0xff)] })
  expect([code, stderr]).toEqual([
    1,
    'sess: invalid entry: it is not UTF-8\nhint: give it as text in UTF-8\n',
  ])
})

it('acknowledges what came before a line that is no entry', async () => {
  const shell = new Shell({ samples: false })
  await shell.run('sess append --new --title notes')
  const wrong = [
    'not json',
    '[1]',
    '{"type":"message"}',
    '{"type":7,"body":{}}',
    '{"type":"no type","body":{}}',
    '{"body":{"role":"nobody","content":"x"}}',
    '{"body":{"role":"user","content":7}}',
  ]
  const transcripts: string[] = []
  for (const line of wrong)
    transcripts.push(
      await shell.type('sess append notes', { stdin: [`${said(line)}\n${line}\n${said('never')}`] }),
    )
  expect(transcripts.join('')).toMatchInlineSnapshot(`
    "$ sess append notes
    df4d83aba1f2a55a2e1e325060f9755c66802f90ebb337925494e9dd8f494d51
    ! sess: invalid entry: line 3: it is not JSON
    ! hint: each line is {"type":"sess/message","body":{"role":"user","content":"…"}}
    exit 1
    $ sess append notes
    376b52444c5c17e2632e03052164e78279f4db522c4e63ba70e2b14f90dcf9e5
    ! sess: invalid entry: line 3: it is not a JSON object
    ! hint: each line is {"type":"sess/message","body":{"role":"user","content":"…"}}
    exit 1
    $ sess append notes
    2cbcb2f285d88b9091dbd8906c9f68e371161833e7df2299d8f3ce5f71146943
    ! sess: invalid entry: line 3: it has no body
    ! hint: each line is {"type":"sess/message","body":{"role":"user","content":"…"}}
    exit 1
    $ sess append notes
    a3d218e721edc0193016eac0575311e34f8183043765ccacbee2cd7623ff6ce5
    ! sess: invalid entry: line 3: its type is not a text
    ! hint: each line is {"type":"sess/message","body":{"role":"user","content":"…"}}
    exit 1
    $ sess append notes
    b6f784d45728df7b7b141c7032d4da580b9672f1ecd3f5ddae0026508a294f21
    ! sess: invalid entry: line 3: 'no type' is no type
    ! hint: each line is {"type":"sess/message","body":{"role":"user","content":"…"}}
    exit 1
    $ sess append notes
    6181c5c98f23af3ce8cdd17946f52dc99e3487d050aee67f0adf55bc3ee1ff34
    ! sess: invalid entry: line 3: the role is none of user, assistant, tool, system
    ! hint: each line is {"type":"sess/message","body":{"role":"user","content":"…"}}
    exit 1
    $ sess append notes
    3419efb06a7480f6c2caaa497ebdea0efbf0477deb1647e7177427e3fb0b0ee3
    ! sess: invalid entry: line 3: the content is no text and no list of blocks
    ! hint: each line is {"type":"sess/message","body":{"role":"user","content":"…"}}
    exit 1
    "
  `)
  expect((await shell.run('sess log notes')).stdout.split('\n').slice(0, -1)).toHaveLength(wrong.length)
})

it('refuses bytes that are no UTF-8', async () => {
  const shell = new Shell({ samples: false })
  const stdin = [new Uint8Array([0x7b, 0xff, 0x7d])]
  expect(
    [
      await shell.type('sess append --new --title notes', { stdin }),
      await shell.type('sess append notes --role user', { stdin }),
      await shell.type('sess append notes --role nobody', { stdin: ['x'] }),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess append --new --title notes
    019de368-f600-7617-9819-1a1b1c1d1e1f
    ! sess: invalid entry: line 1: it is not UTF-8
    ! hint: each line is {"type":"sess/message","body":{"role":"user","content":"…"}}
    exit 1
    $ sess append notes --role user
    ! sess: invalid entry: it is not UTF-8
    ! hint: give it as text in UTF-8
    exit 1
    $ sess append notes --role nobody
    ! sess: invalid entry: the role is none of user, assistant, tool, system
    ! hint: each line is {"type":"sess/message","body":{"role":"user","content":"…"}}
    exit 1
    "
  `)
})

it('takes any type and any body, as it was said', async () => {
  const shell = new Shell({ samples: false })
  const body = '{"role":"user","content":"x","2":1,"1":-0,"a":1,"a":2,"big":12345678901234567891}'
  await shell.run('sess append --new --title odd', { stdin: [`{"type":"mine/odd","body":${body}}`] })
  const { stdout } = await shell.run('sess cat-file odd')
  expect(stdout).toContain(`"type":"mine/odd","body":${body}`)
})

it('appends a thousand lines that come in any pieces', async () => {
  const shell = new Shell({ samples: false })
  const text = Array.from({ length: 1000 }, (_, i) => said(`line ${i} é😀`)).join('')
  const bytes = Buffer.from(text)
  const stdin = Array.from({ length: Math.ceil(bytes.length / 777) }, (_, i) =>
    bytes.subarray(777 * i, 777 * (i + 1)),
  )
  const { stdout } = await shell.run('sess append --new --title many', { stdin })
  const oids = stdout.trimEnd().split('\n').slice(1)
  const logged = (await shell.run('sess log many --json')).stdout.trimEnd().split('\n')
  const entries = logged.map((line) => JSON.parse(line) as { oid: string; text: string }).reverse()
  expect(entries.map(({ oid }) => oid)).toEqual(oids)
  expect(entries.map(({ text: words }) => words)).toEqual(
    Array.from({ length: 1000 }, (_, i) => `line ${i} é😀`),
  )
})

it('has each entry durable when its oid is printed', async () => {
  const shell = new Shell({ samples: false })
  await shell.run('sess append --new --title talk')
  let seen = ''
  async function* talk(): AsyncGenerator<string> {
    yield said('first')
    // Another process, while the first waits for its next line.
    seen = (await shell.run('sess log talk')).stdout
    yield said('second')
  }
  const { stdout } = await shell.run('sess append talk', { stdin: talk() })
  expect(seen).toContain('(*main) first')
  expect(stdout.trimEnd().split('\n')).toHaveLength(2)
})

it('says how it is used', async () => {
  const shell = new Shell({ samples: false })
  await shell.run('sess init')
  expect(
    [
      await shell.type('sess append'),
      await shell.type('sess append x --new'),
      await shell.type('sess append x --title t'),
      await shell.type('sess append x'),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess append
    ! sess: no session was named
    ! hint: type 'sess append SESSION', or 'sess append --new' to create one
    exit 2
    $ sess append x --new
    ! sess: '--new' and <session> exclude each other
    ! hint: type 'sess help append' to see how it is used
    exit 2
    $ sess append x --title t
    ! sess: '--title' needs '--new'
    ! hint: type 'sess help append' to see how it is used
    exit 2
    $ sess append x
    ! sess: no session is called 'x'
    ! hint: there are no sessions yet: type 'sess import' to import those of this machine
    exit 1
    "
  `)
})

it('appends to a branch, wherever the session stands', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  const done = ['{"type":"agent_action","body":{"action":"complete","agentId":"a1"}}']
  expect(
    [
      await shell.type('sess branch 3b1f a1'),
      await shell.type('sess append 3b1f --branch a1', { stdin: done }),
      await shell.type('sess append 3b1f --branch a1 --role assistant', { stdin: ['Done.'] }),
      await shell.type('sess log 3b1f..3b1f/a1'),
      await shell.type('sess append 3b1f --branch a2', { stdin: done }),
      await shell.type('sess append --new --branch a2', { stdin: done }),
      await shell.type('sess append 3b1f --branch a1', { stdin: ['{"type":"agent_action","body":{}}'] }),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess branch 3b1f a1
    Created branch a1 at 98c5e71acd
    $ sess append 3b1f --branch a1
    46557b2b809ec744fb26a19d741f383f04acdddc42d03511c5fb35ecf3d3e663
    $ sess append 3b1f --branch a1 --role assistant
    2e77b338bc7f7c3b377345cbfcf8c42667a7566cdfa4dcfb1dd480450afd006a
    $ sess log 3b1f..3b1f/a1
    2e77b338bc  2026-05-01 12:03  assistant  (a1) Done.
    46557b2b80  2026-05-01 12:02  -          [agent a1: complete]
    $ sess append 3b1f --branch a2
    ! sess: no branch is called '3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/a2'
    ! hint: did you mean '3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/a1'? type 'sess branch SESSION' to see its branches
    exit 1
    $ sess append --new --branch a2
    ! sess: '--new' and '--branch' exclude each other
    ! hint: type 'sess help append' to see how it is used
    exit 2
    $ sess append 3b1f --branch a1
    ! sess: invalid entry: line 1: the action is none of spawn, complete, fork, branch
    ! hint: each line is {"type":"sess/message","body":{"role":"user","content":"…"}}
    exit 1
    "
  `)
})

it('says on a terminal how the input ends', async () => {
  const shell = new Shell({ samples: false })
  const terminal = true
  const { stderr } = await shell.run('sess append --new --role user', { terminal, stdin: ['Hi'] })
  expect(stderr).toBe('type the message; Ctrl-D on an empty line ends it\n')
  expect(
    (await shell.run('sess append --new', { terminal, stdin: ['{"body":{"role":"user","content":"Hi"}}'] }))
      .stderr,
  ).toBe('type one JSON object per line; Ctrl-D on an empty line ends it\n')
  expect((await shell.run('sess append --new --role user', { stdin: ['Hi'] })).stderr).toBe('')
  expect((await shell.run('sess append --new --role user --json', { terminal, stdin: ['Hi'] })).stderr).toBe(
    '',
  )
})

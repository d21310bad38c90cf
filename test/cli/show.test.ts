import { writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import type { JsonObject } from '../../src/model/json.ts'
import { Shell } from '../support/shell.ts'
import { asked, claudeLines } from '../support/transcripts.ts'

it('shows an entry in full, thinking folded', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(await shell.type('sess show 019d4e07~11')).toMatchInlineSnapshot(`
    "$ sess show 019d4e07~11
    entry    a6a5222043a4f59607033f56209449068982e521233d9a1a79bc912c26d552e3
    parent   2608754591
    role     assistant  pi/message
    time     2026-04-02 07:30
    session  019d4e07-5b20-7d11-a6c2-93e1f04b7a65
    native   5e1a0edc
    model    claude-sonnet-4-5
    cost     $0.0052
    tokens   1,200 input, 90 output, 800 cache read, 0 cache write

    thinking, 14 characters (--full shows it)

    → bash
      command: time node bin/tides.js brest
    ← result of bash  da92c074a5
      real 0m3.912s
      user 0m3.780s

    before   2608754591  user  Why is the forecast for Brest slow?
    after    da92c074a5  tool  ← real 0m3.912s
    "
  `)
  expect(await shell.type('sess show 019d4e07~11 --full')).toMatchInlineSnapshot(`
    "$ sess show 019d4e07~11 --full
    entry    a6a5222043a4f59607033f56209449068982e521233d9a1a79bc912c26d552e3
    parent   2608754591
    role     assistant  pi/message
    time     2026-04-02 07:30
    session  019d4e07-5b20-7d11-a6c2-93e1f04b7a65
    native   5e1a0edc
    model    claude-sonnet-4-5
    cost     $0.0052
    tokens   1,200 input, 90 output, 800 cache read, 0 cache write

    thinking
      Measure first.

    → bash
      command: time node bin/tides.js brest
    ← result of bash  da92c074a5
      real 0m3.912s
      user 0m3.780s

    before   2608754591  user  Why is the forecast for Brest slow?
    after    da92c074a5  tool  ← real 0m3.912s
    "
  `)
})

it('shows calls, results, compactions, settings and images', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(await shell.type('sess show 3b1f~2 3b1f~1 019d4e07~2 019d4e07~14')).toMatchInlineSnapshot(`
    "$ sess show 3b1f~2 3b1f~1 019d4e07~2 019d4e07~14
    entry    c15253199e9a85a569ee3beaef9e3c9cf2fe08660a21faa86e152fa911b6f5d4
    parent   044940b6dd
    role     assistant  claude/assistant
    time     2026-03-30 09:21
    session  3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14
    git      main
    native   4a1352e1-51d5-41b5-9343-7e6a0b40bf85
    model    claude-sonnet-4-5
    cost     ~$0.0148
    tokens   14 input, 220 output, 15,420 cache read, 1,830 cache write

    → Write
      file_path: /home/ada/tides/test/clock.test.js
      content: test('03:00 follows 01:59', () => {
        expect(clock(new Date('2026-03-29T00:59:00Z'))).toBe('01:59')
        expect(clock(new Date('2026-03-29T01:00:00Z'))).toBe('03:00')
      })
    ← result  6b65079442
      File created successfully at: /home/ada/tides/test/clock.test.js

    before   044940b6dd  user  Add a test for the night when the clocks change.
    after    6b65079442  tool  ← File created successfully at: /home/ada/tides/test/clock.test.js

    entry    6b65079442994a9a7771eb6b6b0e55d3cde436016a44d77499b96900e6feb3e7
    parent   c15253199e
    role     tool  claude/user
    time     2026-03-30 09:21
    session  3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14
    git      main
    native   4a13721e-51d6-41b6-934a-7e6aa9783936

    → Write  c15253199e
      file_path: /home/ada/tides/test/clock.test.js
      content: test('03:00 follows 01:59', () => {
        expect(clock(new Date('2026-03-29T00:59:00Z'))).toBe('01:59')
        expect(clock(new Date('2026-03-29T01:00:00Z'))).toBe('03:00')
      })
    ← result
      File created successfully at: /home/ada/tides/test/clock.test.js

    before   c15253199e  assistant  → Write /home/ada/tides/test/clock.test.js test('03:00 follows 01:5…
    after    98c5e71acd  assistant  Added \`test/clock.test.js\`: 03:00 follows 01:59. It passes, and it…

    entry    283d4aa753d55b72f4943c8092ff1c4aa70e62840b3b9bc1c1cade3b8c8406d8
    parent   a0209d045e
    role     -  pi/compaction
    time     2026-04-02 07:31
    session  019d4e07-5b20-7d11-a6c2-93e1f04b7a65
    native   5e1a37b9

    compaction
    The forecast for Brest took 3.9 s because harmonics were computed every minute. They are computed once a day now: 0.2 s.

    before   a0209d045e  assistant  0.2 s now. The heights differ by less than a millimetre.
    after    dd442d3969  user  Do the same for all harbours.

    entry    0b1a5a0e876a29934c750916ebd88fcecb48165d0704382952527f1b2ce82385
    role     -  pi/model_change
    time     2026-04-02 07:30
    session  019d4e07-5b20-7d11-a6c2-93e1f04b7a65
    native   5e1a03b7
    model    claude-sonnet-4-5

    after    bf269ecd56  -  thinking: medium
    "
  `)
  const content = [
    { type: 'text', text: 'see' },
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
  ]
  await shell.run('sess append --new --title picture', {
    stdin: [JSON.stringify({ body: { role: 'user', content } })],
  })
  expect(await shell.type('sess show picture')).toMatchInlineSnapshot(`
    "$ sess show picture
    entry    54dac59ee8221374416c61cc1570361475e8a7991f295082333a54b0d75f9edc
    role     user  sess/message
    time     2026-05-01 12:02
    session  019de36a-cac0-7617-9819-1a1b1c1d1e1f
    branch   main

    see

    image image/png, 8 bytes
    "
  `)
})

it('gives scripts the body and the record too', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  const { stdout } = await shell.run('sess show 3b1f~3 --json')
  expect(JSON.parse(stdout)).toMatchInlineSnapshot(`
    {
      "after": "c15253199e9a85a569ee3beaef9e3c9cf2fe08660a21faa86e152fa911b6f5d4",
      "agents": [],
      "answers": [],
      "body": {
        "message": {
          "content": "Add a test for the night when the clocks change.",
          "role": "user",
        },
        "type": "user",
      },
      "branches": [],
      "continuedIn": null,
      "digest": "b98e3816b7820a198b9f6c4f4e96c0d72036796c69fba8bd08dce57558fc9da3",
      "git": {
        "branch": "main",
        "branches": [
          "main",
        ],
        "commit": null,
        "commits": [],
        "repositories": [],
        "repository": null,
      },
      "labels": [],
      "native": "4a1333a4-51d4-41b4-933c-7e696d0945d4",
      "oid": "044940b6dd9c1146318c95c591c87c5cf11e3849755e1de6c29631305f0b712d",
      "parents": [
        "8d9c0e3aabd738e9667a480b3e9a90ac6805451b5e3d3b6a94e75298551a7a42",
      ],
      "pullRequests": [],
      "record": {
        "cwd": "/home/ada/tides",
        "gitBranch": "main",
        "isSidechain": false,
        "message": {
          "content": "Add a test for the night when the clocks change.",
          "role": "user",
        },
        "parentUuid": "4a131467-51d3-41b3-9335-7e68ced1cc23",
        "sessionId": "3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14",
        "timestamp": "2026-03-30T09:21:03.740Z",
        "type": "user",
        "userType": "external",
        "uuid": "4a1333a4-51d4-41b4-933c-7e696d0945d4",
        "version": "2.1.62",
      },
      "reportedCost": null,
      "role": "user",
      "session": "3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14",
      "set": {},
      "text": "Add a test for the night when the clocks change.",
      "time": "2026-03-30T09:21:03.740Z",
      "type": "claude/user",
    }
  `)
})

it('shows a call with its result, and a result with its call, over what stands between', async () => {
  const shell = new Shell({ samples: false })
  const call = (id: string, path: string): object => ({
    type: 'toolCall',
    id,
    name: 'read',
    arguments: { path },
  })
  const result = (id: string, text: string): object => ({
    body: { role: 'tool', content: [{ type: 'toolResult', id, text }] },
  })
  const lines = [
    { body: { role: 'user', content: 'Compare a and b' } },
    {
      body: { role: 'assistant', content: [{ type: 'text', text: 'Both.' }, call('1', 'a'), call('2', 'b')] },
    },
    result('2', 'bbb'),
    result('1', Array.from({ length: 9 }, (_, i) => `line ${i}`).join('\n')),
    { body: { role: 'assistant', content: [call('3', 'c')] } },
  ]
  await shell.run('sess append --new --title pair', {
    stdin: lines.map((line) => `${JSON.stringify(line)}\n`),
  })
  await shell.run('sess branch pair asked pair~3')
  expect(
    [
      await shell.type('sess show pair~3', { columns: 60 }),
      await shell.type('sess show pair~1', { columns: 60 }),
      await shell.type('sess show pair', { columns: 60 }),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess show pair~3
    entry    cbbe1fd6fb338d8f8205f3dc2fbf6b5b3aa63b230255af6fad05457c9bfef066
    parent   928d913841
    role     assistant  sess/message
    time     2026-05-01 12:00
    session  019de368-f600-7617-9819-1a1b1c1d1e1f
    branch   asked

    Both.

    → read
      path: a
    ← result  5d818503cf
      line 0
      line 1
      line 2
      line 3
      line 4
      line 5
      … 3 more lines (--full shows them)

    → read
      path: b
    ← result  83fb278a8f
      bbb

    before   928d913841  user  Compare a and b
    after    83fb278a8f  tool  ← bbb
    $ sess show pair~1
    entry    5d818503cfa4f9ca61170541b07beba9795cf7af73fc98be954b3997b52bccae
    parent   83fb278a8f
    role     tool  sess/message
    time     2026-05-01 12:00
    session  019de368-f600-7617-9819-1a1b1c1d1e1f

    → read  cbbe1fd6fb
      path: a
    ← result
      line 0
      line 1
      line 2
      line 3
      line 4
      line 5
      line 6
      line 7
      line 8

    before   83fb278a8f  tool  ← bbb
    after    771e39a139  assistant  → read c
    $ sess show pair
    entry    771e39a139347cf9b0b5cb9a9a9a33e67be180cf160abc414ac558d1af979150
    parent   5d818503cf
    role     assistant  sess/message
    time     2026-05-01 12:00
    session  019de368-f600-7617-9819-1a1b1c1d1e1f
    branch   main

    → read
      path: c

    before   5d818503cf  tool  ← line 0
    "
  `)
  const { stdout } = await shell.run('sess show pair~3 --json')
  const { answers, after, branches } = JSON.parse(stdout) as Record<string, unknown>
  const oids = (await shell.run('sess rev-list pair')).stdout.split('\n')
  expect({ answers, after, branches }).toEqual({
    answers: [
      { id: '2', oid: oids[2] },
      { id: '1', oid: oids[1] },
    ],
    after: oids[2],
    branches: ['asked'],
  })
})

it('follows the branch that an entry lies on', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  const after = async (revision: string): Promise<string | null> =>
    (JSON.parse((await shell.run(`sess show ${revision} --json`)).stdout) as { after: string | null }).after
  const [, , second] = (await shell.run('sess rev-list 3b1f/at-1d9fca05')).stdout.split('\n')
  const [own = ''] = (await shell.run('sess rev-parse 3b1f/at-1d9fca05~3')).stdout.split('\n')
  expect(await after('3b1f/at-1d9fca05~3')).toBe(second)
  expect(await after('3b1f/at-1d9fca05')).toBe(null)
  expect(await after('3b1f')).toBe(null)
  expect(await after(own)).toBe(null)
})

it('shows a path with a line for each entry, and the usage of a model call once', async () => {
  const shell = new Shell()
  const says = (uuid: string, parent: string | null, block: JsonObject, output: number) => ({
    ...{ type: 'assistant', uuid, parentUuid: parent },
    message: {
      ...{ role: 'assistant', id: 'msg-1', model: 'claude-sonnet-4-5', content: [block] },
      usage: { input_tokens: 10, output_tokens: output },
    },
  })
  const lines = claudeLines(
    '5d0c0b7e-2f6a-4b8c-9d7e-1a2b3c4d5e6f',
    asked('u1', null, 'Why?'),
    says('a1', 'u1', { type: 'text', text: 'I look.' }, 1),
    says('a2', 'a1', { type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'ls' } }, 40),
    {
      ...asked('r1', 'a2'),
      message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'a' }] },
    },
  )
  writeFileSync(shell.path('one.jsonl'), lines.join(''))
  await shell.run('sess import one.jsonl')
  expect(await shell.type('sess show 5d0c --all')).toMatchInlineSnapshot(`
    "$ sess show 5d0c --all
    9991373151  user  2026-01-01 00:00

    Why?

    a2c8b371ee  assistant  2026-01-01 00:01  ~$0.0006  10 input, 40 output tokens

    I look.

    adb0cf8b10  assistant  2026-01-01 00:02

    → Bash
      command: ls

    6b10415023  tool  2026-01-01 00:03  (*main)

    ← result
      a
    "
  `)
  const { stdout } = await shell.run('sess show 5d0c --all -T full')
  expect(stdout).toContain('native   a1\n')
})

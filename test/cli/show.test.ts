import { expect, it } from 'vitest'
import { Shell } from '../support/shell.ts'

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
    tokens   1,200 input, 90 output, 800 cache read, 0 cache write

    thinking, 14 characters (--full shows it)

    → bash
      command: time node bin/tides.js brest
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
    tokens   1,200 input, 90 output, 800 cache read, 0 cache write

    thinking
      Measure first.

    → bash
      command: time node bin/tides.js brest
    "
  `)
})

it('shows calls, results, compactions, settings and images', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(await shell.type('sess show 3b1f~2 3b1f~1 019d4e07~2 019d4e07~14')).toMatchInlineSnapshot(`
    "$ sess show 3b1f~2 3b1f~1 019d4e07~2 019d4e07~14
    entry    4d0956023c4a312c872592d0791b2c140e2de2476250345bf41227472bace631
    parent   43f5ff2872
    role     assistant  claude/assistant
    time     2026-03-30 09:21
    session  3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14
    native   4a1352e1-51d5-41b5-9343-7e6a0b40bf85
    model    claude-sonnet-4-5
    tokens   14 input, 220 output, 15,420 cache read, 1,830 cache write

    → Write
      file_path: /home/ada/tides/test/clock.test.js
      content: test('03:00 follows 01:59', () => {
        expect(clock(new Date('2026-03-29T00:59:00Z'))).toBe('01:59')
        expect(clock(new Date('2026-03-29T01:00:00Z'))).toBe('03:00')
      })

    entry    9e818d842cb862a99c8d56441e173c858a7f8bdf966b9d2120d15d1ef93a76e1
    parent   4d0956023c
    role     tool  claude/user
    time     2026-03-30 09:21
    session  3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14
    native   4a13721e-51d6-41b6-934a-7e6aa9783936

    ← result
      File created successfully at: /home/ada/tides/test/clock.test.js

    entry    283d4aa753d55b72f4943c8092ff1c4aa70e62840b3b9bc1c1cade3b8c8406d8
    parent   a0209d045e
    role     -  pi/compaction
    time     2026-04-02 07:31
    session  019d4e07-5b20-7d11-a6c2-93e1f04b7a65
    native   5e1a37b9

    compaction
    The forecast for Brest took 3.9 s because harmonics were computed every minute. They are computed once a day now: 0.2 s.

    entry    0b1a5a0e876a29934c750916ebd88fcecb48165d0704382952527f1b2ce82385
    role     -  pi/model_change
    time     2026-04-02 07:30
    session  019d4e07-5b20-7d11-a6c2-93e1f04b7a65
    native   5e1a03b7
    model    claude-sonnet-4-5
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
      "body": {
        "message": {
          "content": "Add a test for the night when the clocks change.",
          "role": "user",
        },
        "type": "user",
      },
      "digest": "b98e3816b7820a198b9f6c4f4e96c0d72036796c69fba8bd08dce57558fc9da3",
      "labels": [],
      "native": "4a1333a4-51d4-41b4-933c-7e696d0945d4",
      "oid": "43f5ff28723706b73954fae26dc199c1e3c2cf3e3544aab2ed1dd646f978097f",
      "parents": [
        "753c6d8420256785167a6010c48b121fb30a4cc7e72b72397aafbceb0060974f",
      ],
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
      "role": "user",
      "session": "3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14",
      "set": {},
      "text": "Add a test for the night when the clocks change.",
      "time": "2026-03-30T09:21:03.740Z",
      "type": "claude/user",
    }
  `)
})

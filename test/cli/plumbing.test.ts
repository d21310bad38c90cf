import { expect, it } from 'vitest'
import { Shell } from '../support/shell.ts'

it('rev-parse gives the full oid of any revision', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(
    [
      await shell.type('sess rev-parse 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14'),
      await shell.type('sess rev-parse 3b1f/at-1d9fca05'),
      await shell.type('sess rev-parse "Tide table one hour off"'),
      await shell.type('sess rev-parse 98c5 --json'),
      await shell.type('sess rev-parse 019d'),
      await shell.type('sess rev-parse 3b1f~99'),
      await shell.type('sess rev-parse "Tide table one hour of"'),
      await shell.type('sess rev-parse nothing'),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess rev-parse 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14
    98c5e71acd891047e22327f00a02dc1fe93c5c198ac6cdb249082933b58f9be4
    $ sess rev-parse 3b1f/at-1d9fca05
    eeb9681aa7fcd10088f38ac560f4bea00a4a15cb33232668f9ebd8dc3942b898
    $ sess rev-parse "Tide table one hour off"
    98c5e71acd891047e22327f00a02dc1fe93c5c198ac6cdb249082933b58f9be4
    $ sess rev-parse 98c5 --json
    {"oid":"98c5e71acd891047e22327f00a02dc1fe93c5c198ac6cdb249082933b58f9be4"}
    $ sess rev-parse 019d
    ! sess: '019d' is ambiguous
    !   019d3f52-7a10-7c43-9be1-40f6d2a8c531  2026-03-31 14:10  codex  Which harbours does the table know?
    !   019d4482-11c6-7e90-8f2a-b3d97e610c48  2026-04-01 08:00  codex  Which harbours does the table know?
    !   019d4e07-5b20-7d11-a6c2-93e1f04b7a65  2026-04-02 07:31  pi     Slow forecast for Brest
    ! hint: use more of the id, or the id of the one that you mean
    exit 1
    $ sess rev-parse 3b1f~99
    ! sess: there is no entry '3b1f~99' (the path ends before it)
    ! hint: type 'sess log SESSION' to see a session's entries
    exit 1
    $ sess rev-parse "Tide table one hour of"
    ! sess: no session or entry is called 'Tide table one hour of'
    ! hint: did you mean 'Tide table one hour off' or 'Tide table one hour off (fork)'? type 'sess ls' to see the sessions
    exit 1
    $ sess rev-parse nothing
    ! sess: no session or entry is called 'nothing'
    ! hint: type 'sess ls' to see the sessions
    exit 1
    "
  `)
})

it('merge-base gives the fork point, or nothing', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(
    [
      await shell.type('sess merge-base 3b1f c7d0'),
      await shell.type('sess merge-base 3b1f c7d0 --json'),
      await shell.type('sess merge-base 3b1f 019d4e07'),
      await shell.type('sess merge-base 3b1f 019d4e07 --json'),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess merge-base 3b1f c7d0
    250fc9e939f7238a0bd2a3e328aaf2c4a5ac8414a0aa90d245a089d92ab73efc
    $ sess merge-base 3b1f c7d0 --json
    {"oid":"250fc9e939f7238a0bd2a3e328aaf2c4a5ac8414a0aa90d245a089d92ab73efc"}
    $ sess merge-base 3b1f 019d4e07
    exit 1
    $ sess merge-base 3b1f 019d4e07 --json
    exit 1
    "
  `)
})

it('cat-file gives an entry as it is exported', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(await shell.type('sess cat-file 019d4e07~2')).toMatchInlineSnapshot(`
    "$ sess cat-file 019d4e07~2
    {"oid":"283d4aa753d55b72f4943c8092ff1c4aa70e62840b3b9bc1c1cade3b8c8406d8","parents":["a0209d045ed9105f6f9855b887184a52b616090c6f9f9ccf7ca65ca1a2879f71"],"type":"pi/compaction","body":{"summary":"The forecast for Brest took 3.9 s because harmonics were computed every minute. They are computed once a day now: 0.2 s.","tokensBefore":24110,"details":{"readFiles":[],"modifiedFiles":["src/harmonics.js"]}},"links":{"firstKept":"a0209d045ed9105f6f9855b887184a52b616090c6f9f9ccf7ca65ca1a2879f71"}}
    "
  `)
})

it('rev-parse gives several, and short ones', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(
    [
      await shell.type('sess rev-parse --short 3b1f 3b1f~2'),
      await shell.type('sess rev-parse --short 3b1f --json'),
      await shell.type('sess rev-parse -z 3b1f c7d0'),
      await shell.type('sess rev-parse 3b1f nothing'),
    ]
      .join('')
      .replaceAll('\0', '␀'),
  ).toMatchInlineSnapshot(`
    "$ sess rev-parse --short 3b1f 3b1f~2
    98c5e71acd
    c15253199e
    $ sess rev-parse --short 3b1f --json
    {"oid":"98c5e71acd891047e22327f00a02dc1fe93c5c198ac6cdb249082933b58f9be4","short":"98c5e71acd"}
    $ sess rev-parse -z 3b1f c7d0
    98c5e71acd891047e22327f00a02dc1fe93c5c198ac6cdb249082933b58f9be4␀732cfba3f32d22977cc6bdb406b85aca3c45d7010b380859b8937a07c8cc5aba␀$ sess rev-parse 3b1f nothing
    98c5e71acd891047e22327f00a02dc1fe93c5c198ac6cdb249082933b58f9be4
    ! sess: no session or entry is called 'nothing'
    ! hint: type 'sess ls' to see the sessions
    exit 1
    "
  `)
})

it('cat-file answers each line of standard input', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(
    [
      await shell.type('sess cat-file --batch', { stdin: ['019d4e07~4\nnothing\n019d\n\n'] }),
      await shell.type('sess cat-file --batch -z', { stdin: ['019d4e07~4\0nothing'] }),
      await shell.type('sess cat-file'),
      await shell.type('sess cat-file --batch 3b1f'),
      await shell.type('sess cat-file nothing'),
    ]
      .join('')
      .replaceAll('\0', '␀'),
  ).toMatchInlineSnapshot(`
    "$ sess cat-file --batch
    {"oid":"ee044e52d9e581f26c52b37b6d66fd3e849e91c231e16f1f941dba1312d5e51c","parents":["602e3ec014a469aa05ecbef354d2e8fb82fe41c9faf58bd28d6671815b406f09"],"type":"pi/message","body":{"message":{"role":"toolResult","toolCallId":"toolu_p3","toolName":"bash","content":[{"type":"text","text":"real 0m0.214s\\nuser 0m0.190s\\n"}],"isError":false}}}
    {"missing":"nothing"}
    {"ambiguous":"019d"}
    {"missing":""}
    $ sess cat-file --batch -z
    {"oid":"ee044e52d9e581f26c52b37b6d66fd3e849e91c231e16f1f941dba1312d5e51c","parents":["602e3ec014a469aa05ecbef354d2e8fb82fe41c9faf58bd28d6671815b406f09"],"type":"pi/message","body":{"message":{"role":"toolResult","toolCallId":"toolu_p3","toolName":"bash","content":[{"type":"text","text":"real 0m0.214s\\nuser 0m0.190s\\n"}],"isError":false}}}␀{"missing":"nothing"}␀$ sess cat-file
    ! sess: no revision was named
    ! hint: type 'sess cat-file REVISION', or give revisions on standard input with --batch
    exit 2
    $ sess cat-file --batch 3b1f
    ! sess: '--batch' and <revision> exclude each other
    ! hint: type 'sess help cat-file' to see how it is used
    exit 2
    $ sess cat-file nothing
    ! sess: no session or entry is called 'nothing'
    ! hint: type 'sess ls' to see the sessions
    exit 1
    "
  `)
})

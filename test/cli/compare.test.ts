import { expect, it } from 'vitest'
import { Shell } from '../support/shell.ts'

/** A message of the assistant on a branch, with what it took. */
const reply = (content: unknown, input: number, cost?: number): string =>
  `${JSON.stringify({ body: { role: 'assistant', content, usage: { input, output: 10, ...(cost && { cost }) } } })}\n`

it('shows what two branches took since they parted', async () => {
  //   prompt ─ … ─ c237 ─┬─ at-1d9fca05: install a library
  //                      └─ 3b1f~6: edit a file
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(await shell.type('sess compare 3b1f/at-1d9fca05 3b1f~6 --metric tokens')).toMatchInlineSnapshot(`
    "$ sess compare 3b1f/at-1d9fca05 3b1f~6 --metric tokens
    merge base: c237dd026e

                                    3b1f/at-1d9fca05            3b1f~6
    entries                                        4                 4
    messages                                       4                 4
    tool calls                                     1                 1
      Bash                                         1                 -
      Edit                                         -                 1
    errors                                         0                 0
    files                                          0                 1
      …ome/ada/tides/src/format.js                 -           changed
    tokens                                    34,968            34,968
      input                                       28                28
      output                                     440               440
      cache read                              30,840            30,840
      cache write                              3,660             3,660
    estimated                                     62               150  +88 (+141.9%)
    cost                                    ~$0.0297          ~$0.0297
    duration                                   18.5s             14.4s  -4.1s (-22.3%)
    last activity                   2026-03-30 09:04  2026-03-30 09:06
    outcome                                 complete          complete

    lowest in tokens: 3b1f/at-1d9fca05
    "
  `)
  expect(await shell.type('sess compare 3b1f 019d4e07 3b1f~6')).toMatchInlineSnapshot(`
    "$ sess compare 3b1f 019d4e07 3b1f~6
    nothing in common

                                                3b1f          019d4e07            3b1f~6  together
    entries                                       18                15                12        33
    messages                                      15                12                 9        27
    tool calls                                     4                 3                 3         7
      Grep                                         1                 -                 1         1
      Read                                         1                 -                 1         1
      Edit                                         1                 -                 1         1
      Write                                        1                 -                 -         1
      bash                                         -                 2                 -         2
      edit                                         -                 1                 -         1
    errors                                         0                 0                 0         0
    files                                          2                 1                 1         3
      …ome/ada/tides/src/format.js           changed                 -           changed   changed
      …da/tides/test/clock.test.js           changed                 -                 -   changed
      src/harmonics.js                             -           changed                 -   changed
    tokens                                   104,904            12,540            69,936   117,444
      input                                       84             7,200                56     7,284
      output                                   1,320               540               880     1,860
      cache read                              92,520             4,800            61,680    97,320
      cache write                             10,980                 0             7,320    10,980
    estimated                                    511               184               351       695
    cost                                    ~$0.0890           $0.0311          ~$0.0593  ~$0.1201
    duration                                  19m 7s             1m 4s            4m 34s
    last activity                   2026-03-30 09:21  2026-04-02 07:31  2026-03-30 09:06
    outcome                                 complete          complete          complete

    cost  3b1f to 019d4e07: -$0.0578 (-65.0%)
    cost  3b1f to 3b1f~6: -$0.0297 (-33.3%)
    cost  019d4e07 to 3b1f~6: +$0.0282 (+90.5%)
    lowest in cost: 019d4e07
    "
  `)
  expect(await shell.type('sess compare 3b1f c7d0 --whole --metric entries')).toMatchInlineSnapshot(`
    "$ sess compare 3b1f c7d0 --whole --metric entries
    merge base: 250fc9e939, counted from the beginning

                                                3b1f              c7d0  together
    entries                                       18                16        22  -2 (-11.1%)
    messages                                      15                13        19  -2 (-13.3%)
    tool calls                                     4                 4         5
      Grep                                         1                 1         1
      Read                                         1                 1         1
      Edit                                         1                 2         2
      Write                                        1                 -         1
    errors                                         0                 0         0
    files                                          2                 2         3
      …ome/ada/tides/src/format.js           changed           changed   changed
      …da/tides/test/clock.test.js           changed                 -   changed
      /home/ada/tides/src/table.js                 -           changed   changed
    tokens                                   104,904           104,904   139,872
      input                                       84                84       112
      output                                   1,320             1,320     1,760
      cache read                              92,520            92,520   123,360
      cache write                             10,980            10,980    14,640
    estimated                                    511               428       588  -83 (-16.2%)
    cost                                    ~$0.0890          ~$0.0890  ~$0.1186
    duration                                  19m 7s            38m 9s            +19m 2s (+99.6%)
    last activity                   2026-03-30 09:21  2026-03-30 09:40
    outcome                                 complete          complete

    lowest in entries: c7d0
    "
  `)
})

it('names the branch that cost least, and in what pairs differ', async () => {
  //   Try it ─┬─ a: two replies, the second one failing
  //           ├─ b: one reply, cheaper
  //           └─ main: one reply of which nobody knows the cost
  const shell = new Shell({ samples: false })
  await shell.run('sess append --new --title Race --role user', { stdin: ['Try it'] })
  await shell.run('sess branch Race a')
  await shell.run('sess branch Race b')
  const call = [{ type: 'toolCall', id: 'c', name: 'bash', arguments: { command: 'false' } }]
  const result = { role: 'tool', content: [{ type: 'toolResult', id: 'c', text: 'no', isError: true }] }
  const onto = async (branch: string, ...lines: string[]) => {
    await shell.run(`sess switch Race/${branch}`)
    await shell.run('sess append Race', { stdin: lines })
  }
  await onto('main', reply('Free?', 5))
  await onto('a', reply('First', 100, 0.03), reply(call, 50, 0.02), `${JSON.stringify({ body: result })}\n`)
  await onto('b', reply('Only', 80, 0.03))
  expect(await shell.type('sess compare Race/a Race/b')).toMatchInlineSnapshot(`
    "$ sess compare Race/a Race/b
    merge base: f7aa600bf7

                             Race/a            Race/b
    entries                       3                 1  -2 (-66.7%)
    messages                      3                 1  -2 (-66.7%)
    tool calls                    1                 0  -1 (-100.0%)
      bash                        1                 -
    errors                        1                 0  -1 (-100.0%)
    files                         0                 0
    tokens                      170                90  -80 (-47.1%)
      input                     150                80
      output                     20                10
      cache read                  0                 0
      cache write                 0                 0
    estimated                     9                 1  -8 (-88.9%)
    cost                    $0.0500           $0.0300  -$0.0200 (-40.0%)
    duration                   0.0s              0.0s
    last activity  2026-05-01 12:06  2026-05-01 12:08
    outcome                  failed          complete

    lowest in cost: Race/b
    "
  `)
  expect(await shell.type('sess compare Race/a Race/b Race/main')).toMatchInlineSnapshot(`
    "$ sess compare Race/a Race/b Race/main
    merge base: f7aa600bf7

                             Race/a            Race/b         Race/main
    entries                       3                 1                 1
    messages                      3                 1                 1
    tool calls                    1                 0                 0
      bash                        1                 -                 -
    errors                        1                 0                 0
    files                         0                 0                 0
    tokens                      170                90                15
      input                     150                80                 5
      output                     20                10                10
      cache read                  0                 0                 0
      cache write                 0                 0                 0
    estimated                     9                 1                 2
    cost                    $0.0500           $0.0300                 -
    duration                   0.0s              0.0s              0.0s
    last activity  2026-05-01 12:06  2026-05-01 12:08  2026-05-01 12:04
    outcome                  failed          complete          complete

    cost  Race/a to Race/b: -$0.0200 (-40.0%)
    lowest in cost: Race/b
    "
  `)
  expect(await shell.type('sess compare Race/b Race/a --json')).toMatchInlineSnapshot(`
    "$ sess compare Race/b Race/a --json
    {"base":"f7aa600bf75d7e3f69b0c018e71d5342c5342b8f2ead01cc0644fee9fba2b822","whole":false,"sides":[{"revision":"Race/b","oid":"9f39eed719ffe64fe66bc2d02c63550ace70c07f4ffddcef0ac7ff97519330e3","session":"019de368-f600-7617-9819-1a1b1c1d1e1f","branch":"b","entries":1,"messages":1,"roles":{"user":0,"assistant":1,"tool":0,"system":0},"calls":0,"tools":{},"errors":0,"files":{"read":[],"changed":[]},"tokens":{"input":80,"output":10,"cacheRead":0,"cacheWrite":0,"total":90},"cost":0.03,"computed":0,"unpriced":0,"estimated":1,"outcome":"complete","duration":0,"lastActivity":"2026-05-01T12:08:00.000Z"},{"revision":"Race/a","oid":"536cc07374401bb9babef1442bf8222972094472769a7d09ff44423af3669766","session":"019de368-f600-7617-9819-1a1b1c1d1e1f","branch":"a","entries":3,"messages":3,"roles":{"user":0,"assistant":2,"tool":1,"system":0},"calls":1,"tools":{"bash":1},"errors":1,"files":{"read":[],"changed":[]},"tokens":{"input":150,"output":20,"cacheRead":0,"cacheWrite":0,"total":170},"cost":0.05,"computed":0,"unpriced":0,"estimated":9,"outcome":"failed","duration":0,"lastActivity":"2026-05-01T12:06:00.000Z"}],"total":{"entries":4,"messages":4,"roles":{"user":0,"assistant":3,"tool":1,"system":0},"calls":1,"tools":{"bash":1},"errors":1,"files":{"read":[],"changed":[]},"tokens":{"input":230,"output":30,"cacheRead":0,"cacheWrite":0,"total":260},"cost":0.08,"computed":0,"unpriced":0,"estimated":10},"differences":[{"metric":"cost","a":"Race/b","b":"Race/a","diff":0.020000000000000004,"percent":66.66666666666669},{"metric":"tokens","a":"Race/b","b":"Race/a","diff":80,"percent":88.88888888888889},{"metric":"estimated","a":"Race/b","b":"Race/a","diff":8,"percent":800},{"metric":"errors","a":"Race/b","b":"Race/a","diff":1,"percent":0},{"metric":"duration","a":"Race/b","b":"Race/a","diff":0,"percent":0},{"metric":"calls","a":"Race/b","b":"Race/a","diff":1,"percent":0},{"metric":"messages","a":"Race/b","b":"Race/a","diff":2,"percent":200},{"metric":"entries","a":"Race/b","b":"Race/a","diff":2,"percent":200}],"metric":"cost","winner":"Race/b"}
    "
  `)
})

it('refuses what cannot be compared', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(await shell.type('sess compare 3b1f')).toMatchInlineSnapshot(`
    "$ sess compare 3b1f
    ! sess: two revisions or more are compared
    ! hint: name them: 'sess compare SESSION/BRANCH SESSION/OTHER'
    exit 2
    "
  `)
  expect(await shell.type('sess compare 3b1f c7d0 --metric luck')).toMatchInlineSnapshot(`
    "$ sess compare 3b1f c7d0 --metric luck
    ! sess: '--metric' takes cost, tokens, estimated, errors, duration, calls, messages or entries, not 'luck'
    ! hint: type 'sess help compare' to see how it is used
    exit 2
    "
  `)
  expect(await shell.type('sess compare 3b1f nothing')).toMatchInlineSnapshot(`
    "$ sess compare 3b1f nothing
    ! sess: no session or entry is called 'nothing'
    ! hint: type 'sess ls' to see the sessions
    exit 1
    "
  `)
})

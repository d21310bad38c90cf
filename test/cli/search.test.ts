import { expect, it } from 'vitest'
import { Shell } from '../support/shell.ts'

const say = (role: string, content: string): string => JSON.stringify({ body: { role, content } })

it('shows what was found in each session, the best first, with what stands around it', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(await shell.type('sess search harbours')).toMatchInlineSnapshot(`
    "$ sess search harbours
    019d4e07  Slow forecast for Brest
      dd442d3969  2026-04-02 07:31  user
        Do the same for all harbours.

    019d4482  "Which harbours does the table know?"
      e23dec82af  2026-04-01 08:00  user  also in 019d3f52
        Which harbours does the table know?
    "
  `)
  expect(await shell.type('sess search "harmonics daily" -n 2')).toMatchInlineSnapshot(`
    "$ sess search "harmonics daily" -n 2
    019d4e07  Slow forecast for Brest
      6f13a4c27e  2026-04-02 07:30  assistant  edit
        edit
        path: src/harmonics.js
        oldText: const h = harmonics(time)
        newText: const h = daily(time)
    "
  `)
})

it('takes phrases, expressions, fields and what must not be', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(await shell.type(`sess search '"one hour" role:user'`)).toMatchInlineSnapshot(`
    "$ sess search '"one hour" role:user'
    c7d02e95  Tide table one hour off (fork)
      509744c055  2026-03-30 09:02  user  also in 3b1f6a20
        The tide table for Saint-Malo is one hour off since Sunday. Find out why.

    3b1f6a20  Tide table one hour off
      8d9c0e3aab  2026-03-30 09:20  user
        …he tide table of Saint-Malo was one hour off because src/format.js added a fixed offset; clock…
    "
  `)
  expect(await shell.type(`sess search 're:\\d+\\.\\d+ s' agent:pi role:assistant`)).toMatchInlineSnapshot(`
    "$ sess search 're:\\d+\\.\\d+ s' agent:pi role:assistant
    019d4e07  Slow forecast for Brest
      d46180147d  2026-04-02 07:31  assistant
        All three use \`daily\` now. The slowest, Saint-Malo, takes 0.3 s.
      a0209d045e  2026-04-02 07:30  assistant
        0.2 s now. The heights differ by less than a millimetre.
      819f25dda3  2026-04-02 07:30  assistant
        It takes 3.9 s: the harmonics are computed again for every minute.
    "
  `)
  expect(await shell.type(`sess search tool:bash real -n 1`)).toMatchInlineSnapshot(`
    "$ sess search tool:bash real -n 1
    019d4e07  Slow forecast for Brest
      ee044e52d9  2026-04-02 07:30  tool  bash
        real 0m0.214s
        user 0m0.190s
    ! hint: there are more: -n N shows so many, --all every one
    ! hint: turn this hint off with: sess config hints.search false
    "
  `)
  expect(await shell.type(`sess search --count -- '-tide OR brest' role:user`)).toMatchInlineSnapshot(`
    "$ sess search --count -- '-tide OR brest' role:user
    10 hits in 5 sessions
    "
  `)
  expect(await shell.type(`sess search is:failed`)).toMatchInlineSnapshot(`
    "$ sess search is:failed
    ! nothing was found
    "
  `)
  expect(await shell.type(`sess search since:2026-04-02 forecast -n 1`)).toMatchInlineSnapshot(`
    "$ sess search since:2026-04-02 forecast -n 1
    019d4e07  Slow forecast for Brest
      2608754591  2026-04-02 07:30  user
        Why is the forecast for Brest slow?
    ! hint: there are more: -n N shows so many, --all every one
    ! hint: turn this hint off with: sess config hints.search false
    "
  `)
  expect(await shell.type(`sess search title:forecast model`)).toMatchInlineSnapshot(`
    "$ sess search title:forecast model
    ! nothing was found
    "
  `)
})

it('finds labels, and sessions by their titles', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  await shell.run("sess label 'good idea' 3b1f~2")
  expect(await shell.type('sess search good idea')).toMatchInlineSnapshot(`
    "$ sess search good idea
    3b1f6a20  Tide table one hour off
      c15253199e  2026-03-30 09:21  assistant
        label good idea
    "
  `)
  expect(await shell.type('sess search "one hour off" -n 2')).toMatchInlineSnapshot(`
    "$ sess search "one hour off" -n 2
    c7d02e95  Tide table one hour off (fork)
      509744c055  2026-03-30 09:02  user  also in 3b1f6a20
        The tide table for Saint-Malo is one hour off since Sunday. Find out why.
    ! hint: there are more: -n N shows so many, --all every one
    ! hint: turn this hint off with: sess config hints.search false
    "
  `)
  expect(await shell.type('sess search label:idea')).toMatchInlineSnapshot(`
    "$ sess search label:idea
    3b1f6a20  Tide table one hour off
      c15253199e  2026-03-30 09:21  assistant
        label good idea
        Write
        file_path: /home/ada/tides/test/clock.test.js
    "
  `)
  await shell.run('sess label -d "good idea" --session 3b1f')
  expect(await shell.type('sess search label:idea')).toMatchInlineSnapshot(`
    "$ sess search label:idea
    ! nothing was found
    "
  `)
})

it('names a session that shares an entry, and how many more do', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  for (const title of ['a', 'b']) await shell.run(`sess fork 3b1f --title ${title}`)
  expect(await shell.type('sess search hour role:user --session 3b1f -n 1')).toMatchInlineSnapshot(`
    "$ sess search hour role:user --session 3b1f -n 1
    3b1f6a20  Tide table one hour off
      8d9c0e3aab  2026-03-30 09:20  user  also in 019de36a and 1 more
        …ide table of Saint-Malo was one hour off because src/format.js added a fixed offset; clock() n…
    ! hint: there are more: -n N shows so many, --all every one
    ! hint: turn this hint off with: sess config hints.search false
    "
  `)
})

it('gives scripts a line for each hit', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  const { stdout } = await shell.run('sess search minute role:assistant -n 1 --json')
  expect(JSON.parse(stdout)).toMatchInlineSnapshot(`
    {
      "cursor": "WyJoaXQiLDAsIjAxOWQ0ZTA3LTViMjAtN2QxMS1hNmMyLTkzZTFmMDRiN2E2NSIsIjgxOWYyNWRkYTM4MGZkNzJmMWQ3M2E1YWY5Y2YyNGM0YWFmNzZiZGUyNjNlYTdlOGFiZTI3MWJiNWYxMzgzN2YiXQ",
      "oid": "819f25dda380fd72f1d73a5af9cf24c4aaf76bde263ea7e8abe271bb5f13837f",
      "others": [],
      "prompt": "Why is the forecast for Brest slow?",
      "rank": 1,
      "role": "assistant",
      "session": "019d4e07-5b20-7d11-a6c2-93e1f04b7a65",
      "snippets": [
        {
          "cut": [
            false,
            false,
          ],
          "place": "reply",
          "spans": [
            {
              "from": 59,
              "to": 65,
            },
          ],
          "text": "It takes 3.9 s: the harmonics are computed again for every minute.",
          "tool": null,
        },
      ],
      "time": "2026-04-02T07:30:24.000Z",
      "title": "Slow forecast for Brest",
    }
  `)
  expect(await shell.type('sess search harbours --count --json')).toMatchInlineSnapshot(`
    "$ sess search harbours --count --json
    {"hits":2,"sessions":2}
    "
  `)
})

it('marks what was found on a terminal, and cuts lines of wide characters so that it is seen', async () => {
  const shell = new Shell({ samples: false })
  const wide = `${'潮位の予測'.repeat(20)}港Brest港${'の計算'.repeat(20)}`
  await shell.run('sess append --new --title Wide', { stdin: [say('user', `before\n${wide}\nbehind`)] })
  const { stdout } = await shell.run('sess search brest', { terminal: true, columns: 60 })
  expect(stdout.replaceAll('\u001b', '^')).toMatchInlineSnapshot(`
    "^[1m019de368^[22m  Wide
      ^[33maf8aea6e7f^[39m  ^[2m2026-05-01 12:00^[22m  ^[32muser^[39m
        before
        …の予測潮位の予測港^[31mBrest^[39m港の計算の計算の計算の計算の計…
        behind
    "
  `)
})

it('lets nothing through that could steer a terminal', async () => {
  const shell = new Shell({ samples: false })
  await shell.run('sess append --new --title "\u001b]0;tide\u0007"', {
    stdin: [say('user', 'tide \u001b[31mred\u0007 \u202egnp.exe')],
  })
  expect(
    (await shell.run('sess search tide', { terminal: true, columns: 100 })).stdout.replaceAll('\u001b', '^'),
  ).toMatchInlineSnapshot(`
      "^[1m019de368^[22m  \\x1b]0;^[31mtide^[39m\\x07
        ^[33m63abf3190f^[39m  ^[2m2026-05-01 12:00^[22m  ^[32muser^[39m
          ^[31mtide^[39m \\x1b[31mred\\x07 \\u202egnp.exe
      "
    `)
})

it('says where a query is wrong', async () => {
  const shell = new Shell({ samples: false })
  await shell.run('sess init')
  const wrong = [
    'tide "table',
    're:(a',
    're:(?=a)b',
    'role:robot',
    'since:soon x',
    'is:broken',
    'OR a',
    'a OR',
  ]
  wrong.push('""', 'agent:nobody', 'session:nobody')
  const said: string[] = []
  for (const query of wrong) said.push((await shell.main(['search', query])).transcript)
  // The list of agents is that of the formats.
  const told = said.join('').replace(/(the agents are sess, claude-code, ).*/, '$1…')
  expect(told).toMatchInlineSnapshot(`
    "$ search tide "table
    ! sess: cannot read the query: a quote is not closed
    !   | tide "table
    !   |      ^^^^^^
    ! hint: type 'sess help search' for what a query may hold
    exit 2
    $ search re:(a
    ! sess: cannot read the query: the regular expression is not valid: unterminated group
    !   | re:(a
    !   |    ^^
    ! hint: type 'sess help search' for what a query may hold
    exit 2
    $ search re:(?=a)b
    ! sess: cannot read the query: the regular expression is not valid: back references and look-around are not supported
    !   | re:(?=a)b
    !   |    ^^^^^^
    ! hint: type 'sess help search' for what a query may hold
    exit 2
    $ search role:robot
    ! sess: cannot read the query: no role is called 'robot'
    !   | role:robot
    !   |      ^^^^^
    ! hint: role: takes user, assistant, tool or system
    exit 2
    $ search since:soon x
    ! sess: cannot read the query: 'soon' is not a time
    !   | since:soon x
    !   |       ^^^^
    ! hint: since: takes a time such as 2w or 2026-04-01
    exit 2
    $ search is:broken
    ! sess: cannot read the query: nothing is 'broken'
    !   | is:broken
    !   |    ^^^^^^
    ! hint: is: takes failed
    exit 2
    $ search OR a
    ! sess: cannot read the query: OR is allowed only between two terms
    !   | OR a
    !   | ^^
    ! hint: type 'sess help search' for what a query may hold
    exit 2
    $ search a OR
    ! sess: cannot read the query: OR is allowed only between two terms
    !   | a OR
    !   |   ^^
    ! hint: type 'sess help search' for what a query may hold
    exit 2
    $ search ""
    ! sess: cannot read the query: nothing is between the quotes
    !   | ""
    !   | ^^
    ! hint: type 'sess help search' for what a query may hold
    exit 2
    $ search agent:nobody
    ! sess: cannot read the query: no agent is called 'nobody'
    ! hint: the agents are sess, claude-code, …
    exit 2
    $ search session:nobody
    ! sess: no session is called 'nobody'
    ! hint: there are no sessions yet: type 'sess import' to import those of this machine
    exit 1
    "
  `)
})

it('says that nothing was found', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(await shell.type('sess search zyzzyva')).toMatchInlineSnapshot(`
    "$ sess search zyzzyva
    ! nothing was found
    "
  `)
  expect(await shell.type('sess search rol:user tide')).toMatchInlineSnapshot(`
    "$ sess search rol:user tide
    ! nothing was found
    ! hint: did you mean 'role:'? 'sess help search' lists the fields
    ! hint: turn this hint off with: sess config hints.search false
    "
  `)
  expect(await shell.type('sess search zyzzyva --json')).toMatchInlineSnapshot(`
    "$ sess search zyzzyva --json
    ! nothing was found
    "
  `)
  expect(await shell.type('sess search')).toMatchInlineSnapshot(`
    "$ sess search
    ! sess: 'search' needs a <query>
    ! hint: type 'sess search QUERY...', or 'sess help search' to see how it is used
    exit 2
    "
  `)
})

it('looks back where that is asked for', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  await shell.run('sess rm 3b1f c7d0')
  expect(await shell.type('sess search saint-malo role:user')).toMatchInlineSnapshot(`
    "$ sess search saint-malo role:user
    ! nothing was found
    "
  `)
  expect(await shell.type('sess search saint-malo role:user --count --at-op 1')).toMatchInlineSnapshot(`
    "$ sess search saint-malo role:user --count --at-op 1
    2 hits in 2 sessions
    "
  `)
})

it('lists the sessions in which something was said, and finds sessions by their fields', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(await shell.type('sess search -l harbour', { columns: 100 })).toMatchInlineSnapshot(`
    "$ sess search -l harbour
    1  019d4e07  Slow forecast for Brest  Do the same for all harbours.
    1  019d4482  "Which harbours does the tab…  Which harbours does the table know?
    "
  `)
  expect(await shell.type('sess search -l harbour -n 1')).toMatchInlineSnapshot(`
    "$ sess search -l harbour -n 1
    1  019d4e07  Slow forecast for Brest  Do the same for all harbours.
    ! hint: there are more: -n N shows so many, --all every one
    ! hint: turn this hint off with: sess config hints.search false
    "
  `)
  const [one] = (await shell.run('sess search -l harbour --json')).stdout.split('\n')
  expect(JSON.parse(one as string)).toMatchObject({
    hits: 1,
    snippets: [{ place: 'prompt' }],
  })
  const said: string[] = []
  for (const line of [
    'sess search title:tide',
    'sess search agent:codex',
    'sess search project:TIDES since:2026-04-02',
    'sess search title:tide agent:codex',
    'sess search cwd:/home/ada/tid',
    'sess search cwd:/home/ada -n 2',
  ])
    said.push(await shell.type(line))
  expect(said.join('')).toMatchInlineSnapshot(`
    "$ sess search title:tide
    c7d02e95  Tide table one hour off (fork)
    3b1f6a20  Tide table one hour off
    $ sess search agent:codex
    019d4482  "Which harbours does the table know?"
    019d3f52  "Which harbours does the table know?"
    $ sess search project:TIDES since:2026-04-02
    019d4e07  Slow forecast for Brest
    $ sess search title:tide agent:codex
    ! nothing was found
    $ sess search cwd:/home/ada/tid
    ! nothing was found
    $ sess search cwd:/home/ada -n 2
    019d4e07  Slow forecast for Brest
    019d4482  "Which harbours does the table know?"
    ! hint: there are more: -n N shows so many, --all every one
    ! hint: turn this hint off with: sess config hints.search false
    "
  `)
})

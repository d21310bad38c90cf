import { describe, expect, it } from 'vitest'
import { Shell } from '../support/shell.ts'

async function tides(): Promise<Shell> {
  const shell = new Shell()
  await shell.run('sess import sessions')
  return shell
}

it('shows what an expression means', async () => {
  const shell = await tides()
  expect(await shell.type('sess log 3b1f -r "role(user)"')).toMatchInlineSnapshot(`
    "$ sess log 3b1f -r "role(user)"
    044940b6dd  2026-03-30 09:21  user       Add a test for the night when the clocks change.
    8d9c0e3aab  2026-03-30 09:20  user       This session is continued from one that ran out of context…
    65c1f1916d  2026-03-30 09:06  user       Fix it without a time zone library, and say what it costs.
    1d9fca050b  2026-03-30 09:04  user       Fix it with a time zone library, and say which one.
    509744c055  2026-03-30 09:02  user       The tide table for Saint-Malo is one hour off since Sunday…
    "
  `)
  expect(await shell.type('sess log 3b1f -r "forks() | children(forks())"')).toMatchInlineSnapshot(`
    "$ sess log 3b1f -r "forks() | children(forks())"
    65c1f1916d  2026-03-30 09:06  user       Fix it without a time zone library, and say what it costs.
    1d9fca050b  2026-03-30 09:04  user       Fix it with a time zone library, and say which one.
    c237dd026e  2026-03-30 09:02  assistant  \`src/format.js\` adds a fixed offset of 60 minutes to UTC.…
    "
  `)
  expect(await shell.type('sess log 3b1f -r "tool(write) ~ role(tool)"')).toMatchInlineSnapshot(`
    "$ sess log 3b1f -r "tool(write) ~ role(tool)"
    c15253199e  2026-03-30 09:21  assistant  → Write /home/ada/tides/test/clock.test.js test('03:00 fol…
    "
  `)
  expect(await shell.type('sess log 3b1f -r "tool(write) & role(tool)"')).toMatchInlineSnapshot(`
    "$ sess log 3b1f -r "tool(write) & role(tool)"
    6b65079442  2026-03-30 09:21  tool       ← File created successfully at: /home/ada/tides/test/clock…
    "
  `)
  expect(
    await shell.type('sess log 019d4e07 -r "compactions() | latest(role(user)) | first(all())"'),
  ).toMatchInlineSnapshot(`
    "$ sess log 019d4e07 -r "compactions() | latest(role(user)) | first(all())"
    dd442d3969  2026-04-02 07:31  user       Do the same for all harbours.
    283d4aa753  2026-04-02 07:31  -          [compaction]  The forecast for Brest took 3.9 s because ha…
    0b1a5a0e87  2026-04-02 07:30  -          model: claude-sonnet-4-5
    "
  `)
  expect(await shell.type('sess log -r "3b1f..c7d0 & ~role(tool)"')).toMatchInlineSnapshot(`
    "$ sess log -r "3b1f..c7d0 & ~role(tool)"
    732cfba3f3  2026-03-30 09:40  assistant  (*main) The heading now says \`Saint-Malo, 30 March (heure…
    7c9c2f9ad9  2026-03-30 09:40  assistant  → Edit /home/ada/tides/src/table.js print(title) print(\`\${…
    96f3350250  2026-03-30 09:40  user       Print the name of the time zone above the table.
    "
  `)
  expect(await shell.type('sess log -r "ancestors(c7d0, 2) | 3b1f~16"')).toMatchInlineSnapshot(`
    "$ sess log -r "ancestors(c7d0, 2) | 3b1f~16"
    732cfba3f3  2026-03-30 09:40  assistant  (*main) The heading now says \`Saint-Malo, 30 March (heure…
    944891f779  2026-03-30 09:40  tool       ← The file /home/ada/tides/src/table.js has been updated.
    79f0d57db6  2026-03-30 09:02  assistant  (thinking) Summer time began on Sunday, 29 March. Somethin…
    "
  `)
  expect(await shell.type('sess log c7d0 -r "none()"')).toMatchInlineSnapshot(`
    "$ sess log c7d0 -r "none()"
    ! no entry is there
    "
  `)
})

it('looks at one session, a part of it, or all', async () => {
  const shell = await tides()
  const count = async (line: string): Promise<number> =>
    (await shell.run(line)).stdout.split('\n').filter((text) => text !== '').length
  expect(await count('sess log 3b1f -r "all()"')).toBe(22)
  expect(await count('sess log 3b1f/main -r "all()"')).toBe(18)
  expect(await count('sess log 3b1f..c7d0 -r "all()"')).toBe(4)
  expect(await count('sess log c7d0 -r "session(3b1f)"')).toBe(22)
  expect(await count('sess log c7d0 -r "session(3b1f) & all()"')).toBe(12)
  expect(await count('sess log --everywhere')).toBe(await count('sess log --everywhere -r "all()"'))
  expect(await count('sess log --everywhere -r "agent(claude)"')).toBe(26)
  expect(await count('sess log --everywhere -r "agent(claude-code)"')).toBe(26)
  expect(await count('sess log --everywhere -r "type(pi/*)"')).toBe(await count('sess log 019d4e07 --all'))
  expect(await shell.type('sess log --everywhere -r "role(user)" -n 4')).toMatchInlineSnapshot(`
    "$ sess log --everywhere -r "role(user)" -n 4
    dd442d3969  2026-04-02 07:31  019d4e07  user       Do the same for all harbours.
    b6be4a2836  2026-04-02 07:30  019d4e07  user       (label: before-cache) Compute them once a day an…
    2608754591  2026-04-02 07:30  019d4e07  user       Why is the forecast for Brest slow?
    d8e23a5a2f  2026-04-01 08:00  019d4482  user       Add Le Havre and Dieppe.
    "
  `)
  expect(await shell.type('sess log 3b1f --everywhere')).toMatchInlineSnapshot(`
    "$ sess log 3b1f --everywhere
    ! sess: '--everywhere' and <revision> exclude each other
    ! hint: type 'sess help log' to see how it is used
    exit 2
    "
  `)
  expect(await shell.type('sess log -r "role(user)"')).toMatchInlineSnapshot(`
    "$ sess log -r "role(user)"
    ! sess: no session is current in '/home/ada' (none was switched to or held there or above)
    ! hint: name a session, as in 'sess log SESSION -r …', or look --everywhere
    exit 1
    "
  `)
})

it('knows when things were said', async () => {
  const shell = await tides()
  const all = (await shell.run('sess log 3b1f -r "all()" -T {time}')).stdout.trim().split('\n')
  const at = all[10] ?? ''
  const since = (await shell.run(`sess log 3b1f -r "since(${at})" -T {time}`)).stdout.trim().split('\n')
  const until = (await shell.run(`sess log 3b1f -r "until(${at})" -T {time}`)).stdout.trim().split('\n')
  expect(since).toEqual(all.filter((time) => time >= at))
  expect([...since, ...until].sort()).toEqual(all.toSorted())
  expect(await shell.type('sess log --everywhere -r "since(5w) & role(user)" -n 2')).toMatchInlineSnapshot(`
    "$ sess log --everywhere -r "since(5w) & role(user)" -n 2
    dd442d3969  2026-04-02 07:31  019d4e07  user       Do the same for all harbours.
    b6be4a2836  2026-04-02 07:30  019d4e07  user       (label: before-cache) Compute them once a day an…
    "
  `)
})

it('follows labels and branches', async () => {
  const shell = await tides()
  await shell.run('sess label good 3b1f~3')
  await shell.run('sess label better 3b1f~5')
  expect(await shell.type("sess log 3b1f -r 'labels()' -T '{oid.short} {names}'")).toMatchInlineSnapshot(`
    "$ sess log 3b1f -r 'labels()' -T '{oid.short} {names}'
    044940b6dd label: good
    3449d597a6 label: better
    "
  `)
  expect(await shell.type("sess log 3b1f -r 'labels(go*)' -T '{oid.short} {names}'")).toMatchInlineSnapshot(`
    "$ sess log 3b1f -r 'labels(go*)' -T '{oid.short} {names}'
    044940b6dd label: good
    "
  `)
  expect(
    await shell.type("sess log 3b1f -r 'branches() ~ branches(main)' -T '{oid.short} {names}'"),
  ).toMatchInlineSnapshot(`
    "$ sess log 3b1f -r 'branches() ~ branches(main)' -T '{oid.short} {names}'
    eeb9681aa7 at-1d9fca05
    "
  `)
})

it('draws what an expression means', async () => {
  const shell = await tides()
  expect(await shell.type('sess log 3b1f --graph -r "heads() | forks() | roots()"')).toMatchInlineSnapshot(`
    "$ sess log 3b1f --graph -r "heads() | forks() | roots()"
    @  98c5e71a  2026-03-30 09:21 [main*]  Added \`test/clock.test.js\`: 03:00 follows 01:59. It passes,…
    :  9 entries, 2 tools, 286 tok
    │ ○  eeb9681a  2026-03-30 09:04 [at-1d9fca05]  Done with luxon: \`clock\` now converts to Europe/Pari…
    │ :  3 entries, 1 tool, 36 tok
    ├─╯
    ○  c237dd02  2026-03-30 09:02  \`src/format.js\` adds a fixed offset of 60 minutes to UTC. In summer…
    :  6 entries, 2 tools, 140 tok
    ●  509744c0  2026-03-30 09:02  The tide table for Saint-Malo is one hour off since Sunday. Find out…
    "
  `)
  expect(
    await shell.type('sess log --everywhere --graph -r "branches() | forks()" --ascii -n 3'),
  ).toMatchInlineSnapshot(`
    "$ sess log --everywhere --graph -r "branches() | forks()" --ascii -n 3
    o  d4618014  2026-04-02 07:31 [019d4e07/main*]  All three use \`daily\` now. The slowest, Saint-Malo,…
    ~
    o  f73c6a39  2026-04-01 08:00 [019d4482/main*]  Le Havre and Dieppe are in the table now, with thei…
    ~
    o  5eb70cec  2026-03-31 14:10 [019d3f52/main*]  Le Havre is in the table now, with its position fro…
    ~
    "
  `)
  expect(await shell.type('sess log 3b1f --graph -r "none()"')).toMatchInlineSnapshot(`
    "$ sess log 3b1f --graph -r "none()"
    ! nothing to draw
    "
  `)
  expect(await shell.type('sess log 3b1f --graph -T "{oid}"')).toMatchInlineSnapshot(`
    "$ sess log 3b1f --graph -T "{oid}"
    ! sess: '--graph' and '--template' exclude each other
    ! hint: type 'sess help log' to see how it is used
    exit 2
    "
  `)
  expect(await shell.type('sess log 3b1f --filter labeled-only -r "all()"')).toMatchInlineSnapshot(`
    "$ sess log 3b1f --filter labeled-only -r "all()"
    ! sess: '--filter' and '--revset' exclude each other
    ! hint: type 'sess help log' to see how it is used
    exit 2
    "
  `)
})

describe('what is wrong with an expression', () => {
  it('is shown where it stands', async () => {
    const shell = await tides()
    const lines = [
      "sess log -r 'ancestor(Tea) & role(user)'",
      "sess log -r 'x - y'",
      "sess log -r '3b1f..nothing'",
      "sess log -r 'latest(user)'",
      "sess log -r 'role(usr)'",
      "sess log -r 'forks'",
      "sess log -r 'session(zork)'",
      "sess log -r 'since(tomorow)'",
      'sess log -r \'text(re:"(")\'',
      "sess log -r 'role(user) since(2w)'",
      "sess log -r '((all()'",
      "sess log -r ''",
      "sess log -r 'all() & \"Slow forecast for Brest'",
    ]
    const transcripts: string[] = []
    for (const line of lines) transcripts.push(await shell.type(line))
    expect(transcripts.join('\n')).toMatchInlineSnapshot(`
      "$ sess log -r 'ancestor(Tea) & role(user)'
      ! sess: cannot read the expression: 'ancestor' is no function
      !   | ancestor(Tea) & role(user)
      !   | ^^^^^^^^
      ! hint: did you mean 'ancestors'? type 'sess help revsets' for the language
      exit 2

      $ sess log -r 'x - y'
      ! sess: cannot read the expression: '-' is no operator
      !   | x - y
      !   |   ^
      ! hint: did you mean '~' for what the left has and the right has not? type 'sess help revsets' for the language
      exit 2

      $ sess log -r '3b1f..nothing'
      ! sess: no session or entry is called 'nothing'
      !   | 3b1f..nothing
      !   |       ^^^^^^^
      ! hint: type 'sess ls' to see the sessions
      exit 1

      $ sess log -r 'latest(user)'
      ! sess: cannot read the expression: 'user' is no session or entry
      !   | latest(user)
      !   |        ^^^^
      ! hint: did you mean 'role(user)'? type 'sess help revsets' for the language
      exit 2

      $ sess log -r 'role(usr)'
      ! sess: cannot read the expression: 'usr' is not a role
      !   | role(usr)
      !   |      ^^^
      ! hint: did you mean 'user'? type 'sess help revsets' for the language
      exit 2

      $ sess log -r 'forks'
      ! sess: cannot read the expression: 'forks' is no session or entry
      !   | forks
      !   | ^^^^^
      ! hint: did you mean 'forks()'? type 'sess help revsets' for the language
      exit 2

      $ sess log -r 'session(zork)'
      ! sess: no session is called 'zork'
      !   | session(zork)
      !   |         ^^^^
      ! hint: type 'sess ls' to see the sessions
      exit 1

      $ sess log -r 'since(tomorow)'
      ! sess: cannot read the expression: 'tomorow' is no time
      !   | since(tomorow)
      !   |       ^^^^^^^
      ! hint: times are such as 30m, 12h, 3d, 2w, yesterday, 2026-04-01 or '2026-04-01 12:00'; type 'sess help revsets' for the language
      exit 2

      $ sess log -r 'text(re:"(")'
      ! sess: cannot read the expression: the regular expression is not valid: unterminated group
      !   | text(re:"(")
      !   |      ^^^^^^
      ! hint: type 'sess help revsets' for the language
      exit 2

      $ sess log -r 'role(user) since(2w)'
      ! sess: cannot read the expression: no operator precedes 'since'
      !   | role(user) since(2w)
      !   |            ^^^^^
      ! hint: put '&' between for both, '|' for either, or quotes around a name with spaces; type 'sess help revsets' for the language
      exit 2

      $ sess log -r '((all()'
      ! sess: cannot read the expression: the bracket is never closed
      !   | ((all()
      !   |  ^
      ! hint: type 'sess help revsets' for the language
      exit 2

      $ sess log -r ''
      ! sess: cannot read the expression: there is nothing in it
      !   | 
      !   | ^
      ! hint: type 'sess help revsets' for the language
      exit 2

      $ sess log -r 'all() & "Slow forecast for Brest'
      ! sess: cannot read the expression: the quote is never closed
      !   | all() & "Slow forecast for Brest
      !   |         ^^^^^^^^^^^^^^^^^^^^^^^^
      ! hint: type 'sess help revsets' for the language
      exit 2
      "
    `)
  })

  it('is at a place, for programs too', async () => {
    const shell = await tides()
    const { stderr, code } = await shell.run("sess log -r 'role(usr)' --json")
    expect(JSON.parse(stderr)).toMatchInlineSnapshot(`
      {
        "error": {
          "at": {
            "from": 5,
            "text": "role(usr)",
            "to": 8,
          },
          "code": "bad-expression",
          "hint": "did you mean 'user'? type 'sess help revsets' for the language",
          "kind": "usage",
          "message": "cannot read the expression: 'usr' is not a role",
          "retryable": false,
        },
      }
    `)
    expect(code).toBe(2)
    const { stderr: other } = await shell.run("sess log -r '3b1f | zork' --json")
    expect(JSON.parse(other)).toMatchObject({ error: { code: 'no-revision', at: { from: 7, to: 11 } } })
  })

  it('is shown within the width of the terminal, and safely', async () => {
    const shell = await tides()
    const long = 'role(user) | '.repeat(20)
    expect(
      await shell.type(`sess log -r '${long}rol(user) | ${long}all()'`, { columns: 60 }),
    ).toMatchInlineSnapshot(`
      "$ sess log -r 'role(user) | role(user) | role(user) | role(user) | role(user) | role(user) | role(user) | role(user) | role(user) | role(user) | role(user) | role(user) | role(user) | role(user) | role(user) | role(user) | role(user) | role(user) | role(user) | role(user) | rol(user) | role(user) | role(user) | role(user) | role(user) | role(user) | role(user) | role(user) | role(user) | role(user) | role(user) | role(user) | role(user) | role(user) | role(user) | role(user) | role(user) | role(user) | role(user) | role(user) | role(user) | all()'
      ! sess: cannot read the expression: 'rol' is no function
      !   | …le(user) | role(user) | rol(user) | role(user) | rol…
      !   |                          ^^^
      ! hint: did you mean 'role'? type 'sess help revsets' for the language
      exit 2
      "
    `)
    expect(await shell.type("sess log -r 'text(\u001b[31m) | zörk'")).toMatchInlineSnapshot(`
      "$ sess log -r 'text([31m) | zörk'
      ! sess: cannot read the expression: '\\x1b' means nothing here
      !   | text(\\x1b[31m) | zörk
      !   |      ^^^^
      ! hint: put quotes around names with odd characters; type 'sess help revsets' for the language
      exit 2
      "
    `)
    expect(await shell.type("sess log -r 'all() &\n  \t日本 zork'")).toMatchInlineSnapshot(`
      "$ sess log -r 'all() &
        	日本 zork'
      ! sess: cannot read the expression: no operator precedes 'zork'
      !   |    日本 zork
      !   |         ^^^^
      ! hint: put '&' between for both, '|' for either, or quotes around a name with spaces; type 'sess help revsets' for the language
      exit 2
      "
    `)
  })

  it('is nothing where it may be absent', async () => {
    const shell = await tides()
    expect(
      await shell.type("sess log 3b1f -r 'present(zork) | present(session(zork)) | latest(all())'"),
    ).toMatchInlineSnapshot(`
      "$ sess log 3b1f -r 'present(zork) | present(session(zork)) | latest(all())'
      98c5e71acd  2026-03-30 09:21  assistant  (*main) Added \`test/clock.test.js\`: 03:00 follows 01:59. I…
      "
    `)
  })
})

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
    43f5ff2872  2026-03-30 09:21  user       Add a test for the night when the clocks change.
    753c6d8420  2026-03-30 09:20  user       This session is continued from one that ran out of context…
    61d764c819  2026-03-30 09:06  user       Fix it without a time zone library, and say what it costs.
    4aa719389c  2026-03-30 09:04  user       Fix it with a time zone library, and say which one.
    509744c055  2026-03-30 09:02  user       The tide table for Saint-Malo is one hour off since Sunday…
    "
  `)
  expect(await shell.type('sess log 3b1f -r "forks() | children(forks())"')).toMatchInlineSnapshot(`
    "$ sess log 3b1f -r "forks() | children(forks())"
    61d764c819  2026-03-30 09:06  user       Fix it without a time zone library, and say what it costs.
    4aa719389c  2026-03-30 09:04  user       Fix it with a time zone library, and say which one.
    4682a27b86  2026-03-30 09:02  assistant  \`src/format.js\` adds a fixed offset of 60 minutes to UTC.…
    "
  `)
  expect(await shell.type('sess log 3b1f -r "tool(write) ~ role(tool)"')).toMatchInlineSnapshot(`
    "$ sess log 3b1f -r "tool(write) ~ role(tool)"
    4d0956023c  2026-03-30 09:21  assistant  → Write /home/ada/tides/test/clock.test.js test('03:00 fol…
    "
  `)
  expect(await shell.type('sess log 3b1f -r "tool(write) & role(tool)"')).toMatchInlineSnapshot(`
    "$ sess log 3b1f -r "tool(write) & role(tool)"
    9e818d842c  2026-03-30 09:21  tool       ← File created successfully at: /home/ada/tides/test/clock…
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
    e8dc67c16f  2026-03-30 09:40  assistant  (*main) The heading now says \`Saint-Malo, 30 March (heure…
    8bbd53c5e2  2026-03-30 09:40  assistant  → Edit /home/ada/tides/src/table.js print(title) print(\`\${…
    5906b23aee  2026-03-30 09:40  user       Print the name of the time zone above the table.
    "
  `)
  expect(await shell.type('sess log -r "ancestors(c7d0, 2) | 3b1f~16"')).toMatchInlineSnapshot(`
    "$ sess log -r "ancestors(c7d0, 2) | 3b1f~16"
    e8dc67c16f  2026-03-30 09:40  assistant  (*main) The heading now says \`Saint-Malo, 30 March (heure…
    02322388d5  2026-03-30 09:40  tool       ← The file /home/ada/tides/src/table.js has been updated.
    95f4c3b843  2026-03-30 09:02  assistant  (thinking) Summer time began on Sunday, 29 March. Somethin…
    "
  `)
  expect(await shell.type('sess log c7d0 -r "none()"')).toMatchInlineSnapshot(`
    "$ sess log c7d0 -r "none()"
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
    dd442d3969  2026-04-02 07:31  user       Do the same for all harbours.
    b6be4a2836  2026-04-02 07:30  user       (label: before-cache) Compute them once a day and measure…
    2608754591  2026-04-02 07:30  user       Why is the forecast for Brest slow?
    d8e23a5a2f  2026-04-01 08:00  user       Add Le Havre and Dieppe.
    "
  `)
  expect(await shell.type('sess log 3b1f --everywhere')).toMatchInlineSnapshot(`
    "$ sess log 3b1f --everywhere
    ! sess: --everywhere and '3b1f' exclude each other
    ! hint: name one session, or say --everywhere: 'sess help log' tells more
    exit 2
    "
  `)
  expect(await shell.type('sess log -r "role(user)"')).toMatchInlineSnapshot(`
    "$ sess log -r "role(user)"
    ! sess: no session is called '@' (none was held in '/home/ada')
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
    dd442d3969  2026-04-02 07:31  user       Do the same for all harbours.
    b6be4a2836  2026-04-02 07:30  user       (label: before-cache) Compute them once a day and measure…
    "
  `)
})

it('follows labels and branches', async () => {
  const shell = await tides()
  await shell.run('sess label good 3b1f~3')
  await shell.run('sess label better 3b1f~5')
  expect(await shell.type("sess log 3b1f -r 'labels()' -T '{oid.short} {branches}'")).toMatchInlineSnapshot(`
    "$ sess log 3b1f -r 'labels()' -T '{oid.short} {branches}'
    43f5ff2872 label: good
    8c18fd7139 label: better
    "
  `)
  expect(
    await shell.type("sess log 3b1f -r 'labels(go*)' -T '{oid.short} {branches}'"),
  ).toMatchInlineSnapshot(`
    "$ sess log 3b1f -r 'labels(go*)' -T '{oid.short} {branches}'
    43f5ff2872 label: good
    "
  `)
  expect(
    await shell.type("sess log 3b1f -r 'branches() ~ branches(main)' -T '{oid.short} {branches}'"),
  ).toMatchInlineSnapshot(`
    "$ sess log 3b1f -r 'branches() ~ branches(main)' -T '{oid.short} {branches}'
    1b4aafc722 at-4aa71938
    "
  `)
})

describe('what is wrong with an expression', () => {
  it.each([
    ["sess log -r 'ancestor(Tea) & role(user)'"],
    ["sess log -r 'x - y'"],
    ["sess log -r '3b1f..nothing'"],
    ["sess log -r 'latest(user)'"],
    ["sess log -r 'role(usr)'"],
    ["sess log -r 'forks'"],
    ["sess log -r 'session(zork)'"],
    ["sess log -r 'since(tomorow)'"],
    ['sess log -r \'text(re:"(")\''],
    ["sess log -r 'role(user) since(2w)'"],
    ["sess log -r '((all()'"],
    ["sess log -r ''"],
    ["sess log -r 'all() & \"Slow forecast for Brest'"],
  ])('%s', async (line) => {
    const shell = await tides()
    expect(await shell.type(line)).toMatchSnapshot()
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
          "message": "cannot read the expression: 'usr' is no role",
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
    ).toMatchSnapshot()
    expect(await shell.type("sess log -r 'text(\u001b[31m) | zörk'")).toMatchSnapshot()
    expect(await shell.type("sess log -r 'all() &\n  \t日本 zork'")).toMatchSnapshot()
  })

  it('is nothing where it may be absent', async () => {
    const shell = await tides()
    expect(
      await shell.type("sess log 3b1f -r 'present(zork) | present(session(zork)) | latest(all())'"),
    ).toMatchInlineSnapshot(`
      "$ sess log 3b1f -r 'present(zork) | present(session(zork)) | latest(all())'
      663a572479  2026-03-30 09:21  assistant  (*main) Added \`test/clock.test.js\`: 03:00 follows 01:59. I…
      "
    `)
  })
})

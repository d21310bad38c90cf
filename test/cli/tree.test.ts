import { writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { digestOf, type Entry, NO_LINKS, oidOfEntry } from '../../src/model/encoding/entry.ts'
import type { Oid } from '../../src/model/encoding/oid.ts'
import { Shell } from '../support/shell.ts'

async function samples(): Promise<Shell> {
  const shell = new Shell()
  await shell.run('sess import sessions')
  return shell
}

/** Writes a session of entries that say their names, each with the names of its parents, and takes it in. */
async function imported(shell: Shell, entries: readonly (readonly [name: string, ...parents: string[]])[]) {
  const oids = new Map<string, Oid>()
  const lines = entries.map(([name, ...parents]) => {
    const body = { role: name.startsWith('ask') ? 'user' : 'assistant', content: name }
    const entry: Entry = {
      parents: parents.map((parent) => oids.get(parent) as Oid),
      type: 'sess/message',
      digest: digestOf(body),
      links: NO_LINKS,
    }
    const oid = oidOfEntry(entry)
    oids.set(name, oid)
    return JSON.stringify({ oid, parents: entry.parents, type: entry.type, body })
  })
  writeFileSync(shell.path('made.jsonl'), lines.join('\n'))
  const { code, transcript } = await shell.run('sess import made.jsonl')
  expect([code, transcript]).toEqual([0, expect.anything()])
}

it('draws a session with what parts from it', async () => {
  const shell = await samples()
  expect(await shell.type('sess tree 3b1f', { columns: 80 })).toMatchInlineSnapshot(`
    "$ sess tree 3b1f
    @  98c5e71a [main*]  Added \`test/clock.test.js\`: 03:00 follows 01:59. It passes…
    :  2 entries, 1 tool, 76 tok
    ●  044940b6  Add a test for the night when the clocks change.
    ●  8d9c0e3a  This session is continued from one that ran out of context. The ti…
    ◆  3449d597  [compaction]
    :  3 entries, 1 tool, 135 tok
    ●  65c1f191  Fix it without a time zone library, and say what it costs.
    │ ○  eeb9681a [at-1d9fca05]  Done with luxon: \`clock\` now converts to Europe/Pa…
    │ :  2 entries, 1 tool, 23 tok
    │ ●  1d9fca05  Fix it with a time zone library, and say which one.
    ├─╯
    ○  c237dd02  \`src/format.js\` adds a fixed offset of 60 minutes to UTC. In summe…
    :  6 entries, 2 tools, 140 tok
    ●  509744c0  The tide table for Saint-Malo is one hour off since Sunday. Find o…
    "
  `)
})

it('names the session that another one was started from, as its user set it', async () => {
  const shell = await samples()
  const head = async (words: string): Promise<string | undefined> =>
    (await shell.type(words, { columns: 100 })).split('\n')[1]
  expect(await head('sess tree 019d4e07')).not.toContain('pi,')
  await shell.run('sess set 019d4e07 parent=3b1f6a20')
  expect(await head('sess tree 019d4e07')).toBe(
    '019d4e07  Slow forecast for Brest  2026-04-02 07:30  pi, 15 entries, from 3b1f6a20',
  )
})

it('draws what the filter lets through', async () => {
  const shell = await samples()
  expect(
    [
      await shell.type('sess tree 3b1f --filter no-tools', { columns: 80 }),
      await shell.type('sess tree 3b1f --filter user-only', { columns: 80 }),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess tree 3b1f --filter no-tools
    @  98c5e71a [main*]  Added \`test/clock.test.js\`: 03:00 follows 01:59. It passes…
    :  2 entries, 1 tool, 76 tok
    ●  044940b6  Add a test for the night when the clocks change.
    ●  8d9c0e3a  This session is continued from one that ran out of context. The ti…
    ◆  3449d597  [compaction]
    ○  250fc9e9  Done with Intl: \`clock\` now converts to Europe/Paris.
    :  2 entries, 1 tool, 112 tok
    ●  65c1f191  Fix it without a time zone library, and say what it costs.
    │ ○  eeb9681a [at-1d9fca05]  Done with luxon: \`clock\` now converts to Europe/Pa…
    │ :  2 entries, 1 tool, 23 tok
    │ ●  1d9fca05  Fix it with a time zone library, and say which one.
    ├─╯
    ○  c237dd02  \`src/format.js\` adds a fixed offset of 60 minutes to UTC. In summe…
    :  4 entries, 2 tools, 103 tok
    ○  2d638533  Summer time began on Sunday, so I look at where times are printed.
    :  1 entry, 20 tok
    ●  509744c0  The tide table for Saint-Malo is one hour off since Sunday. Find o…
    $ sess tree 3b1f --filter user-only
    @  98c5e71a [main*]  Added \`test/clock.test.js\`: 03:00 follows 01:59. It passes…
    :  2 entries, 1 tool, 76 tok
    ●  044940b6  Add a test for the night when the clocks change.
    ●  8d9c0e3a  This session is continued from one that ran out of context. The ti…
    ◆  3449d597  [compaction]
    :  3 entries, 1 tool, 135 tok
    ●  65c1f191  Fix it without a time zone library, and say what it costs.
    │ ○  eeb9681a [at-1d9fca05]  Done with luxon: \`clock\` now converts to Europe/Pa…
    │ :  2 entries, 1 tool, 23 tok
    │ ●  1d9fca05  Fix it with a time zone library, and say which one.
    ├─╯
    ○  c237dd02  \`src/format.js\` adds a fixed offset of 60 minutes to UTC. In summe…
    :  6 entries, 2 tools, 140 tok
    ●  509744c0  The tide table for Saint-Malo is one hour off since Sunday. Find o…
    "
  `)
})

it('draws labels, compactions and settings', async () => {
  const shell = await samples()
  expect(
    [
      await shell.type('sess tree 019d4e07', { columns: 80 }),
      await shell.type('sess tree 019d4e07 --filter labeled-only', { columns: 80 }),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess tree 019d4e07
    @  d4618014 [main*]  All three use \`daily\` now. The slowest, Saint-Malo, takes…
    ●  dd442d39  Do the same for all harbours.
    ◆  283d4aa7  [compaction]  The forecast for Brest took 3.9 s because harmonics…
    :  5 entries, 2 tools, 71 tok
    ●  b6be4a28 [before-cache]  Compute them once a day and measure again.
    :  3 entries, 1 tool, 39 tok
    ●  26087545  Why is the forecast for Brest slow?
    :  1 entry
    ○  0b1a5a0e  model: claude-sonnet-4-5
    $ sess tree 019d4e07 --filter labeled-only
    @  d4618014 [main*]  All three use \`daily\` now. The slowest, Saint-Malo, takes…
    :  7 entries, 2 tools, 109 tok
    ●  b6be4a28 [before-cache]  Compute them once a day and measure again.
    :  5 entries, 1 tool, 48 tok
    ○  0b1a5a0e  model: claude-sonnet-4-5
    "
  `)
})

it('draws sessions that share entries together, and others apart', async () => {
  const shell = await samples()
  expect(await shell.type('sess tree --everywhere', { columns: 90 })).toMatchInlineSnapshot(`
    "$ sess tree --everywhere
    3b1f6a20  Tide table one hour off  2026-03-30 09:02  claude-code, 22 entries
    c7d02e95  Tide table one hour…  2026-03-30 09:02  claude-code, 16 entries, from 3b1f6a20
    ○  98c5e71a [main*]  Added \`test/clock.test.js\`: 03:00 follows 01:59. It passes, and it f…
    :  2 entries, 1 tool, 76 tok
    ●  044940b6  Add a test for the night when the clocks change.
    ●  8d9c0e3a  This session is continued from one that ran out of context. The tide table o…
    ◆  3449d597  [compaction]
    │ ○  732cfba3 [c7d02e95/main*]  The heading now says \`Saint-Malo, 30 March (heure d’été d…
    │ :  2 entries, 1 tool, 46 tok
    │ ●  96f33502  Print the name of the time zone above the table.
    ├─╯
    ○  250fc9e9  Done with Intl: \`clock\` now converts to Europe/Paris.
    :  2 entries, 1 tool, 112 tok
    ●  65c1f191  Fix it without a time zone library, and say what it costs.
    │ ○  eeb9681a [at-1d9fca05]  Done with luxon: \`clock\` now converts to Europe/Paris.
    │ :  2 entries, 1 tool, 23 tok
    │ ●  1d9fca05  Fix it with a time zone library, and say which one.
    ├─╯
    ○  c237dd02  \`src/format.js\` adds a fixed offset of 60 minutes to UTC. In summer France i…
    :  6 entries, 2 tools, 140 tok
    ●  509744c0  The tide table for Saint-Malo is one hour off since Sunday. Find out why.

    019d3f52  "Which harbours does the table know?"  2026-03-31 14:10  codex, 11 entries
    019d4482  "Which harbours does the…  2026-04-01 08:00  codex, 11 entries, from 019d3f52
    ○  5eb70cec [main*]  Le Havre is in the table now, with its position from the chart.
    :  2 entries, 1 tool, 50 tok
    ●  8039ada3  Add Le Havre.
    │ ○  f73c6a39 [019d4482/main*]  Le Havre and Dieppe are in the table now, with their posi…
    │ :  2 entries, 1 tool, 78 tok
    │ ●  d8e23a5a  Add Le Havre and Dieppe.
    ├─╯
    ○  103e2aeb  Three: Brest, Cherbourg and Saint-Malo.
    :  3 entries, 1 tool, 40 tok
    ●  e23dec82  Which harbours does the table know?
    :  1 entry
    ○  86db788e  <environment_context>

    019d4e07  Slow forecast for Brest  2026-04-02 07:30  pi, 15 entries
    @  d4618014 [main*]  All three use \`daily\` now. The slowest, Saint-Malo, takes 0.3 s.
    ●  dd442d39  Do the same for all harbours.
    ◆  283d4aa7  [compaction]  The forecast for Brest took 3.9 s because harmonics were compu…
    :  5 entries, 2 tools, 71 tok
    ●  b6be4a28 [before-cache]  Compute them once a day and measure again.
    :  3 entries, 1 tool, 39 tok
    ●  26087545  Why is the forecast for Brest slow?
    :  1 entry
    ○  0b1a5a0e  model: claude-sonnet-4-5
    "
  `)
  await shell.run('sess append --new --title here', { stdin: ['{"body":{"role":"user","content":"Hi"}}'] })
  expect(
    [
      await shell.type('sess tree --all'),
      await shell.type('sess tree'),
      await shell.type('sess tree --cwd nowhere'),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess tree --all
    019de36a  here  2026-05-01 12:02  sess, 1 entry
    @  d878049e [main*]  Hi
    $ sess tree
    @  d878049e [main*]  Hi
    $ sess tree --cwd nowhere
    ! nothing to draw
    "
  `)
})

it('draws merges', async () => {
  const shell = new Shell({ samples: false })
  await imported(shell, [
    ['ask one'],
    ['answer', 'ask one'],
    ['ask left', 'answer'],
    ['done left', 'ask left'],
    ['ask right', 'answer'],
    ['try right', 'ask right'],
    ['done right', 'try right'],
    ['both', 'done left', 'done right'],
    ['ask more', 'both'],
  ])
  expect(
    [
      await shell.type('sess tree made-'),
      await shell.type('sess log made- --graph'),
      await shell.type('sess log made-~2..made- --graph'),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess tree made-
    @  9ddbb386 [main*]  ask more
    ○  500aadbb  both
    ├─╮
    : │  1 entry, 3 tok
    ● │  a3876938  ask left
    │ ○  a6b0f3e4  done right
    │ :  1 entry, 3 tok
    │ ●  05d019f7  ask right
    ├─╯
    ○  fa5a2a95  answer
    ●  c1df7730  ask one
    $ sess log made- --graph
    @  9ddbb386 [main*]  ask more
    ○  500aadbb  both
    ├─╮
    ○ │  b6e2e7ed  done left
    ● │  a3876938  ask left
    │ ○  a6b0f3e4  done right
    │ ○  0469a41e  try right
    │ ●  05d019f7  ask right
    ├─╯
    ○  fa5a2a95  answer
    ●  c1df7730  ask one
    $ sess log made-~2..made- --graph
    @  9ddbb386 [main*]  ask more
    ○  500aadbb  both
    ○  a6b0f3e4  done right
    ○  0469a41e  try right
    ●  05d019f7  ask right
    ~
    "
  `)
})

it('draws with ASCII where nothing else is known to be shown', async () => {
  const shell = await samples()
  const run = async (line: string, variables: Readonly<Record<string, string>> = {}): Promise<string> =>
    (await shell.run(line, { variables, columns: 80 })).stdout
  const plain = await run('sess tree 3b1f --ascii')
  expect(plain).toMatchInlineSnapshot(`
    "@  98c5e71a [main*]  Added \`test/clock.test.js\`: 03:00 follows 01:59. It passes…
    :  2 entries, 1 tool, 76 tok
    *  044940b6  Add a test for the night when the clocks change.
    *  8d9c0e3a  This session is continued from one that ran out of context. The ti…
    #  3449d597  [compaction]
    :  3 entries, 1 tool, 135 tok
    *  65c1f191  Fix it without a time zone library, and say what it costs.
    | o  eeb9681a [at-1d9fca05]  Done with luxon: \`clock\` now converts to Europe/Pa…
    | :  2 entries, 1 tool, 23 tok
    | *  1d9fca05  Fix it with a time zone library, and say which one.
    |-'
    o  c237dd02  \`src/format.js\` adds a fixed offset of 60 minutes to UTC. In summe…
    :  6 entries, 2 tools, 140 tok
    *  509744c0  The tide table for Saint-Malo is one hour off since Sunday. Find o…
    "
  `)
  const box = await run('sess tree 3b1f')
  expect(await run('sess tree 3b1f', { LANG: 'C' })).toBe(plain)
  expect(await run('sess tree 3b1f', { LANG: 'en_GB.UTF-8', LC_ALL: 'POSIX' })).toBe(plain)
  expect(await run('sess tree 3b1f', { NO_UNICODE: '1' })).toBe(plain)
  expect(await run('sess tree 3b1f', { TERM: 'dumb' })).toBe(plain)
  expect(await run('sess tree 3b1f', { LANG: 'de_DE.utf8', LC_ALL: '' })).toBe(box)
  await shell.run('sess config graph unicode')
  expect(await run('sess tree 3b1f', { LANG: 'C' })).toBe(box)
})

it('marks the digits that name an entry alone, and where the session stands', async () => {
  const shell = await samples()
  await shell.run('sess switch 3b1f/at-1d9fca05')
  const { stdout } = await shell.run('sess tree 3b1f -n 9', { terminal: true })
  expect(stdout.replaceAll('\x1b', '␛')).toMatchInlineSnapshot(`
    "␛[34m○␛[39m␛[2m ␛[22m ␛[33m98c5␛[39m␛[2me71a␛[22m␛[2m [␛[22m␛[36mmain␛[39m␛[2m]␛[22m  ␛[2mAdded \`test/clock.test.js\`: 03:00 follows 01:59. It passes, and it fails with t…␛[22m
    ␛[2m:  2 entries, 1 tool, 76 tok␛[22m
    ␛[32m●␛[39m␛[2m ␛[22m ␛[33m0449␛[39m␛[2m40b6␛[22m  Add a test for the night when the clocks change.
    ␛[32m●␛[39m␛[2m ␛[22m ␛[33m8d9c␛[39m␛[2m0e3a␛[22m  This session is continued from one that ran out of context. The tide table of Saint-Ma…
    ␛[33m◆␛[39m␛[2m ␛[22m ␛[33m3449␛[39m␛[2md597␛[22m  ␛[2m[compaction]␛[22m
    ␛[2m:  3 entries, 1 tool, 135 tok␛[22m
    ␛[32m●␛[39m␛[2m ␛[22m ␛[33m65c1␛[39m␛[2mf191␛[22m  Fix it without a time zone library, and say what it costs.
    ␛[2m│ ␛[22m␛[1m@␛[22m␛[2m ␛[22m ␛[33meeb9␛[39m␛[2m681a␛[22m␛[2m [␛[22m␛[32mat-1d9fca05*␛[39m␛[2m]␛[22m  ␛[2mDone with luxon: \`clock\` now converts to Europe/Paris.␛[22m
    ␛[2m│ :  2 entries, 1 tool, 23 tok␛[22m
    ␛[2m│ ␛[22m␛[32m●␛[39m␛[2m ␛[22m ␛[33m1d9f␛[39m␛[2mca05␛[22m  Fix it with a time zone library, and say which one.
    ␛[2m├─╯␛[22m
    ␛[34m○␛[39m␛[2m ␛[22m ␛[33mc237␛[39m␛[2mdd02␛[22m  ␛[2m\`src/format.js\` adds a fixed offset of 60 minutes to UTC. In summer France is 120 minu…␛[22m
    ␛[2m:  6 entries, 2 tools, 140 tok␛[22m
    ␛[32m●␛[39m␛[2m ␛[22m ␛[33m5097␛[39m␛[2m44c0␛[22m  The tide table for Saint-Malo is one hour off since Sunday. Find out why.
    "
  `)
})

it('stops where it is told to, and says so', async () => {
  const shell = await samples()
  expect(
    [
      await shell.type('sess tree 3b1f -n 2'),
      await shell.type('sess tree 3b1f -n 1 --json'),
      await shell.type('sess tree 3b1f --all'),
      await shell.type('sess tree nobody'),
      await shell.type('sess append --new --title empty'),
      await shell.type('sess tree empty'),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess tree 3b1f -n 2
    @  98c5e71a [main*]  Added \`test/clock.test.js\`: 03:00 follows 01:59. It passes, and it fails with…
    :  2 entries, 1 tool, 76 tok
    ●  044940b6  Add a test for the night when the clocks change.
    ! stopped after 2 entries: leave -n out to see all
    $ sess tree 3b1f -n 1 --json
    {"oid":"98c5e71acd891047e22327f00a02dc1fe93c5c198ac6cdb249082933b58f9be4","parents":["6b65079442994a9a7771eb6b6b0e55d3cde436016a44d77499b96900e6feb3e7"],"type":"claude/assistant","role":"assistant","time":null,"text":"Added \`test/clock.test.js\`: 03:00 follows 01:59. It passes, and it fails with the old \`clock\`.","session":"3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14","native":null,"edges":[{"oid":"044940b6dd9c1146318c95c591c87c5cf11e3849755e1de6c29631305f0b712d","elided":{"entries":2,"calls":1,"tokens":76}}],"open":false,"refs":[{"kind":"branch","name":"main","session":"3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14","current":true}],"head":true,"compacts":false}
    $ sess tree 3b1f --all
    ! sess: '--all' and <session> exclude each other
    ! hint: type 'sess help tree' to see how it is used
    exit 2
    $ sess tree nobody
    ! sess: no session is called 'nobody'
    ! hint: type 'sess ls' to see the sessions
    exit 1
    $ sess append --new --title empty
    019de36d-89e0-7617-9819-1a1b1c1d1e1f
    $ sess tree empty
    ! sess: the session 'empty' has no entries
    ! hint: type 'sess append SESSION' to add one
    exit 1
    "
  `)
})

it('gives scripts where lines lead and what is left out', async () => {
  const shell = await samples()
  const { stdout } = await shell.run('sess tree 019d4e07 --json')
  const lines = stdout.trimEnd().split('\n')
  const drawn = lines.map((line) => JSON.parse(line) as { oid: string; edges: { oid: string }[] })
  expect(drawn.flatMap(({ edges }) => edges.map(({ oid }) => oid))).toEqual(
    drawn.slice(1).map(({ oid }) => oid),
  )
  expect(drawn[3]).toMatchInlineSnapshot(`
    {
      "compacts": false,
      "edges": [
        {
          "elided": {
            "calls": 1,
            "entries": 3,
            "tokens": 39,
          },
          "oid": "2608754591e01a56d2346ba324f30e9788405f98aa2b1e71516a32b02ef30a23",
        },
      ],
      "head": false,
      "native": null,
      "oid": "b6be4a283625f09f30312f8873beb2bfaf76703c9c8b82bfa3dafa27cf114ade",
      "open": false,
      "parents": [
        "819f25dda380fd72f1d73a5af9cf24c4aaf76bde263ea7e8abe271bb5f13837f",
      ],
      "refs": [
        {
          "current": false,
          "kind": "label",
          "name": "before-cache",
          "session": "019d4e07-5b20-7d11-a6c2-93e1f04b7a65",
        },
      ],
      "role": "user",
      "session": "019d4e07-5b20-7d11-a6c2-93e1f04b7a65",
      "text": "Compute them once a day and measure again.",
      "time": null,
      "type": "pi/message",
    }
  `)
})

it('shows as much of the id of each session as names it alone', async () => {
  const shell = new Shell()
  for (const name of ['the-long-name-of-one', 'the-long-name-of-two']) {
    writeFileSync(shell.path(`${name}.jsonl`), `{"role":"user","content":"Hello from ${name}"}\n`)
    await shell.run(`sess import ${name}.jsonl`)
  }
  const { stdout } = await shell.run('sess tree --everywhere')
  const headings = stdout.split('\n').filter((line) => line.startsWith('the-'))
  expect(headings.map((line) => line.split(' ')[0])).toEqual(['the-long-name-of-o', 'the-long-name-of-t'])
})

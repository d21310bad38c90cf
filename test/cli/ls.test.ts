import { writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { Shell } from '../support/shell.ts'

it('lists the sessions, the newest first', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(await shell.type('sess ls')).toMatchInlineSnapshot(`
    "$ sess ls
    SESSION      UPDATED  ENTRIES  AGENT        PROJECT  BRANCH  TOKENS    COST  TITLE
    019d4e07  2026-04-02       15  pi           tides             12.5k   $0.03  Slow forecast for Brest
    019d4482  2026-04-01       11  codex        tides              4.4k  ~$0.01  "Which harbours does the table know?"
    019d3f52  2026-03-31       11  codex        tides              4.4k  ~$0.01  "Which harbours does the table know?"
    c7d02e95  2026-03-30       16  claude-code  tides              105k  ~$0.09  Tide table one hour off (fork)
    3b1f6a20  2026-03-30       22  claude-code  tides        +1    140k  ~$0.12  Tide table one hour off
    "
  `)
  expect(await shell.type('sess ls', { columns: 60 })).toMatchInlineSnapshot(`
    "$ sess ls
    SESSION      UPDATED    COST  TITLE
    019d4e07  2026-04-02   $0.03  Slow forecast for Brest
    019d4482  2026-04-01  ~$0.01  "Which harbours does the tabl…
    019d3f52  2026-03-31  ~$0.01  "Which harbours does the tabl…
    c7d02e95  2026-03-30  ~$0.09  Tide table one hour off (fork)
    3b1f6a20  2026-03-30  ~$0.12  Tide table one hour off
    "
  `)
})

it('gives scripts one line per session', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions/claude')
  const { stdout } = await shell.run('sess ls --json')
  expect(stdout.split('\n')).toHaveLength(3)
  expect(JSON.parse(stdout.split('\n')[1] as string)).toMatchInlineSnapshot(`
    {
      "agents": {},
      "branches": {
        "at-1d9fca05": "eeb9681aa7fcd10088f38ac560f4bea00a4a15cb33232668f9ebd8dc3942b898",
        "main": "98c5e71acd891047e22327f00a02dc1fe93c5c198ac6cdb249082933b58f9be4",
      },
      "calls": 5,
      "continuedIn": null,
      "continues": null,
      "cost": 0.118644,
      "costComputed": true,
      "created": "2026-03-30T09:02:11.137Z",
      "cwd": "/home/ada/tides",
      "entries": 22,
      "folders": [
        "/home/ada/tides",
      ],
      "format": "claude-code",
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
      "head": "main",
      "id": "3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14",
      "labels": {},
      "live": false,
      "model": "claude-sonnet-4-5",
      "parent": null,
      "project": "/home/ada/tides",
      "prompt": "The tide table for Saint-Malo is one hour off since Sunday. Find out why.",
      "prompts": 5,
      "pullRequests": [],
      "records": 25,
      "reportedCost": null,
      "set": {},
      "silent": false,
      "source": "/home/ada/sessions/claude/3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14.jsonl",
      "title": "Tide table one hour off",
      "tokens": {
        "cacheRead": 123360,
        "cacheWrite": 14640,
        "input": 112,
        "output": 1760,
        "total": 139872,
      },
      "updated": "2026-03-30T09:21:18.151Z",
    }
  `)
})

it('says what to type where there is no session, and where there is no store', async () => {
  const shell = new Shell()
  expect(await shell.type('sess ls')).toMatchInlineSnapshot(`
    "$ sess ls
    ! sess: no store at '/home/ada/.local/share/sess'
    ! hint: type 'sess import' to import the sessions of this machine, or 'sess init' to create an empty store
    exit 1
    "
  `)
  await shell.run('sess init')
  expect(await shell.type('sess ls')).toMatchInlineSnapshot(`
    "$ sess ls
    ! no sessions yet: type 'sess import' to import those of the agents on this machine
    "
  `)
  expect(await shell.type('sess ls --json')).toMatchInlineSnapshot(`
    "$ sess ls --json
    "
  `)
})

it('shortens ids no further than they differ', async () => {
  const shell = new Shell({ samples: false })
  for (const title of ['one', 'two']) await shell.run(`sess append --new --title ${title}`)
  expect(await shell.type('sess ls')).toMatchInlineSnapshot(`
    "$ sess ls
    SESSION   AGE  ENTRIES  AGENT  PROJECT  TITLE
    019de369   1m        0  sess   ada      two
    019de368   2m        0  sess   ada      one
    "
  `)
})

it('lists those that are meant', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  await shell.run('sess set 3b1f status=done')
  await shell.run('sess set 019d4e07 status=open')
  const lines = [
    'sess ls --agent claude',
    'sess ls --agent codex -n 1',
    'sess ls --since 2026-03-31 --until 2026-04-02',
    'sess ls --since 30d',
    'sess ls --where status=done',
    'sess ls --where status --where agent!=pi',
    'sess ls --where status!=done -n 2',
    'sess ls --where status= --sort entries',
    'sess ls --where "title=Slow forecast for Brest"',
    'sess ls --label before-cache',
    'sess ls --sort tokens --reverse -n 2',
    'sess ls --cwd /home/ada',
    'sess ls --cwd /home/ada/tid',
    'sess ls --agent sess',
  ]
  const said: string[] = []
  for (const line of lines) {
    const { stdout, stderr, code } = await shell.run(line)
    const ids = [...stdout.matchAll(/^([0-9a-f]{4})[0-9a-f]{4} /gm)].map(([, id = '']) => id)
    said.push(`${line}: ${ids.join(' ')}${stderr.trim()}${code === 0 ? '' : ` exit ${code}`}`)
  }
  expect(said.join('\n')).toMatchInlineSnapshot(`
    "sess ls --agent claude: c7d0 3b1f
    sess ls --agent codex -n 1: 019d
    sess ls --since 2026-03-31 --until 2026-04-02: 019d 019d
    sess ls --since 30d: 019d
    sess ls --where status=done: 3b1f
    sess ls --where status --where agent!=pi: 3b1f
    sess ls --where status!=done -n 2: 019d 019d
    sess ls --where status= --sort entries: c7d0 019d 019d
    sess ls --where "title=Slow forecast for Brest": 019d
    sess ls --label before-cache: 019d
    sess ls --sort tokens --reverse -n 2: c7d0 3b1f
    sess ls --cwd /home/ada: 019d 019d 019d c7d0 3b1f
    sess ls --cwd /home/ada/tid: none of 5 sessions matches
    sess ls --agent sess: none of 5 sessions matches"
  `)
})

it('says how long ago, or the day of those that are older than a week', async () => {
  const shell = new Shell({ samples: false })
  const at = (minutes: number): string =>
    new Date(Date.parse('2026-05-01T12:01:00Z') - minutes * 60_000).toISOString()
  for (const [name, minutes] of [
    ['a', 0],
    ['b', 59],
    ['c', 60],
    ['d', 24 * 60],
    ['e', 7 * 24 * 60 - 1],
    ['f', 7 * 24 * 60],
    ['g', -5],
  ] as const) {
    writeFileSync(
      shell.path(`${name}.jsonl`),
      JSON.stringify({ n: 1, role: 'user', content: name, timestamp: at(minutes) }),
    )
  }
  await shell.run('sess import .')
  expect(await shell.type('sess ls --where id!=g-58a5c215 --where id!=f-29c4ab90')).toMatchInlineSnapshot(`
    "$ sess ls --where id!=g-58a5c215 --where id!=f-29c4ab90
    SESSION     AGE  ENTRIES  AGENT  TITLE
    a-9b1a57f7  now        1  jsonl  "a"
    b-ca9732a1  59m        1  jsonl  "b"
    c-9aff4e14   1h        1  jsonl  "c"
    d-b491ecee   1d        1  jsonl  "d"
    e-f7342c6a   6d        1  jsonl  "e"
    "
  `)
  // Two that are older than a week: these by their days.
  expect(await shell.type('sess ls')).toMatchInlineSnapshot(`
    "$ sess ls
    SESSION        UPDATED  ENTRIES  AGENT  TITLE
    g-58a5c215  2026-05-01        1  jsonl  "g"
    a-9b1a57f7          1m        1  jsonl  "a"
    b-ca9732a1          1h        1  jsonl  "b"
    c-9aff4e14          1h        1  jsonl  "c"
    d-b491ecee          1d        1  jsonl  "d"
    e-f7342c6a  2026-04-24        1  jsonl  "e"
    f-29c4ab90  2026-04-24        1  jsonl  "f"
    "
  `)
})

it('refuses an agent that is none, a time that is none, and a condition that is none', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(
    [
      (await shell.type('sess ls --agent claud')).replace(/knows .*/, 'knows …'),
      await shell.type('sess ls --since soon'),
      await shell.type('sess ls --until 2026-02-30'),
      await shell.type('sess ls --where =done'),
      await shell.type('sess ls --sort size'),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess ls --agent claud
    ! sess: no agent is called 'claud'
    ! hint: did you mean 'claude' or 'claude-code' or 'claude-web'? sess knows …
    exit 2
    $ sess ls --since soon
    ! sess: '--since' takes a time, not 'soon'
    ! hint: write a duration such as 12h, 3d, 2w, or a day such as yesterday, 2026-04-01
    exit 2
    $ sess ls --until 2026-02-30
    ! sess: '--until' takes a time, not '2026-02-30'
    ! hint: write a duration such as 12h, 3d, 2w, or a day such as yesterday, 2026-04-01
    exit 2
    $ sess ls --where =done
    ! sess: '=done' is no condition
    ! hint: write KEY=VALUE, KEY!=VALUE, or KEY for any value
    exit 2
    $ sess ls --sort size
    ! sess: '--sort' takes updated, created, entries, tokens or cost, not 'size'
    ! hint: type 'sess help ls' to see how it is used
    exit 2
    "
  `)
})

it('leaves columns out where the terminal is narrow', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  for (const columns of [75, 68, 45])
    expect(
      (await shell.run('sess ls', { columns })).stdout.split('\n').every((line) => line.length <= columns),
    ).toBe(true)
  expect(await shell.type('sess ls -n 2', { columns: 75 })).toMatchInlineSnapshot(`
    "$ sess ls -n 2
    SESSION      UPDATED  AGENT  PROJECT    COST  TITLE
    019d4e07  2026-04-02  pi     tides     $0.03  Slow forecast for Brest
    019d4482  2026-04-01  codex  tides    ~$0.01  "Which harbours does the tab…
    "
  `)
  expect(await shell.type('sess ls -n 2', { columns: 45 })).toMatchInlineSnapshot(`
    "$ sess ls -n 2
    SESSION      UPDATED  TITLE
    019d4e07  2026-04-02  Slow forecast for Brest
    019d4482  2026-04-01  "Which harbours does t…
    "
  `)
})

it('cuts no id that the terminal has room for, and tells sessions apart by it', async () => {
  const shell = new Shell({ samples: false })
  const long = 'rollout-2026-05-01T12-00-00-in-the-harbour-of-saint-malo'
  for (const end of ['a', 'b'])
    writeFileSync(shell.path(`${long}-${end}.jsonl`), JSON.stringify({ n: 1, role: 'user', content: end }))
  await shell.run('sess import .')
  const { stdout } = await shell.run('sess ls', { columns: 100 })
  const ids = stdout
    .split('\n')
    .slice(1, -1)
    .map((line) => line.split(' ')[0] as string)
  expect(ids).toHaveLength(2)
  for (const id of ids) expect((await shell.run(`sess show ${id} -T {session}`)).stdout).toContain(id)
  const found = (await shell.run('sess search a', { columns: 60 })).stdout.split(' ')[0] as string
  expect((await shell.run(`sess show ${found} -T {session}`)).code).toBe(0)
})

it('suggests a bare import for an empty store', async () => {
  const shell = new Shell({ samples: false })
  await shell.run('sess init')
  for (const line of ['sess ls', 'sess log', 'sess show nothing', 'sess resume'])
    expect((await shell.run(line)).stderr).toContain("no sessions yet: type 'sess import' to import")
})

it('keeps the cost on a terminal of 80 columns, and cuts nothing in a pipe', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  const title = 'A title that is longer than a terminal of 80 columns, and is read by another program'
  await shell.run(`sess rename 3b1f "${title}"`)
  const narrow = (await shell.run('sess ls', { columns: 80 })).stdout.trimEnd().split('\n')
  expect(narrow[0]).toMatch(/PROJECT .* COST +TITLE$/)
  expect(narrow.filter((line) => line.length > 80)).toEqual([])
  const piped = await shell.run('sess ls', { variables: { COLUMNS: '80' } })
  expect(piped.stdout).toContain(`${title}\n`)
  expect(piped.stdout).toMatch(/^SESSION +UPDATED +ENTRIES +AGENT +PROJECT +BRANCH +TOKENS +COST +TITLE\n/)
})

it('lists the sessions of a project: part of the path of a folder, or of a repository', async () => {
  const shell = new Shell()
  for (const [name, cwd, url] of [
    ['one', '/w/Lamp-Firmware', 'git@example.com:ada/desk.git'],
    ['two', '/w/lamp/docs', ''],
    ['three', '/w/clock', ''],
  ])
    writeFileSync(
      shell.path(`${name}.jsonl`),
      `{"timestamp":"2026-04-01T10:00:00.000Z","type":"session_meta","payload":{"id":"${name}","cwd":"${cwd}","git":{"repository_url":"${url}"}}}\n{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}}\n`,
    )
  await shell.run('sess import one.jsonl two.jsonl three.jsonl')
  const ids = async (line: string): Promise<string[]> =>
    (await shell.run(`${line} -T {id}`)).stdout.trimEnd().split('\n').sort()
  expect(await ids('sess ls --project lamp')).toEqual(['one', 'two'])
  expect(await ids('sess ls --project W/LAMP/')).toEqual(['two'])
  expect(await ids('sess ls --project desk')).toEqual(['one'])
  expect(await ids('sess ls --where project!=lamp')).toEqual(['three'])
  expect(await ids('sess ls --cwd /w/lamp')).toEqual(['two'])
})

it('does not make the column of ids wider for ids that share a prefix', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions/pi')
  const id = 'b4dcf65c-8a8f-4be8-80c2-fcebbda55946'
  for (const name of [id, `${id}-2`])
    writeFileSync(shell.path(`${name}.jsonl`), `{"role":"user","content":"${name.length}"}\n`)
  await shell.run(`sess import ${id}.jsonl ${id}-2.jsonl`)
  const { stdout } = await shell.run('sess ls --sort entries', { columns: 80 })
  expect(stdout).toMatchInlineSnapshot(`
    "SESSION      UPDATED  AGENT  PROJECT  TOKENS   COST  TITLE
    019d4e07  2026-04-02  pi     tides     12.5k  $0.03  Slow forecast for Brest
    b4dcf65c-8a8f-4be8-80c2-fcebbda55946-2  1m  jsonl        "38"
    b4dcf65c-8a8f-4be8-80c2-fcebbda55946-e  1m  jsonl        "36"
    "
  `)
})

import { writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { Shell } from '../support/shell.ts'
import { asked, claudeLines } from '../support/transcripts.ts'

it('shows a line for each entry, the newest first', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(await shell.type('sess log 019d4e07')).toMatchInlineSnapshot(`
    "$ sess log 019d4e07
    d46180147d  2026-04-02 07:31  assistant  (*main) All three use \`daily\` now. The slowest, Saint-Malo…
    dd442d3969  2026-04-02 07:31  user       Do the same for all harbours.
    283d4aa753  2026-04-02 07:31  -          [compaction]  The forecast for Brest took 3.9 s because ha…
    a0209d045e  2026-04-02 07:30  assistant  0.2 s now. The heights differ by less than a millimetre.
    ee044e52d9  2026-04-02 07:30  tool       ← real 0m0.214s
    602e3ec014  2026-04-02 07:30  assistant  → bash time node bin/tides.js brest
    dfe9c488d2  2026-04-02 07:30  tool       ← Successfully replaced text in src/harmonics.js.
    6f13a4c27e  2026-04-02 07:30  assistant  → edit src/harmonics.js const h = harmonics(time) const h…
    b6be4a2836  2026-04-02 07:30  user       (label: before-cache) Compute them once a day and measure…
    819f25dda3  2026-04-02 07:30  assistant  It takes 3.9 s: the harmonics are computed again for every…
    da92c074a5  2026-04-02 07:30  tool       ← real 0m3.912s
    a6a5222043  2026-04-02 07:30  assistant  (thinking) Measure first.  → bash time node bin/tides.js b…
    2608754591  2026-04-02 07:30  user       Why is the forecast for Brest slow?
    bf269ecd56  2026-04-02 07:30  -          thinking: medium
    0b1a5a0e87  2026-04-02 07:30  -          model: claude-sonnet-4-5
    "
  `)
})

it('shows so many entries, ranges, and all branches', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(await shell.type('sess log 3b1f -n 2')).toMatchInlineSnapshot(`
    "$ sess log 3b1f -n 2
    98c5e71acd  2026-03-30 09:21  assistant  (*main) Added \`test/clock.test.js\`: 03:00 follows 01:59. I…
    6b65079442  2026-03-30 09:21  tool       ← File created successfully at: /home/ada/tides/test/clock…
    "
  `)
  expect(await shell.type('sess log 3b1f..c7d0')).toMatchInlineSnapshot(`
    "$ sess log 3b1f..c7d0
    732cfba3f3  2026-03-30 09:40  assistant  (*main) The heading now says \`Saint-Malo, 30 March (heure…
    944891f779  2026-03-30 09:40  tool       ← The file /home/ada/tides/src/table.js has been updated.
    7c9c2f9ad9  2026-03-30 09:40  assistant  → Edit /home/ada/tides/src/table.js print(title) print(\`\${…
    96f3350250  2026-03-30 09:40  user       Print the name of the time zone above the table.
    "
  `)
  expect((await shell.run('sess log 3b1f --all')).stdout.trimEnd().split('\n')).toHaveLength(22)
  expect((await shell.run('sess log 3b1f')).stdout.trimEnd().split('\n')).toHaveLength(18)
})

it('gives scripts all of an entry but its body', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  const { stdout } = await shell.run('sess log 3b1f -n 1 --json')
  expect(JSON.parse(stdout)).toMatchInlineSnapshot(`
    {
      "cursor": "WyJlbnRyeSIsIjNiMWY2YTIwLThjNGUtNGQ1Ny05YTYxLTBmMmQ3YzVlOWIxNCIsIjk4YzVlNzFhY2Q4OTEwNDdlMjIzMjdmMDBhMDJkYzFmZTkzYzVjMTk4YWM2Y2RiMjQ5MDgyOTMzYjU4ZjliZTQiXQ",
      "native": "4a13915b-51d7-41b7-9351-7e6b47afb2e7",
      "oid": "98c5e71acd891047e22327f00a02dc1fe93c5c198ac6cdb249082933b58f9be4",
      "parents": [
        "6b65079442994a9a7771eb6b6b0e55d3cde436016a44d77499b96900e6feb3e7",
      ],
      "role": "assistant",
      "session": "3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14",
      "text": "Added \`test/clock.test.js\`: 03:00 follows 01:59. It passes, and it fails with the old \`clock\`.",
      "time": "2026-03-30T09:21:18.151Z",
      "type": "claude/assistant",
    }
  `)
})

it('colours a terminal and cuts to its width', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  const terminal = { terminal: true, columns: 60 }
  const colored = (await shell.run('sess log 3b1f -n 3', terminal)).stdout
  expect(colored.replaceAll('\u001b', '^')).toMatchInlineSnapshot(`
    "^[33m98c5e71acd^[39m  ^[2m2026-03-30 09:21^[22m  ^[34massistant^[39m  ^[36m(*main) ^[39mAdded \`tes…
    ^[33m6b65079442^[39m  ^[2m2026-03-30 09:21^[22m  ^[35mtool     ^[39m  ← File created suc…
    ^[33mc15253199e^[39m  ^[2m2026-03-30 09:21^[22m  ^[34massistant^[39m  → Write /home/ada/…
    "
  `)
  const plain = (await shell.run('sess log 3b1f -n 3', { columns: 60 })).stdout
  expect((await shell.run('sess log 3b1f -n 3 --no-color', terminal)).stdout).toBe(plain)
  expect((await shell.run('sess log 3b1f -n 3', { ...terminal, variables: { NO_COLOR: '1' } })).stdout).toBe(
    plain,
  )
  expect((await shell.run('sess log 3b1f -n 3', { ...terminal, variables: { TERM: 'dumb' } })).stdout).toBe(
    plain,
  )
})

it('takes the latest session of the folder where none is named', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(await shell.type('sess log')).toMatchInlineSnapshot(`
    "$ sess log
    ! sess: no session is current in '/home/ada' (none was switched to or held there or above)
    ! hint: type 'sess ls' to see all sessions, and 'sess switch SESSION' to make one current here
    exit 1
    "
  `)
  await shell.run('sess append --new', { stdin: ['{"body":{"role":"user","content":"here"}}'] })
  expect(await shell.type('sess log')).toMatchInlineSnapshot(`
    "$ sess log
    d97ef91200  2026-05-01 12:02  user       (*main) here
    "
  `)
})

it('lets nothing through that could steer a terminal', async () => {
  const shell = new Shell({ samples: false })
  const content = 'red \u001b[31m, bell \u0007, back \u202egnp.exe, gone \u200b, c1 \u009b2J'
  await shell.run('sess append --new --title "\u001b]0;title\u0007"', {
    stdin: [JSON.stringify({ body: { role: 'user', content } })],
  })
  expect(await shell.type('sess ls')).toMatchInlineSnapshot(`
    "$ sess ls
    SESSION   AGE  ENTRIES  AGENT  PROJECT  TITLE
    019de368   1m        1  sess   ada      \\x1b]0;title\\x07
    "
  `)
  const colored = (await shell.run('sess log @', { terminal: true, columns: 160 })).stdout
  expect(colored.replaceAll('\u001b', '^')).toMatchInlineSnapshot(`
    "^[33m7ec0babf35^[39m  ^[2m2026-05-01 12:00^[22m  ^[32muser     ^[39m  ^[36m(*main) ^[39mred \\x1b[31m, bell \\x07, back \\u202egnp.exe, gone \\u200b, c1 \\x9b2J
    "
  `)
  const { stdout } = await shell.run('sess log @ --json')
  expect(stdout).toMatch(/^[\n\x20-\x7e]+$/)
  expect(JSON.parse(stdout)).toMatchObject({ text: content })
})

it('refuses a number that is none', async () => {
  expect(await new Shell().type('sess log x -n few')).toMatchInlineSnapshot(`
    "$ sess log x -n few
    ! sess: '--limit' takes a whole number, not 'few'
    ! hint: type 'sess help log' to see how it is used
    exit 2
    "
  `)
})

it('says how a range is typed of which a side is left out, unless something is called so', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  const said: string[] = []
  for (const command of [
    'log 3b1f..',
    'log ...3b1f',
    'log ..',
    'diff 3b1f...',
    'rev-list 3b1f~2..',
    'scan 3b1f..',
  ])
    said.push(await shell.type(`sess ${command}`))
  expect(said.join('')).toMatchInlineSnapshot(`
    "$ sess log 3b1f..
    ! sess: no session or entry is called '3b1f..'
    ! hint: a range has a session or an entry on both sides of its dots: '3b1f..B'
    exit 1
    $ sess log ...3b1f
    ! sess: no session or entry is called '...3b1f'
    ! hint: a range has a session or an entry on both sides of its dots: 'A...3b1f'
    exit 1
    $ sess log ..
    ! sess: no session or entry is called '..'
    ! hint: a range has a session or an entry on both sides of its dots: 'A..B'
    exit 1
    $ sess diff 3b1f...
    ! sess: no session or entry is called '3b1f...'
    ! hint: a range has a session or an entry on both sides of its dots: '3b1f...B'
    exit 1
    $ sess rev-list 3b1f~2..
    ! sess: no session or entry is called '3b1f~2..'
    ! hint: a range has a session or an entry on both sides of its dots: '3b1f~2..B'
    exit 1
    $ sess scan 3b1f..
    ! sess: no session or entry is called '3b1f..'
    ! hint: a range has a session or an entry on both sides of its dots: '3b1f..B'
    exit 1
    "
  `)
  await shell.run('sess rename 3b1f "and so on.."')
  expect((await shell.run('sess log "and so on.." -n 1')).stdout).toContain('Added `test/clock.test.js`')
})

it('takes the id of a session that looks like a range for the session', async () => {
  const shell = new Shell({ samples: false })
  for (const id of ['a', 'b', 'a..b'])
    writeFileSync(shell.path(`of ${id}.jsonl`), claudeLines(id, asked('u1', null, `said in ${id}`)).join(''))
  await shell.run('sess import .')
  const { stdout } = await shell.run("sess log 'a..b' --json")
  expect(JSON.parse(stdout)).toMatchObject({ session: 'a..b', text: 'said in a..b' })
  const { stdout: ofTwo } = await shell.run("sess log --json 'a..b' b --")
  expect(ofTwo).toContain('said in a..b')
})

it('reads as git log does', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions/claude')
  const oids = async (line: string): Promise<string[]> =>
    (await shell.run(line.replace('sess log', 'sess log -T oid'))).stdout
      .split('\n')
      .filter((oid) => oid !== '')
  const all = await oids('sess log 3b1f')
  expect(await oids('sess log 3b1f -5')).toEqual(all.slice(0, 5))
  expect(await oids('sess log 3b1f --reverse')).toEqual(all.toReversed())
  expect(await oids('sess log 3b1f --since 2026-03-31')).toEqual([])
  expect(await oids('sess log 3b1f --until 2026-03-31 -5')).toEqual(all.slice(0, 5))
  const found = await oids('sess log 3b1f --grep tide')
  expect(found.length).toBeGreaterThan(0)
  expect(found.length).toBeLessThan(all.length)
  const touched = await oids('sess log 3b1f -- src/format.js')
  expect(touched.length).toBeGreaterThan(0)
  expect(await oids('sess log 3b1f src/format.js')).toEqual(touched)
  expect((await shell.run('sess log 3b1f -p -- src/format.js')).stdout).toMatch(
    /\n {4}\S*src\/format\.js\n {4}[-+{[ ]/,
  )
  expect(await shell.type('sess log 3b1f --grep (')).toContain(
    "sess: the regular expression '(' is not valid",
  )
  expect((await shell.run('sess log 3b1f --oneline')).stdout).toBe((await shell.run('sess log 3b1f')).stdout)
})

it('shows a whole session, the oldest entry first', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions/claude')
  const oids = (await shell.run('sess log 3b1f --reverse -T oid')).stdout
  const shown = (await shell.run('sess show 3b1f --all -T full')).stdout
  expect(shown.match(/(?<=^entry +)\S+$/gm)?.join('\n')).toBe(oids.trimEnd())
})

it('takes several revisions, as git log does', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  const oids = async (line: string): Promise<string[]> =>
    (await shell.run(line.replace('sess log', 'sess log -T {oid}'))).stdout.trimEnd().split('\n').sort()
  const all = new Set([...(await oids('sess log c7d0')), ...(await oids('sess log 3b1f'))])
  expect(await oids('sess log c7d0 3b1f')).toEqual([...all].sort())
  for (const range of ['c7d0..3b1f', 'c7d0...3b1f']) {
    const ofBoth = new Set([...(await oids(`sess log ${range}`)), ...(await oids('sess log 019d4482'))])
    expect(await oids(`sess log ${range} 019d4482 --`)).toEqual([...ofBoth].sort())
  }
  await shell.run('sess rename c7d0 "Release 1.2"')
  const [added, more] = [await oids('sess log c7d0..3b1f'), await oids('sess log c7d0~14')]
  expect(await oids('sess log "Release 1.2..3b1f" c7d0~14 --')).toEqual(
    [...new Set([...added, ...more])].sort(),
  )
  expect(await shell.type('sess log c7d0~14 019d4482 -n 3')).toMatchInlineSnapshot(`
    "$ sess log c7d0~14 019d4482 -n 3
    f73c6a39d6  2026-04-01 08:00  019d4482  assistant  (*main) Le Havre and Dieppe are in the table now…
    81a1b8b861  2026-04-01 08:00  019d4482  tool       ← Success. Updated the following files:
    6d2ba01ed0  2026-04-01 08:00  019d4482  assistant  → apply_patch *** Begin Patch
    "
  `)
  expect(await shell.type('sess log 3b1f nothing.js')).toMatchInlineSnapshot(`
    "$ sess log 3b1f nothing.js
    ! no entry names 'nothing.js'
    "
  `)
  expect((await shell.run('sess log 3b1f nonsense -- src')).code).toBe(1)
})

it('finds a file by the end of its path, in all sessions, and where its folder moved', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  const rows = async (line: string): Promise<number> =>
    (await shell.run(line)).stdout.split('\n').filter(Boolean).length
  const count = await rows('sess log 3b1f -- /home/ada/tides/src/format.js')
  expect(count).toBeGreaterThan(1)
  expect(await rows('sess log 3b1f -- format.js')).toBe(count)
  expect(await rows('sess log 3b1f -- src/format.js')).toBe(count)
  expect(await rows('sess log 3b1f -- ormat.js')).toBe(0)
  expect(await shell.type('sess log --everywhere -n 4 -- format.js')).toMatchInlineSnapshot(`
    "$ sess log --everywhere -n 4 -- format.js
    83d50de907  2026-03-30 09:06  c7d02e95  assistant  → Edit /home/ada/tides/src/format.js const OFFSE…
    9809bbac6b  2026-03-30 09:02  c7d02e95  assistant  → Read /home/ada/tides/src/format.js
    "
  `)
  expect(
    await shell.type('sess log --everywhere --grep "one hour off" --since 2026-03-30 -n 2'),
  ).toMatchInlineSnapshot(`
    "$ sess log --everywhere --grep "one hour off" --since 2026-03-30 -n 2
    8d9c0e3aab  2026-03-30 09:20  3b1f6a20  user       This session is continued from one that ran out…
    509744c055  2026-03-30 09:02  c7d02e95  user       The tide table for Saint-Malo is one hour off si…
    "
  `)
  await shell.run('sess mv /home/ada/tides /home/ada/moved')
  expect(await rows('sess log 3b1f -- /home/ada/moved/src/format.js')).toBe(count)
  expect(await rows('sess log 3b1f -- ./src/format.js')).toBe(count)
})

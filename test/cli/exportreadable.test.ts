import { expect, it } from 'vitest'
import { Shell } from '../support/shell.ts'

it('exports a text for people: the session by its title and id, and a heading for each turn', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(await shell.type('sess export 3b1f --format markdown')).toMatchInlineSnapshot(`
    "$ sess export 3b1f --format markdown
    # Tide table one hour off

    3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 · /home/ada/tides · 2026-03-30 09:02

    ## User · 2026-03-30 09:02

    The tide table for Saint-Malo is one hour off since Sunday. Find out why.

    ## Assistant · 2026-03-30 09:02

    > Summer time began on Sunday, 29 March. Something adds a fixed offset, I suspect.

    Summer time began on Sunday, so I look at where times are printed.

    **→ Grep**

    \`\`\`
    pattern: OFFSET|getTimezoneOffset
    path: src
    \`\`\`

    **→ Read**

    \`\`\`
    file_path: /home/ada/tides/src/format.js
    \`\`\`

    **← result**

    \`\`\`
    src/format.js:1:const OFFSET = 60 // minutes, France
    src/format.js:4:  const local = new Date(time.getTime() + OFFSET * 60_000)
    \`\`\`

    **← result**

    \`\`\`
    const OFFSET = 60 // minutes, France

    export const clock = (time) => {
      const local = new Date(time.getTime() + OFFSET * 60_000)
      return local.toISOString().slice(11, 16)
    }
    \`\`\`

    \`src/format.js\` adds a fixed offset of 60 minutes to UTC. In summer France is 120 minutes ahead, so every time
    is printed one hour early from 29 March to 25 October.

    ## User · 2026-03-30 09:06

    Fix it without a time zone library, and say what it costs.

    ## Assistant · 2026-03-30 09:06

    **→ Edit**

    \`\`\`
    file_path: /home/ada/tides/src/format.js
    old_string: const OFFSET = 60 // minutes, France

    export const clock = (time) => {
      const local = new Date(time.getTime() + OFFSET * 60_000)
      return local.toISOString().slice(11, 16)
    }
    new_string: export const clock = (time) =>
      new Intl.DateTimeFormat('fr-FR', { timeStyle: 'short', timeZone: 'Europe/Paris' }).format(time)
    \`\`\`

    **← result**

    \`\`\`
    The file /home/ada/tides/src/format.js has been updated.
    \`\`\`

    Done with Intl: \`clock\` now converts to Europe/Paris.
    It adds no package.
    All 12 tests pass.

    ## System · 2026-03-30 09:20

    *compaction*

    ## User · 2026-03-30 09:20

    This session is continued from one that ran out of context. The tide table of Saint-Malo was one hour off because src/format.js added a fixed offset; clock() now uses Intl with Europe/Paris.

    ## User · 2026-03-30 09:21

    Add a test for the night when the clocks change.

    ## Assistant · 2026-03-30 09:21

    **→ Write**

    \`\`\`
    file_path: /home/ada/tides/test/clock.test.js
    content: test('03:00 follows 01:59', () => {
      expect(clock(new Date('2026-03-29T00:59:00Z'))).toBe('01:59')
      expect(clock(new Date('2026-03-29T01:00:00Z'))).toBe('03:00')
    })
    \`\`\`

    **← result**

    \`\`\`
    File created successfully at: /home/ada/tides/test/clock.test.js
    \`\`\`

    Added \`test/clock.test.js\`: 03:00 follows 01:59. It passes, and it fails with the old \`clock\`.
    ! not written: branch (1)  the format holds one path: this branch is left out: at-1d9fca05
    "
  `)
  expect(
    await shell.type('sess export 019d3f52 --format markdown --no-tools --no-system'),
  ).toMatchInlineSnapshot(`
    "$ sess export 019d3f52 --format markdown --no-tools --no-system
    # Which harbours does the table know?

    019d3f52-7a10-7c43-9be1-40f6d2a8c531 · /home/ada/tides · 2026-03-31 14:10

    ## User · 2026-03-31 14:10

    Which harbours does the table know?

    ## Assistant · 2026-03-31 14:10

    > Look into the data folder.

    Three: Brest, Cherbourg and Saint-Malo.

    ## User · 2026-03-31 14:10

    Add Le Havre.

    ## Assistant · 2026-03-31 14:10

    Le Havre is in the table now, with its position from the chart.
    "
  `)
  const { stdout } = await shell.run('sess export 019d3f52 --format html')
  expect(stdout).toContain('<title>Which harbours does the table know?</title>')
  expect(stdout).toContain('019d3f52-7a10-7c43-9be1-40f6d2a8c531')
  const { stdout: bare } = await shell.run('sess export 019d3f52 --format html --no-tools')
  expect([stdout, bare].map((text) => text.includes('class="tool"'))).toEqual([true, false])
  expect((await shell.run('sess export 019d3f52 --html')).stdout).toBe(stdout)
  expect(await shell.type('sess export 019d3f52 --html --format pi')).toContain('exit 2')
  const written = await shell.run('sess export 3b1f --format markdown --out . --json')
  expect(written.stdout).toContain('/3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14.md"')
})

it('masks a secret that is read from standard input, and leaves out nothing of what programs read', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  const { stdout } = await shell.run('sess export 3b1f --format markdown --redact --secret -', {
    stdin: ['Saint-Malo\n'],
  })
  expect(stdout).not.toContain('Saint-Malo')
  expect(stdout).toMatch(/The tide table for \[redacted:secret:[0-9a-f]{8}\] is one hour off/)
  expect((await shell.run('sess export 3b1f --secret -')).code).not.toBe(0)
  expect(await shell.type('sess export 3b1f --format pi --no-tools')).toMatchInlineSnapshot(`
    "$ sess export 3b1f --format pi --no-tools
    ! sess: only a text for people leaves out tools or what agents add
    ! hint: choose the format markdown or html
    exit 2
    "
  `)
})

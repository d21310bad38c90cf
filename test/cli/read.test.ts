import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, it } from 'vitest'
import { agentFile, calls, FAMILY, returns, sessionFile } from '../support/claudefamily.ts'
import { Shell } from '../support/shell.ts'
import { answered, asked } from '../support/transcripts.ts'

/** What is used here of a turn as JSON. */
interface Row {
  readonly oid: string
  readonly who: string | null
  readonly cursor?: string
  readonly parts: readonly unknown[]
}

const named = (agentId: string) => ({ toolUseResult: { agentId } })

it('reads a conversation: who, when, text, calls as lines, edits as differences, a compaction as a line', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(await shell.type('sess read 3b1f6a20')).toMatchInlineSnapshot(`
    "$ sess read 3b1f6a20
    Tide table one hour off
    claude-code  3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14  /home/ada/tides  2026-03-30 09:21

    user  2026-03-30 09:02
      The tide table for Saint-Malo is one hour off since Sunday. Find out why.

    assistant  2026-03-30 09:02
      · thinking: Summer time began on Sunday, 29 March. Something adds a f… (80 characters, --thinking)

      Summer time began on Sunday, so I look at where times are printed.

      → Grep OFFSET|getTimezoneOffset src ← src/format.js:1:const OFFSET = 60 // minutes, France (2 lin…
      → Read src/format.js ← const OFFSET = 60 // minutes, France (6 lines)

      \`src/format.js\` adds a fixed offset of 60 minutes to UTC. In summer France is 120 minutes ahead,
      so every time
      is printed one hour early from 29 March to 25 October.

    user  2026-03-30 09:06
      Fix it without a time zone library, and say what it costs.

    assistant  2026-03-30 09:06
      → Edit src/format.js ← done
          - const OFFSET = 60 // minutes, France
          -
          - export const clock = (time) => {
          -   const local = new Date(time.getTime() + OFFSET * 60_000)
          -   return local.toISOString().slice(11, 16)
          - }
          + export const clock = (time) =>
          +   new Intl.DateTimeFormat('fr-FR', { timeStyle: 'short', timeZone: 'Europe/Paris' }).format(time)

      Done with Intl: \`clock\` now converts to Europe/Paris.
      It adds no package.
      All 12 tests pass.

    ── compaction: a summary replaces what is above
    · system: This session is continued from one that ran out of context. Th… (190 characters, --system)

    user  2026-03-30 09:21
      Add a test for the night when the clocks change.

    assistant  2026-03-30 09:21
      → Write test/clock.test.js ← done
          + test('03:00 follows 01:59', () => {
          +   expect(clock(new Date('2026-03-29T00:59:00Z'))).toBe('01:59')
          +   expect(clock(new Date('2026-03-29T01:00:00Z'))).toBe('03:00')
          + })

      Added \`test/clock.test.js\`: 03:00 follows 01:59. It passes, and it fails with the old \`clock\`.
    "
  `)
  expect(await shell.type('sess read 019d4e07~6..019d4e07 --system --meta')).toMatchInlineSnapshot(`
    "$ sess read 019d4e07~6..019d4e07 --system --meta
    Slow forecast for Brest
    pi  019d4e07-5b20-7d11-a6c2-93e1f04b7a65  /home/ada/tides  2026-04-02 07:31

    assistant  2026-04-02 07:30  602e3ec014  claude-sonnet-4-5  4.2k tok  $0.0104
      → bash time node bin/tides.js brest ← real 0m0.214s (2 lines)

      0.2 s now. The heights differ by less than a millimetre.

    ── compaction: a summary replaces what is above
      The forecast for Brest took 3.9 s because harmonics were computed every minute. They are computed
      once a day now: 0.2 s.

    user  2026-04-02 07:31  dd442d3969
      Do the same for all harbours.

    assistant  2026-04-02 07:31  d46180147d  claude-sonnet-4-5  2.1k tok  $0.0052
      All three use \`daily\` now. The slowest, Saint-Malo, takes 0.3 s.
    "
  `)
  expect(await shell.type('sess read 019d4e07~12..019d4e07~8 --tools --thinking')).toMatchInlineSnapshot(`
    "$ sess read 019d4e07~12..019d4e07~8 --tools --thinking
    Slow forecast for Brest
    pi  019d4e07-5b20-7d11-a6c2-93e1f04b7a65  /home/ada/tides  2026-04-02 07:31

    assistant  2026-04-02 07:30
      · thinking
        Measure first.

      → bash
          command: time node bin/tides.js brest
        ← result, 2 lines
          real 0m3.912s
          user 0m3.780s

      It takes 3.9 s: the harmonics are computed again for every minute.

    user  2026-04-02 07:30
      Compute them once a day and measure again.
    "
  `)
})

it('is paged, and no wider than the terminal', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  const { stdout } = await shell.run('sess read 3b1f6a20', { terminal: true, columns: 60, rows: 200 })
  expect(stdout).toContain('\u001b[32muser\u001b[39m')
  const { stdout: plain } = await shell.run('sess read 3b1f6a20', { variables: { COLUMNS: '60' } })
  const lines = plain.split('\n')
  expect(lines.filter((line) => line.length > 60 && !/^ +[-+] /.test(line))).toEqual([lines[1]])
})

it('prints turns as data, and goes on after a cursor', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  const rows = async (line: string): Promise<Row[]> => {
    const { stdout } = await shell.run(line)
    return stdout
      .trim()
      .split('\n')
      .map((row) => JSON.parse(row) as Row)
  }
  const all = await rows('sess read 3b1f6a20 --json')
  expect(all.map(({ who, parts }) => `${who} ${parts.length}`)).toEqual([
    ...['user 1', 'assistant 5', 'user 1', 'assistant 2', 'null 2', 'user 1', 'assistant 2'],
  ])
  const [first, second] = await rows('sess read 3b1f6a20 --json -n 2')
  expect([typeof first?.cursor, second?.oid]).toEqual(['string', all[1]?.oid])
  const after = await rows(`sess read 3b1f6a20 --json --after ${second?.cursor}`)
  expect(after.map(({ oid }) => oid)).toEqual(all.slice(2).map(({ oid }) => oid))
})

describe('sub-agents', () => {
  const family = async (): Promise<Shell> => {
    const shell = new Shell({ samples: false })
    const files = {
      [`p/${FAMILY}.jsonl`]: sessionFile(
        asked('u1', null, 'Look into the drivers.'),
        calls('c1', 'u1', 't1'),
        returns('r1', 'c1', 't1', named('a1111111aaaa')),
        answered('e1', 'r1', 'All right.'),
      ),
      [`p/${FAMILY}/subagents/agent-a1111111aaaa.jsonl`]: agentFile(
        'a1111111aaaa',
        asked('s1', null, 'Read all \u001b[31mdrivers'),
        calls('s2', 's1', 't3'),
        returns('s3', 's2', 't3', named('a2222222bbbb')),
      ),
      [`p/${FAMILY}/subagents/agent-a2222222bbbb.jsonl`]: agentFile(
        'a2222222bbbb',
        asked('v1', null, 'Read driver b only'),
        answered('v2', 'v1'),
      ),
    }
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(shell.path(name)), { recursive: true })
      writeFileSync(shell.path(name), text)
    }
    await shell.run('sess import p')
    return shell
  }

  it('are a line below the call that started them; with --agents their conversations are there', async () => {
    const shell = await family()
    expect(await shell.type(`sess read ${FAMILY}`)).toMatchInlineSnapshot(`
      "$ sess read 5d0c0b7e-2f6a-4b8c-9d7e-1a2b3c4d5e6f
      Look into the drivers.
      claude-code  5d0c0b7e-2f6a-4b8c-9d7e-1a2b3c4d5e6f  /work  2026-01-01 00:03

      user  2026-01-01 00:00
        Look into the drivers.

      assistant  2026-01-01 00:01
        → Agent look ← seen
            ↳ agent-a1111111  Read all \\x1b[31mdrivers  3 entries, 1 tool
              ↳ agent-a2222222  Read driver b only  2 entries

        All right.
      "
    `)
    expect(await shell.type(`sess read ${FAMILY} --agents`)).toMatchInlineSnapshot(`
      "$ sess read 5d0c0b7e-2f6a-4b8c-9d7e-1a2b3c4d5e6f --agents
      Look into the drivers.
      claude-code  5d0c0b7e-2f6a-4b8c-9d7e-1a2b3c4d5e6f  /work  2026-01-01 00:03

      user  2026-01-01 00:00
        Look into the drivers.

      assistant  2026-01-01 00:01
        → Agent look ← seen
            ↳ agent-a1111111  Read all \\x1b[31mdrivers  3 entries, 1 tool
              ↳ agent-a2222222  Read driver b only  2 entries

        │ user  2026-01-01 00:00
        │   Read all \\x1b[31mdrivers
        │
        │ assistant  2026-01-01 00:01
        │   → Agent look ← seen
        │       ↳ agent-a2222222  Read driver b only  2 entries
        │
        │   │ user  2026-01-01 00:00
        │   │   Read driver b only
        │   │
        │   │ assistant  2026-01-01 00:01
        │   │   answer v2

        All right.
      "
    `)
  })
})

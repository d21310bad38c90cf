import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, it } from 'vitest'
import { agentFile, calls, FAMILY, returns, sessionFile } from '../support/claudefamily.ts'
import { Shell } from '../support/shell.ts'
import { answered, asked } from '../support/transcripts.ts'

const named = (agentId: string) => ({ toolUseResult: { agentId } })

/** A session that started two sub-agents, one of which started another. */
async function family(more: Readonly<Record<string, string>> = {}): Promise<Shell> {
  const shell = new Shell()
  const files = {
    [`p/${FAMILY}.jsonl`]: sessionFile(
      asked('u1', null, 'Look into the drivers.'),
      calls('c1', 'u1', 't1'),
      returns('r1', 'c1', 't1', named('a1111111aaaa')),
      calls('c2', 'r1', 't2'),
      returns('r2', 'c2', 't2', named('a3333333cccc')),
      answered('e1', 'r2', 'All right.'),
    ),
    [`p/${FAMILY}/subagents/agent-a1111111aaaa.jsonl`]: agentFile(
      'a1111111aaaa',
      asked('s1', null, 'Read all drivers'),
      calls('s2', 's1', 't3'),
      returns('s3', 's2', 't3', named('a2222222bbbb')),
    ),
    [`p/${FAMILY}/subagents/agent-a1111111aaaa.meta.json`]: JSON.stringify({
      ...{ agentType: 'Explore', description: 'Read \u001b[31mdrivers', toolUseId: 't1', spawnDepth: 1 },
    }),
    [`p/${FAMILY}/subagents/agent-a2222222bbbb.jsonl`]: agentFile(
      'a2222222bbbb',
      asked('v1', null, 'Read driver b only'),
      answered('v2', 'v1'),
    ),
    ...more,
  }
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(shell.path(name)), { recursive: true })
    writeFileSync(shell.path(name), text)
  }
  await shell.run('sess import p -q')
  return shell
}

it('log lists sub-agents under the call that started them, nested, with their own counts', async () => {
  const shell = await family()
  expect(await shell.type(`sess log ${FAMILY}`, { columns: 80 })).toMatchInlineSnapshot(`
    "$ sess log 5d0c0b7e-2f6a-4b8c-9d7e-1a2b3c4d5e6f
    2fabc37650  2026-01-01 00:05  assistant  (*main) All right.
    ec4542f294  2026-01-01 00:04  tool       ← seen
    51496551a7  2026-01-01 00:03  assistant  → Agent look
                ↳ agent-a3333333  not imported
    c432a033dc  2026-01-01 00:02  tool       ← seen
    02cc480927  2026-01-01 00:01  assistant  → Agent look
                ↳ agent-a1111111  Explore: Read \\x1b[31mdrivers  3 entries, 1 tool
                  ↳ agent-a2222222  Read driver b only  2 entries
    6b43b713bd  2026-01-01 00:00  user       Look into the drivers.
    "
  `)
  expect(await shell.type('sess log agent-a1111111aaaa --reverse', { columns: 80 })).toMatchInlineSnapshot(`
    "$ sess log agent-a1111111aaaa --reverse
    8f9544fecf  2026-01-01 00:00  user       Read all drivers
    f9727e1475  2026-01-01 00:01  assistant  → Agent look
                ↳ agent-a2222222  Read driver b only  2 entries
    c283fd8836  2026-01-01 00:02  tool       (*main) ← seen
    "
  `)
})

it('tree draws them, and the calls that started them', async () => {
  const shell = await family()
  expect(
    [
      await shell.type(`sess tree ${FAMILY}`, { columns: 80 }),
      await shell.type(`sess tree ${FAMILY} --ascii`, { columns: 80 }),
      await shell.type(`sess tree ${FAMILY} --filter labeled-only`, { columns: 80 }),
    ].join('\n'),
  ).toMatchInlineSnapshot(`
    "$ sess tree 5d0c0b7e-2f6a-4b8c-9d7e-1a2b3c4d5e6f
    @  2fabc376 [main*]  All right.
    :  1 entry, 1 tok
    ○  51496551  → Agent look
    │   ↳ agent-a3333333  not imported
    :  1 entry, 1 tok
    ○  02cc4809  → Agent look
    │   ↳ agent-a1111111  Explore: Read \\x1b[31mdrivers  3 entries, 1 tool
    │     ↳ agent-a2222222  Read driver b only  2 entries
    ●  6b43b713  Look into the drivers.

    $ sess tree 5d0c0b7e-2f6a-4b8c-9d7e-1a2b3c4d5e6f --ascii
    @  2fabc376 [main*]  All right.
    :  1 entry, 1 tok
    o  51496551  → Agent look
    |   \`- agent-a3333333  not imported
    :  1 entry, 1 tok
    o  02cc4809  → Agent look
    |   \`- agent-a1111111  Explore: Read \\x1b[31mdrivers  3 entries, 1 tool
    |     \`- agent-a2222222  Read driver b only  2 entries
    *  6b43b713  Look into the drivers.

    $ sess tree 5d0c0b7e-2f6a-4b8c-9d7e-1a2b3c4d5e6f --filter labeled-only
    @  2fabc376 [main*]  All right.
    :  4 entries, 2 tools, 14 tok
    ●  6b43b713  Look into the drivers.
    "
  `)
})

it('show lists those that the entry started', async () => {
  const shell = await family()
  expect(await shell.type(`sess show ${FAMILY}:c1`, { columns: 80 })).toMatchInlineSnapshot(`
    "$ sess show 5d0c0b7e-2f6a-4b8c-9d7e-1a2b3c4d5e6f:c1
    entry    02cc48092741417f510da1859c74bab27926d0b095bb53b0bbb95957118b14b6
    parent   6b43b713bd
    role     assistant  claude/assistant
    time     2026-01-01 00:01
    session  5d0c0b7e-2f6a-4b8c-9d7e-1a2b3c4d5e6f
    agent    agent-a1111111aaaa  Explore: Read \\x1b[31mdrivers  3 entries, 1 tool
    agent      ↳ agent-a2222222bbbb  Read driver b only  2 entries
    native   c1

    → Agent
      prompt: look
    ← result  c432a033dc
      seen

    before   6b43b713bd  user  Look into the drivers.
    after    c432a033dc  tool  ← seen
    "
  `)
})

it('prints them as data', async () => {
  const shell = await family()
  const subagents = [
    {
      ...{ id: 'agent-a1111111aaaa', session: 'agent-a1111111aaaa', type: 'Explore' },
      ...{ description: 'Read \u001b[31mdrivers', entries: 3, calls: 1, tokens: null },
      agents: [
        {
          ...{ id: 'agent-a2222222bbbb', session: 'agent-a2222222bbbb', type: null },
          ...{ description: 'Read driver b only', entries: 2, calls: 0, tokens: null, agents: [] },
        },
      ],
    },
  ]
  for (const command of ['log', 'tree']) {
    const { stdout } = await shell.run(`sess ${command} ${FAMILY} --json`)
    const entries = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { readonly native: string; readonly subagents?: unknown })
    expect(entries.flatMap((entry) => (entry.subagents ? [entry.subagents] : []))).toMatchObject([
      [{ id: 'agent-a3333333cccc', session: null, entries: null }],
      subagents,
    ])
  }
  const shown = await shell.run(`sess show ${FAMILY}:c1 --json`)
  expect(JSON.parse(shown.stdout)).toMatchObject({ agents: ['agent-a1111111aaaa'], subagents })
  expect((await shell.run(`sess log ${FAMILY} -T '{agents}' -n 3`)).stdout).toBe('\n\nagent-a3333333cccc\n')
})

it('folds many sub-agents of one call', async () => {
  const ids = Array.from({ length: 40 }, (_, i) => `b${String(i).padStart(11, '0')}`)
  const more = ids.map((id) => [
    `p/${FAMILY}/subagents/agent-${id}.meta.json`,
    JSON.stringify({ toolUseId: 't2' }),
  ])
  const shell = await family(Object.fromEntries(more) as Record<string, string>)
  const { stdout } = await shell.run(`sess log ${FAMILY} -n 3`)
  expect(stdout.split('\n').filter((line) => line.includes('↳'))).toHaveLength(12)
  expect(stdout).toContain('… 29 more sub-agents')
})

it('tells of a call that no session has', async () => {
  const shell = await family({
    [`p/${FAMILY}/subagents/agent-x.meta.json`]: JSON.stringify({ toolUseId: 'toolu_none' }),
  })
  writeFileSync(
    shell.path(`p/${FAMILY}/subagents/agent-y.meta.json`),
    JSON.stringify({ toolUseId: 'toolu_none' }),
  )
  const { stdout } = await shell.run('sess import p')
  expect(stdout).toContain(`agent-y names a call that session ${FAMILY} lacks: toolu_none`)
  writeFileSync(
    shell.path(`p/${FAMILY}/subagents/agent-z.meta.json`),
    JSON.stringify({ toolUseId: 'toolu_none' }),
  )
  const data = (await shell.run('sess import p --json')).stdout
  expect(data).toContain(
    JSON.stringify({ unlinked: { session: FAMILY, agent: 'agent-z', call: 'toolu_none' } }),
  )
})

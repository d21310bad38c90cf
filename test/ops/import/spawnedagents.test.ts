import { appendFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fsck } from '../../../src/ops/fsck/fsck.ts'
import { importPaths } from '../../../src/ops/import/import.ts'
import { listed } from '../../../src/repo/listedsession.ts'
import type { Repo } from '../../../src/repo/repo.ts'
import { resolve } from '../../../src/repo/revision.ts'
import { findSession } from '../../../src/repo/session.ts'
import { agentFile, calls, FAMILY, returns, sessionFile, writeFiles } from '../../support/claudefamily.ts'
import { newFolder } from '../../support/folder.ts'
import { openRepo } from '../../support/store.ts'
import { answered, asked, claudeLine } from '../../support/transcripts.ts'

const [OUTER, INNER] = ['agent-a111111111111111a', 'agent-a222222222222222b']
const outer = 'a111111111111111a'
const inner = 'a222222222222222b'

const refused = returns('r1', 'c1', 't1', { content: 'stopped', toolUseResult: 'User rejected tool use' })
const MAIN = sessionFile(asked('u1', null), calls('c1', 'u1', 't1'), refused, answered('e1', 'r1'))

const about = (agent: string, value: object, run = ''): Readonly<Record<string, string>> => ({
  [`p/${FAMILY}/subagents/${run}${agent}.meta.json`]: JSON.stringify(value),
})

/** The files of a session whose sub-agent was interrupted and had started another one. */
const FILES = {
  [`p/${FAMILY}.jsonl`]: MAIN,
  [`p/${FAMILY}/subagents/${OUTER}.jsonl`]: agentFile(
    outer,
    asked('s1', null),
    calls('s2', 's1', 't2'),
    returns('s3', 's2', 't2'),
  ),
  [`p/${FAMILY}/subagents/${INNER}.jsonl`]: agentFile(inner, asked('v1', null), answered('v2', 'v1')),
  ...about(OUTER, { agentType: 'Explore', description: 'Read drivers', toolUseId: 't1', spawnDepth: 1 }),
  ...about(INNER, { agentType: 'Plan', toolUseId: 't2', spawnDepth: 2, parentAgentId: outer }),
}

const links = (repo: Repo, id: string): Promise<object> =>
  repo.read(async (reader) => {
    const session = await findSession(reader, id)
    const { parent, agents } = session ? listed(session) : { parent: undefined, agents: {} }
    return { parent, agents }
  })
const oid = (repo: Repo, revision: string) =>
  repo.read(async (reader) => reader.oid((await resolve(reader, revision)).handle))

async function expectLinked(repo: Repo): Promise<void> {
  expect(await links(repo, FAMILY)).toEqual({
    parent: null,
    agents: { [OUTER]: await oid(repo, `${FAMILY}:c1`) },
  })
  expect(await links(repo, OUTER)).toEqual({
    parent: FAMILY,
    agents: { [INNER]: await oid(repo, `${OUTER}:s2`) },
  })
  expect(await links(repo, INNER)).toEqual({ parent: OUTER, agents: {} })
  expect((await fsck(repo)).findings).toEqual([])
}

describe('sub-agents are linked as the files beside a session say', () => {
  it('whole, and a second import moves nothing', async () => {
    const [repo, folder] = [await openRepo(), writeFiles(newFolder(), FILES)]
    expect(await importPaths(repo, [folder])).toMatchObject({ refused: [], unlinked: [] })
    await expectLinked(repo)
    const before = await repo.read(async (reader) => (await reader.operationLog()).latest)
    await importPaths(repo, [folder])
    expect(await repo.read(async (reader) => (await reader.operationLog()).latest)).toBe(before)
  })

  const names = Object.keys(FILES).filter((name) => name.endsWith('.jsonl'))
  it.each([
    ['the session last', [names[2], names[1], names[0]]],
    ['the session first', [names[0], names[1], names[2]]],
    ['the session between', [names[1], names[0], names[2]]],
    ['the nested one between', [names[1], names[2], names[0]]],
  ])('in any order of imports: %s', async (_, order) => {
    const [repo, folder] = [await openRepo(), writeFiles(newFolder(), FILES)]
    for (const name of order) await importPaths(repo, [join(folder, name as string)])
    await expectLinked(repo)
  })

  it.each([true, false])('where these files come later than the others (just changed: %s)', async (fresh) => {
    const [repo, folder] = [await openRepo(), newFolder()]
    const isAbout = ([name]: readonly [string, string]): boolean => name.endsWith('.json')
    const all = Object.entries(FILES)
    writeFiles(folder, Object.fromEntries(all.filter((file) => !isAbout(file))), { fresh })
    await importPaths(repo, [folder])
    expect(await links(repo, FAMILY)).toMatchObject({ agents: {} })
    writeFiles(folder, Object.fromEntries(all.filter(isAbout)), { fresh })
    await importPaths(repo, [folder])
    await expectLinked(repo)
  })

  it('where the others come later, and grow', async () => {
    const [repo, folder] = [await openRepo(), newFolder()]
    writeFiles(folder, { ...FILES, [`p/${FAMILY}.jsonl`]: sessionFile(asked('u1', null)) })
    const { unlinked } = await importPaths(repo, [folder])
    expect(unlinked).toEqual([{ session: FAMILY, agent: OUTER, call: 't1' }])
    expect(await links(repo, FAMILY)).toMatchObject({ agents: {} })
    writeFiles(folder, { [`p/${FAMILY}.jsonl`]: MAIN })
    expect((await importPaths(repo, [folder])).unlinked).toEqual([])
    await expectLinked(repo)
    for (const name of names)
      appendFileSync(join(folder, name), claudeLine(FAMILY, 30, { type: 'mode', mode: 'plan' }))
    expect((await importPaths(repo, [folder])).unlinked).toEqual([])
    await expectLinked(repo)
  })

  it('and not as the records say where these differ', async () => {
    const repo = await openRepo()
    const named = returns('r1', 'c2', 't1', { toolUseResult: { agentId: outer } })
    const folder = writeFiles(newFolder(), {
      ...FILES,
      [`p/${FAMILY}.jsonl`]: sessionFile(
        asked('u1', null),
        calls('c1', 'u1', 't1'),
        calls('c2', 'c1', 't9'),
        named,
      ),
      ...about(OUTER, { toolUseId: 't9' }),
    })
    for (let round = 0; round < 2; round++) {
      await importPaths(repo, [folder])
      expect(await links(repo, FAMILY)).toMatchObject({
        agents: { [OUTER]: await oid(repo, `${FAMILY}:c2`) },
      })
      appendFileSync(join(folder, `p/${FAMILY}.jsonl`), claudeLine(FAMILY, 30, answered('e1', 'r1')))
    }
  })

  it('of releases that do not name the caller of a nested one', async () => {
    const repo = await openRepo()
    const files = { ...FILES, ...about(INNER, { toolUseId: 't2', spawnDepth: 2 }) }
    await importPaths(repo, [writeFiles(newFolder(), files)])
    await expectLinked(repo)
  })

  it('by the records of a sub-agent where no file says who called it', async () => {
    const repo = await openRepo()
    const folder = writeFiles(newFolder(), {
      [`p/${FAMILY}.jsonl`]: sessionFile(
        asked('u1', null),
        calls('c1', 'u1', 't1'),
        returns('r1', 'c1', 't1', { toolUseResult: { agentId: outer } }),
      ),
      [`p/${FAMILY}/subagents/${OUTER}.jsonl`]: agentFile(
        outer,
        asked('s1', null),
        calls('s2', 's1', 't2'),
        returns('s3', 's2', 't2', { toolUseResult: { agentId: inner } }),
      ),
      [`p/${FAMILY}/subagents/${INNER}.jsonl`]: agentFile(inner, asked('v1', null), answered('v2', 'v1')),
    })
    await importPaths(repo, [folder])
    await expectLinked(repo)
  })

  it('whose agents call each other in a circle: by their session', async () => {
    const repo = await openRepo()
    const folder = writeFiles(newFolder(), {
      ...FILES,
      ...about(OUTER, { toolUseId: 't1', parentAgentId: inner }),
      ...about(INNER, { toolUseId: 't1', parentAgentId: outer }),
    })
    await importPaths(repo, [folder])
    expect(await links(repo, OUTER)).toMatchObject({ parent: FAMILY })
    expect(await links(repo, INNER)).toMatchObject({ parent: FAMILY })
  })

  it('whatever these files hold', async () => {
    const repo = await openRepo()
    const deep = '['.repeat(5000) + ']'.repeat(5000)
    const folder = writeFiles(newFolder(), {
      ...FILES,
      [`p/${FAMILY}/subagents/agent-x1.meta.json`]: '{"toolUseId":',
      [`p/${FAMILY}/subagents/agent-x2.meta.json`]: deep,
      [`p/${FAMILY}/subagents/agent-x3.meta.json`]: JSON.stringify({ toolUseId: 7, parentAgentId: {} }),
      [`p/${FAMILY}/subagents/agent-__proto__.meta.json`]: JSON.stringify({ toolUseId: '__proto__' }),
      [`p/${FAMILY}/subagents/agent-x4.meta.json`]: JSON.stringify({ parentAgentId: '__proto__' }),
      [`p/${FAMILY}/subagents/agent-x5.meta.json`]: JSON.stringify({
        toolUseId: 't1',
        description: 'x'.repeat(1e5),
      }),
      [`p/${FAMILY}/subagents/agent-x6.meta.json`]: ' '.repeat(2 << 20),
    })
    const { unlinked } = await importPaths(repo, [folder])
    expect(unlinked).toEqual([{ session: FAMILY, agent: 'agent-__proto__', call: '__proto__' }])
    const c1 = await oid(repo, `${FAMILY}:c1`)
    expect(await links(repo, FAMILY)).toEqual({ parent: null, agents: { [OUTER]: c1, 'agent-x5': c1 } })
  })

  it('of a workflow: by the run that their call started', async () => {
    const repo = await openRepo()
    const run = 'workflows/wf_1a2b-c/'
    const launched = { status: 'async_launched', taskType: 'local_workflow', runId: 'wf_1a2b-c' }
    const result = { type: 'user', message: { role: 'user', content: 'no conversation' } }
    const folder = writeFiles(newFolder(), {
      [`p/${FAMILY}.jsonl`]: sessionFile(
        asked('u1', null),
        calls('c1', 'u1', 't1', 'Workflow'),
        returns('r1', 'c1', 't1', { toolUseResult: launched }),
      ),
      [`p/${FAMILY}/subagents/${run}${OUTER}.jsonl`]: agentFile(outer, asked('s1', null)),
      ...about(OUTER, { agentType: 'workflow-subagent', spawnDepth: 1 }, run),
      [`p/${FAMILY}/subagents/${run}journal.jsonl`]: [
        { type: 'started', key: 'v2:0a', agentId: outer },
        { type: 'result', key: 'v2:0a', agentId: outer, result },
      ]
        .map((line) => `${JSON.stringify(line)}\n`)
        .join(''),
      [`p/${FAMILY}/workflows/wf_1a2b-c.json`]: '{"runId":"wf_1a2b-c"}',
    })
    const { files, skipped } = await importPaths(repo, [folder])
    expect(files.map(({ session }) => session).sort()).toEqual([FAMILY, OUTER])
    expect(skipped).toEqual([])
    const session = await repo.read((reader) => findSession(reader, FAMILY))
    expect([...(session?.files.keys() ?? [])]).toEqual([
      `${FAMILY}/subagents/${run}${OUTER}.meta.json`,
      `${FAMILY}/subagents/${run}journal.jsonl`,
      `${FAMILY}/workflows/wf_1a2b-c.json`,
    ])
    expect(await links(repo, FAMILY)).toMatchObject({ agents: { [OUTER]: await oid(repo, `${FAMILY}:c1`) } })
  })

  it('of two sessions whose sub-agents have one id: each its own', async () => {
    const repo = await openRepo()
    const other = '6d0c0b7e-2f6a-4b8c-9d7e-1a2b3c4d5e6f'
    const folder = writeFiles(newFolder(), FILES)
    const second = Object.entries(FILES).map(([name, text]) => [
      name.replaceAll(FAMILY, other),
      text.replaceAll(FAMILY, other).replaceAll('"ask ', '"please '),
    ])
    writeFiles(folder, Object.fromEntries(second) as Record<string, string>)
    await importPaths(repo, [folder])
    await expectLinked(repo)
    expect(await links(repo, other)).toMatchObject({ agents: { [OUTER]: await oid(repo, `${other}:c1`) } })
  })

  it('where the folder was moved before the second import', async () => {
    const [repo, folder] = [await openRepo(), writeFiles(newFolder(), FILES)]
    await importPaths(repo, [folder])
    renameSync(join(folder, 'p'), join(folder, 'q'))
    await importPaths(repo, [folder])
    await expectLinked(repo)
  })
})

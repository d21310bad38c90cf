import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { fsck } from '../../src/ops/fsck/fsck.ts'
import { built, script } from '../support/built.ts'
import { expectFailure } from '../support/errors.ts'
import { answers, type Talk, talk } from '../support/tree.ts'

const run = promisify(execFile)
const build = built()
const AGENTS = ['a1', 'a2', 'a3', 'a4']

async function saidOn({ session: { id }, store }: Talk, branch: string): Promise<(string | null)[]> {
  const said: (string | null)[] = []
  for await (const { text, type } of store.log(`${id}/main..${id}/${branch}`)) said.push(text ?? type)
  return said.reverse()
}

const whole = (agent: string, count: number): string[] => [
  'sess/agent_action',
  ...Array.from({ length: count }, (_, n) => `${agent} ${n}`),
  'sess/agent_action',
]

describe('agents on branches of one session', () => {
  it('append at once through one handle', async () => {
    const talked = await talk(1)
    const { session } = talked
    const does = (action: string, agentId: string) =>
      session.append({ type: 'agent_action', body: { action, agentId } }, { branch: agentId })
    await Promise.all(AGENTS.map((agent) => session.branch(agent)))
    await Promise.all(
      AGENTS.map(async (agent) => {
        await does('spawn', agent)
        for (let n = 0; n < 5; n++) await session.append(answers(`${agent} ${n}`), { branch: agent })
        await does('complete', agent)
      }),
    )
    for (const agent of AGENTS) expect(await saidOn(talked, agent)).toEqual(whole(agent, 5))
    expect((await fsck(talked.repo)).findings).toEqual([])
  })

  it('append at once from four processes', { timeout: 120_000 }, async () => {
    const talked = await talk(1)
    const { repo, session } = talked
    for (const agent of AGENTS) await session.branch(agent)
    await Promise.all(
      AGENTS.map((agent) =>
        run(process.execPath, [script('agent.mjs'), build, repo.dir, session.id, agent, '8']),
      ),
    )
    for (const agent of AGENTS) expect(await saidOn(talked, agent)).toEqual(whole(agent, 8))
    expect((await session.branches()).find(({ name }) => name === 'main')?.oid).toBe(talked.oids.a1)
    expect((await fsck(repo)).findings).toEqual([])
  })

  it('tell lists what they do, and the model nothing', async () => {
    const { session, store } = await talk(1)
    const spawn = { action: 'spawn', agentId: 'worker', data: { task: 'look' } }
    const oid = await session.append({ type: 'agent_action', body: spawn })
    const { view, type } = await store.show(oid)
    expect([type, view]).toEqual([
      'sess/agent_action',
      { role: null, blocks: [], note: 'agent worker: spawn' },
    ])
    expect((await session.context()).messages).toHaveLength(2)
    for (const body of [{ action: 'sing', agentId: 'worker' }, { action: 'spawn' }, 'spawn'])
      await expectFailure('bad-entry', () => session.append({ type: 'agent_action', body }))
  })
})

import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Loss } from '../../../src/formats/core/losses.ts'
import { openStore, type Store } from '../../../src/index.ts'
import { agentFile, calls, FAMILY, returns, sessionFile, writeFiles } from '../../support/claudefamily.ts'
import { expectFailure } from '../../support/errors.ts'
import { newFolder } from '../../support/folder.ts'
import { answered, asked } from '../../support/transcripts.ts'

const P = '.claude/projects/-work'
const RUN = `${P}/${FAMILY}/subagents/workflows/wf_1`

/** All files that Claude Code keeps of a session. */
const FILES = {
  [`${P}/${FAMILY}.jsonl`]: sessionFile(
    asked('u1', null),
    calls('c1', 'u1', 't1'),
    returns('r1', 'c1', 't1', { toolUseResult: { agentId: 'a1' } }),
    answered('e1', 'r1'),
  ),
  [`${P}/${FAMILY}/tool-results/b1.txt`]: 'x'.repeat(5000),
  [`${P}/${FAMILY}/subagents/agent-a1.jsonl`]: agentFile('a1', asked('s1', null), answered('s2', 's1')),
  [`${P}/${FAMILY}/subagents/agent-a1.meta.json`]: '{"toolUseId":"t1"}',
  [`${P}/${FAMILY}/subagents/agent-a1/notes.md`]: 'of the agent',
  [`${P}/${FAMILY}/subagents/agent-a2.jsonl`]: agentFile('a2', asked('v1', null, 'interrupted')),
  [`${RUN}/agent-a3.jsonl`]: agentFile('a3', asked('w1', null, 'of a run')),
  [`${RUN}/journal.jsonl`]: '{"type":"started","key":"v2:0","agentId":"a3"}\n',
  [`${P}/${FAMILY}/workflows/wf_1.json`]: '{"runId":"wf_1"}',
}

async function imported(): Promise<{ readonly store: Store; readonly home: string }> {
  const home = writeFiles(newFolder(), FILES)
  const store = await openStore(join(home, 'store'), { create: true, cwd: home })
  expect((await store.import(join(home, '.claude'))).refused).toEqual([])
  return { store, home }
}

const toAgent = (store: Store, home: string, format = 'claude-code') =>
  store.exportFile(FAMILY, { toAgent: true, format, home, variables: {} })

/** Returns the files of a folder by their paths. */
const filesBelow = (folder: string): ReadonlyMap<string, string> =>
  new Map(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => statSync(join(folder, name)).isFile())
      .map((name) => [name.replaceAll('\\', '/'), readFileSync(join(folder, name), 'utf8')]),
  )

/** Returns files by their paths below a folder. */
const below = (folder: string, files: Readonly<Record<string, string>>): ReadonlyMap<string, string> =>
  new Map(Object.entries(files).map(([name, text]) => [name.slice(folder.length), text]))

const WANTED = below(`${P}/`, FILES)

describe('an export to the session’s own agent', () => {
  it('restores every file of the session, byte for byte', async () => {
    const { store, home } = await imported()
    rmSync(join(home, '.claude'), { recursive: true })
    const { path, further, bytes, losses } = await toAgent(store, home)
    expect({ path, further, losses }).toEqual({
      path: join(home, P, `${FAMILY}.jsonl`),
      further: 8,
      losses: [],
    })
    expect(bytes).toBe(Object.values(FILES).reduce((sum, text) => sum + Buffer.byteLength(text), 0))
    expect(filesBelow(join(home, P))).toEqual(WANTED)
    await store.close()
  })

  it('leaves files that are there as they are, and overwrites none that differs', async () => {
    const { store, home } = await imported()
    const gone = [`${P}/${FAMILY}.jsonl`, `${P}/${FAMILY}/tool-results/b1.txt`]
    for (const name of gone) rmSync(join(home, name))
    expect(await toAgent(store, home)).toMatchObject({ further: 1 })
    expect(filesBelow(join(home, P))).toEqual(WANTED)
    for (const name of gone) rmSync(join(home, name))
    writeFileSync(join(home, P, FAMILY, 'subagents/agent-a1.jsonl'), 'grown')
    await expectFailure('exists', () => toAgent(store, home))
    expect(gone.map((name) => existsSync(join(home, name)))).toEqual([false, false])
    await store.close()
  })

  it('names files by the name that the session’s file gets', async () => {
    const home = newFolder()
    for (const [name, text] of Object.entries(FILES)) {
      const path = join(home, name.replaceAll(FAMILY, 'backup').replace(P, 'kept'))
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, text)
    }
    const store = await openStore(join(home, 'store'), { create: true, cwd: home })
    await store.import(join(home, 'kept'))
    renameSync(join(home, 'kept'), join(home, 'away'))
    expect((await toAgent(store, home)).losses).toEqual([])
    expect(filesBelow(join(home, P))).toEqual(WANTED)
    await store.close()
  })

  it('reports what it does not write of a session that was changed', async () => {
    const { store, home } = await imported()
    const session = await store.session(FAMILY)
    await session.append({ body: { role: 'user', content: 'And now?' } })
    const { losses, further } = await toAgent(store, home)
    expect(further).toBeUndefined()
    expect(losses.filter(({ code }) => code === 'subagent').map(({ subject }) => subject)).toEqual([
      'agent-a1',
    ])
    expect(losses.filter(({ code }) => code === 'sidecar')).toHaveLength(4)
    await store.close()
  })
})

it('an export to another format reports the sub-agents that its entries started', async () => {
  const { store, home } = await imported()
  const { losses } = await toAgent(store, home, 'codex')
  const lost = (all: readonly Loss[]) => all.filter(({ code }) => code === 'subagent' || code === 'sidecar')
  expect(lost(losses)).toEqual([
    { code: 'subagent', subject: 'agent-a1', oid: await store.resolve(`${FAMILY}:c1`) },
  ])
  const part = await store.exportFile(`${FAMILY}:u1`, { path: 'part.md', format: 'markdown' })
  expect(lost(part.losses)).toEqual([])
  await store.close()
})

it('an export of an oh-my-pi session writes its images where that agent looks for them', async () => {
  const image = 'of an image'
  const sha256 = createHash('sha256').update(image).digest('hex')
  const id = '01957f00-0000-7000-8000-00000000abcd'
  const timestamp = '2026-03-04T10:00:00.000Z'
  const content = [{ type: 'image', mimeType: 'image/png', data: `blob:sha256:${sha256}` }]
  const records = [
    { type: 'session', version: 3, id, title: 'Tides', titleSource: 'user', timestamp, cwd: '/work' },
    { type: 'message', id: 'm1', parentId: null, timestamp, message: { role: 'user', content } },
  ]
  const files = {
    [`blobs/${sha256}`]: image,
    [`sessions/--work--/2026-03-04T10-00-00-000Z_${id}.jsonl`]: records
      .map((record) => `${JSON.stringify(record)}\n`)
      .join(''),
    [`sessions/--work--/2026-03-04T10-00-00-000Z_${id}/0.bash.log`]: 'whole',
  }
  const home = newFolder()
  writeFiles(join(home, '.omp/agent'), files)
  const store = await openStore(join(home, 'store'), { create: true, cwd: home })
  await store.import(join(home, '.omp'))
  rmSync(join(home, '.omp'), { recursive: true })
  await store.exportFile(id, { toAgent: true, format: 'oh-my-pi', home, variables: {} })
  expect(filesBelow(join(home, '.omp/agent'))).toEqual(below('', files))
  await store.close()
})

const CODEX = '.codex/sessions/2026/03'
const [MAIN, SUB] = ['019d3f52-7a10-7c43-9be1-40f6d2a8c531', '019d3f52-7a10-7c43-9be1-40f6d2a8c532']
const codexFile = (id: string, parent?: string, ...more: readonly object[]): string =>
  [
    {
      timestamp: '2026-03-31T16:10:00.000Z',
      type: 'session_meta',
      payload: {
        ...{
          id,
          timestamp: '2026-03-31T16:10:00.000Z',
          cwd: '/work',
          originator: 'codex_cli_rs',
          cli_version: '1',
        },
        ...(parent !== undefined && { parent_thread_id: parent }),
      },
    },
    {
      timestamp: '2026-03-31T16:10:01.000Z',
      type: 'response_item',
      payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: `begin ${id}` }] },
    },
    ...more,
  ]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('')

it('an export of a Codex thread writes its sub-agents where Codex looks for them', async () => {
  const spawn = [
    {
      timestamp: '2026-03-31T16:11:00.000Z',
      type: 'response_item',
      payload: { type: 'function_call', name: 'spawn_agent', arguments: '{}', call_id: 'call_1' },
    },
    {
      timestamp: '2026-03-31T16:11:01.000Z',
      type: 'response_item',
      payload: { type: 'function_call_output', call_id: 'call_1', output: JSON.stringify({ agent_id: SUB }) },
    },
  ]
  const files = {
    [`${CODEX}/31/rollout-2026-03-31T16-10-00-${MAIN}.jsonl`]: codexFile(MAIN, undefined, ...spawn),
    [`${CODEX}/31/rollout-2026-03-31T16-10-00-${SUB}.jsonl`]: codexFile(SUB, MAIN),
  }
  const home = writeFiles(newFolder(), files)
  const store = await openStore(join(home, 'store'), { create: true, cwd: home })
  await store.import(join(home, '.codex'))
  const linked = (await store.list()).find(({ id }) => id === MAIN)?.agents
  rmSync(join(home, '.codex'), { recursive: true })
  const { losses } = await store.exportFile(MAIN, { toAgent: true, format: 'codex', home, variables: {} })
  expect(Object.keys(linked ?? {})).toEqual([SUB])
  expect(losses).toEqual([])
  expect(filesBelow(join(home, '.codex'))).toEqual(below('.codex/', files))
  await store.close()
})

import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import type { Oid } from '../../src/model/encoding/oid.ts'
import { SessError } from '../../src/model/errors.ts'
import { parsePlan } from '../../src/model/plan.ts'
import { sourceLogRef } from '../../src/model/refname.ts'
import { type Spending, SpendingSums } from '../../src/model/spending.ts'
import { append, createSession } from '../../src/ops/append/append.ts'
import { backUpStore, restoreBackup } from '../../src/ops/backup.ts'
import { createBranch, deleteBranch } from '../../src/ops/branch.ts'
import { cherryPick } from '../../src/ops/cherrypick.ts'
import { compact } from '../../src/ops/compact.ts'
import { edit, editable } from '../../src/ops/edit.ts'
import { exportTo } from '../../src/ops/export/destinations.ts'
import { fork } from '../../src/ops/fork.ts'
import { fsck } from '../../src/ops/fsck/fsck.ts'
import { repairStore } from '../../src/ops/fsck/repairstore.ts'
import { gc } from '../../src/ops/gc.ts'
import { relink } from '../../src/ops/graft.ts'
import { importPaths } from '../../src/ops/import/import.ts'
import { reindex } from '../../src/ops/indexing.ts'
import { inOrderOfCounting, type SpendingSession, usageOfSessions } from '../../src/ops/keptusage.ts'
import { removeLabel, setLabel } from '../../src/ops/label.ts'
import { merge } from '../../src/ops/merge.ts'
import { moveFolder } from '../../src/ops/movefolder.ts'
import { restore } from '../../src/ops/operations.ts'
import { pop } from '../../src/ops/pop.ts'
import { rebase } from '../../src/ops/rebase.ts'
import { RecordUsage } from '../../src/ops/recordusage.ts'
import { removeSessions } from '../../src/ops/remove.ts'
import { renameSession } from '../../src/ops/rename.ts'
import { rereadSources } from '../../src/ops/reread/reread.ts'
import { expunge } from '../../src/ops/secrets/expunge.ts'
import { redact } from '../../src/ops/secrets/redact.ts'
import { usageBy, usageOfSession } from '../../src/ops/stats.ts'
import { createSwarm } from '../../src/ops/swarm.ts'
import { switchTo } from '../../src/ops/switch.ts'
import { redo, undo } from '../../src/ops/undo.ts'
import { rebuildDatabase } from '../../src/repo/rebuilddatabase.ts'
import { Repo } from '../../src/repo/repo.ts'
import { getSession, refValue, type SourceHead } from '../../src/repo/session.ts'
import { newFolder } from '../support/folder.ts'
import { answers, thread } from '../support/spending.ts'
import { openRepo } from '../support/store.ts'

type Sums = Pick<Spending, 'models' | 'rows'>

async function spendingSessions(repo: Repo): Promise<SpendingSession[]> {
  const { id, created, spending } = await repo.lists.read(repo, ['id', 'created', 'spending'])
  return inOrderOfCounting(
    id.map((session, i) => ({ id: session, created: created[i] ?? null, spending: spending[i] as never })),
  )
}

/** Returns sums as texts: the order of rows and the last digits of costs do not matter. */
function textsOf(all: Iterable<Sums>): string[] {
  const sums = new SpendingSums()
  for (const one of all) sums.addSums(one)
  const { models, rows } = sums.value
  return rows
    .map(([at, model, ...counts]) =>
      [at, models[model as number], ...counts.map((count) => count && +count.toFixed(6))].join(' '),
    )
    .sort()
}

/** Expects that what is kept of the usage of all sessions is what their records say, and returns the tokens. */
async function expectKept(repo: Repo, after: string): Promise<number> {
  const sessions = await spendingSessions(repo)
  const { spent } = await usageOfSessions(repo, sessions)
  const counted = await repo.read(async (reader) => {
    const usage = new RecordUsage(reader)
    const all: Sums[] = []
    for (const { id } of sessions) all.push(await usage.count(await getSession(reader, id)))
    return all
  })
  expect([after, ...textsOf(spent.values())]).toEqual([after, ...textsOf(counted)])
  return (await usageBy(repo, 'day')).total.tokens?.total ?? 0
}

const answer = (text: string, input: number) => ({
  type: 'pi/message',
  body: {
    message: {
      ...{ role: 'assistant', content: text, provider: 'p', model: 'm' },
      usage: { input, output: 5, cost: { total: 0.25 } },
    },
  },
})
const prompt = (content: string) => ({ body: { role: 'user', content } })

it('is what the records say after each verb that writes', async () => {
  const dir = newFolder()
  let repo = await openRepo(dir)
  const folder = newFolder()
  const [one, copy, codex] = ['s1.jsonl', 's2.jsonl', 'rollout-2026-03-02T10-00-00-c1.jsonl'].map((name) =>
    join(folder, name),
  ) as [string, string, string]
  writeFileSync(one, answers('s1', ['claude-opus-4-5', 'claude-haiku-4-5']).join(''))
  // A copy goes on with the history in a session of its own.
  writeFileSync(
    copy,
    readFileSync(one, 'utf8').replaceAll('"s1"', '"s2"') + answers('s2', ['claude-opus-4-5'], 7).join(''),
  )
  writeFileSync(codex, thread('c1', ['Count.', 'Name.']).join(''))
  let native = ''
  let oids: Oid[] = []
  let forked = ''
  const steps: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['import', () => importPaths(repo, [one])],
    ['import of a copy', () => importPaths(repo, [copy])],
    ['import of usage in records', () => importPaths(repo, [codex])],
    [
      'append',
      async () => {
        native = await createSession(repo, { title: 'native' })
        const entries = [prompt('a?'), answer('b', 10), prompt('c?'), answer('d', 20)]
        oids = await append(repo, native, entries)
      },
    ],
    ['append to an imported session', () => append(repo, 's1', [prompt('more'), answer('e', 7)])],
    ['fork', async () => (forked = (await fork(repo, `${native}~1`)).session)],
    ['append to a fork', () => append(repo, forked, [answer('f', 30)])],
    ['fork of an imported session', () => fork(repo, 's1~1')],
    ['branch', () => createBranch(repo, native, 'try', `${native}~2`)],
    ['switch', () => switchTo(repo, `${native}/try`, native)],
    ['append to a branch', () => append(repo, native, [answer('g', 40)])],
    ['merge', () => merge(repo, `${native}/main`, { session: native, summary: 'merged' })],
    ['cherry-pick', () => cherryPick(repo, [`${oids[3]}`], { session: native })],
    ['rebase', () => rebase(repo, `${native}/main`, { session: native })],
    ['compact', () => compact(repo, native, { keepTokens: 1, summary: 'shorter' })],
    ['pop', () => pop(repo, `${native}~2`, { session: native, summary: 'left' })],
    ['label', () => setLabel(repo, 'here', native)],
    ['label --delete', () => removeLabel(repo, 'here', native)],
    ['branch --delete', () => deleteBranch(repo, native, 'main')],
    ['rename', () => renameSession(repo, native, 'renamed')],
    ['mv', () => moveFolder(repo, '/w/reef', '/w/atoll')],
    ['export', () => exportTo(repo, native, `${newFolder()}/`, { format: 'pi' })],
    [
      'import of more',
      () => {
        appendFileSync(one, answers('s1', ['claude-opus-4-5'], 2).join(''))
        return importPaths(repo, [one])
      },
    ],
    ['rm', () => removeSessions(repo, ['s1'])],
    ['undo', () => undo(repo, { any: true })],
    ['redo', () => redo(repo)],
    ['op restore', async () => restore(repo, `${(await repo.read((r) => r.operationLog())).latest - 2}`)],
    ['rm of the copy', () => removeSessions(repo, ['s2'])],
    ['expunge', () => expunge(repo, { entries: [`${oids[0]}`], force: true })],
    ['expunge of an answer', () => expunge(repo, { entries: [`${oids[1]}`], force: true })],
    ['gc', () => gc(repo, { operations: Infinity, grace: Infinity })],
    [
      'fsck --rebuild',
      async () => {
        await repo.close()
        await rebuildDatabase(dir, Date.now())
        repo = await openRepo(dir)
        await reindex(repo)
      },
    ],
  ]
  const tokens: Record<string, number> = {}
  for (const [name, step] of steps) {
    await step()
    tokens[name] = await expectKept(repo, name)
    const wrong = (await fsck(repo)).findings.filter(({ code }) => code === 'index')
    expect([name, wrong]).toEqual([name, []])
  }
  expect(tokens).toMatchInlineSnapshot(`
    {
      "append": 10190,
      "append to a branch": 10282,
      "append to a fork": 10237,
      "append to an imported session": 10202,
      "branch": 10237,
      "branch --delete": 10282,
      "cherry-pick": 10282,
      "compact": 10282,
      "export": 10282,
      "expunge": 6972,
      "expunge of an answer": 6972,
      "fork": 10202,
      "fork of an imported session": 10237,
      "fsck --rebuild": 6972,
      "gc": 6972,
      "import": 6620,
      "import of a copy": 9930,
      "import of more": 13592,
      "import of usage in records": 10150,
      "label": 10282,
      "label --delete": 10282,
      "merge": 10282,
      "mv": 10282,
      "op restore": 10282,
      "pop": 10282,
      "rebase": 10282,
      "redo": 10282,
      "rename": 10282,
      "rm": 10282,
      "rm of the copy": 6972,
      "switch": 10237,
      "undo": 13592,
    }
  `)
})

/** The updates of a session of Grok, which says its usage once for all. */
const UPDATES = new URL(
  '../fixtures/grok/019f6000-0000-7000-8000-000000000002/updates.jsonl',
  import.meta.url,
)

it('is what the records say after what works on a whole session or store', async () => {
  const dir = newFolder()
  let repo = await openRepo(dir)
  const [folder, backup] = [newFolder(), join(newFolder(), 'backup')]
  const [spaced, grok] = ['s1.jsonl', 'updates.jsonl'].map((name) => join(folder, name)) as [string, string]
  // Spaces within a line: its record is kept as bytes.
  const lines = answers('s1', ['claude-opus-4-5', 'claude-haiku-4-5']).map((line) =>
    line.replaceAll(',"', ', "'),
  )
  writeFileSync(spaced, lines.join(''))
  writeFileSync(grok, '')
  let whole = ''
  const reopen = async (work: () => unknown): Promise<void> => {
    await repo.close()
    await work()
    repo = await openRepo(dir)
  }
  const steps: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['import of records as bytes', () => importPaths(repo, [spaced])],
    ['import of an empty file', () => importPaths(repo, [grok])],
    [
      'import of a sum',
      async () => {
        writeFileSync(grok, readFileSync(UPDATES))
        whole = (await importPaths(repo, [grok])).files[0]?.session ?? ''
      },
    ],
    ['append to a session with a sum', () => append(repo, whole, [prompt('more'), answer('h', 50)])],
    ['fork of it', () => fork(repo, whole)],
    [
      'edit',
      async () => {
        const { entries } = await editable(repo, 's1')
        return edit(
          repo,
          's1',
          parsePlan(entries.map(({ oid }, i) => `${i === 3 ? 'drop' : 'pick'} ${oid}`).join('\n')),
        )
      },
    ],
    ['redact', () => redact(repo, 's1', { find: () => [], secrets: ['Question 1'] })],
    ['swarm', () => createSwarm(repo, 'reef', { task: 'Count.', session: 's1' })],
    [
      'import --reread',
      async () => {
        const { source } = await repo.read((reader) => getSession(reader, 's1'))
        const old = { ...(source as SourceHead), reading: 0 }
        await repo.write({ plain: true }, ({ move }) =>
          move(sourceLogRef('s1'), refValue(source as SourceHead), refValue(old)),
        )
        expect((await rereadSources(repo, ['s1'])).sessions).toHaveLength(1)
      },
    ],
    [
      'backup restore',
      () =>
        reopen(() => {
          backUpStore(dir, backup, repo.env, false)
          rmSync(dir, { recursive: true })
          restoreBackup(backup, dir, false)
        }),
    ],
    ['fsck --repair', () => reopen(() => repairStore(dir, { env: repo.env, command: 'fsck --repair' }))],
    ['fsck --relink', () => relink(repo)],
    [
      'import of a replaced file',
      () => {
        writeFileSync(spaced, answers('s1', ['claude-haiku-4-5']).join(''))
        return importPaths(repo, [spaced])
      },
    ],
  ]
  const calls: Record<string, number> = {}
  for (const [name, step] of steps) {
    await step()
    await expectKept(repo, name)
    calls[name] = (await usageBy(repo, 'day')).total.calls
    expect([name, (await fsck(repo)).findings]).toEqual([name, []])
  }
  expect(calls).toMatchInlineSnapshot(`
    {
      "append to a session with a sum": 3,
      "backup restore": 3,
      "edit": 3,
      "fork of it": 3,
      "fsck --relink": 3,
      "fsck --repair": 3,
      "import --reread": 3,
      "import of a replaced file": 3,
      "import of a sum": 2,
      "import of an empty file": 2,
      "import of records as bytes": 2,
      "redact": 3,
      "swarm": 3,
    }
  `)
})

it('of a session is by day and model, also of what others share', async () => {
  const repo = await openRepo()
  const folder = newFolder()
  writeFileSync(join(folder, 's1.jsonl'), answers('s1', ['claude-opus-4-5', 'claude-haiku-4-5']).join(''))
  const other = answers('s1', ['claude-opus-4-5']).map((line) => line.replaceAll('"s1"', '"s2"'))
  writeFileSync(join(folder, 's2.jsonl'), other.join(''))
  await importPaths(repo, [folder])
  const { rows, total } = await usageOfSession(repo, 's1')
  expect(rows.map(({ day, model, calls, tokens }) => [day, model, calls, tokens?.total])).toEqual([
    ['2026-03-01', 'claude-opus-4-5', 1, 3310],
    ['2026-03-01', 'claude-haiku-4-5', 1, 3310],
  ])
  expect(total).toMatchObject({ calls: 2, tokens: { total: 6620 }, reported: null })
  expect((await usageOfSession(repo, 's2')).total.calls).toBe(1)
  expect((await usageBy(repo, 'model')).total.calls).toBe(2)
})

/** Returns a store with two sessions that share their entries, and the file of the second. */
async function sharingSessions(): Promise<{ repo: Repo; file: string }> {
  const repo = await openRepo()
  const folder = newFolder()
  const lines = answers('s1', ['claude-opus-4-5'])
  const file = join(folder, 's2.jsonl')
  writeFileSync(join(folder, 's1.jsonl'), lines.join(''))
  writeFileSync(file, lines.join('').replaceAll('"s1"', '"s2"'))
  await importPaths(repo, [folder])
  return { repo, file }
}

it('is counted again where what is shared has changed, and else not', async () => {
  const { repo, file } = await sharingSessions()
  const counted = vi.spyOn(RecordUsage.prototype, 'count')
  const counts = () => repo.read((reader) => reader.cache.counts())
  try {
    expect(await counts()).toBeUndefined()
    const sums = await usageBy(repo, 'day')
    const kept = await counts()
    expect(kept).toBeDefined()
    expect(counted).toHaveBeenCalledTimes(2)
    expect(await usageBy(repo, 'day')).toEqual(sums)
    expect(await counts()).toEqual(kept)
    expect(counted).toHaveBeenCalledTimes(2)
    appendFileSync(file, answers('s2', ['claude-opus-4-5'], 1).join(''))
    await importPaths(repo, [file])
    expect((await usageBy(repo, 'day')).total.calls).toBe(2)
    expect(await counts()).not.toEqual(kept)
    expect(counted).toHaveBeenCalledTimes(4)
  } finally {
    counted.mockRestore()
  }
})

it('is returned where it cannot be kept, but not where the store is damaged, the disk fails or the call is stopped', async () => {
  const { repo } = await sharingSessions()
  const sessions = await spendingSessions(repo)
  const write = vi.spyOn(Repo.prototype, 'write')
  try {
    for (const code of ['busy', 'fenced', 'no-space', 'cannot-write'] as const) {
      write.mockRejectedValueOnce(new SessError(code, 'x'))
      expect((await usageOfSessions(repo, sessions)).spent.size).toBe(2)
    }
    expect(write).toHaveBeenCalledTimes(4)
    for (const error of [
      new SessError('corrupt', 'x'),
      new SessError('stopped', 'x'),
      new SessError('cannot-write', 'x', { remedy: { kind: 'check-disk' } }),
      new TypeError('x'),
    ]) {
      write.mockRejectedValueOnce(error)
      await expect(usageOfSessions(repo, sessions)).rejects.toBe(error)
    }
  } finally {
    write.mockRestore()
  }
})

import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { compare } from '../../src/ops/compare.ts'
import { importPaths } from '../../src/ops/import/import.ts'
import { listSessions } from '../../src/ops/list.ts'
import { USAGE_GROUPS, usageBy } from '../../src/ops/stats.ts'
import type { Repo } from '../../src/repo/repo.ts'
import { newFolder } from '../support/folder.ts'
import { openRepo } from '../support/store.ts'

const lines = (...records: readonly object[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('')

/** A model call of Claude Code in two records, which repeat its usage. */
const call = (
  sessionId: string,
  uuid: string,
  parentUuid: string | null,
  timestamp: string,
  model: string,
): object[] =>
  ['text one', 'text two'].map((text, i) => ({
    ...{
      type: 'assistant',
      uuid: `${uuid}${i}`,
      parentUuid: i === 0 ? parentUuid : `${uuid}0`,
      sessionId,
      timestamp,
    },
    ...{ cwd: '/w/tides' },
    message: {
      ...{ id: `msg_${uuid}`, role: 'assistant', model, content: [{ type: 'text', text }] },
      usage: {
        input_tokens: 1e6,
        output_tokens: 1e6,
        cache_read_input_tokens: 1e6,
        cache_creation_input_tokens: 0,
      },
    },
  }))

const claude = (id: string, ...more: readonly object[]): string =>
  lines(
    {
      ...{
        type: 'user',
        uuid: 'u',
        parentUuid: null,
        sessionId: id,
        timestamp: '2026-03-01T23:30:00.000Z',
        cwd: '/w/tides',
      },
      message: { role: 'user', content: 'When is high water?' },
    },
    ...call(id, 'a', 'u', '2026-03-01T23:40:00.000Z', 'claude-sonnet-4-5-20250929'),
    ...more,
  )

const codex = lines(
  {
    timestamp: '2026-03-02T10:00:00.000Z',
    type: 'session_meta',
    payload: { id: 'c1', cwd: '/w/reef', timestamp: '2026-03-02T10:00:00.000Z' },
  },
  {
    timestamp: '2026-03-02T10:00:01.000Z',
    type: 'turn_context',
    payload: { cwd: '/w/reef', model: 'gpt-5-codex' },
  },
  {
    ...{ timestamp: '2026-03-02T10:00:02.000Z', type: 'response_item' },
    payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Count the reefs.' }] },
  },
  {
    ...{ timestamp: '2026-03-02T10:00:03.000Z', type: 'event_msg' },
    payload: {
      type: 'token_count',
      info: { total_token_usage: { input_tokens: 2e6, cached_input_tokens: 1e6, output_tokens: 1e6 } },
    },
  },
)

async function stored(files: Readonly<Record<string, string>>): Promise<Repo> {
  const [repo, folder] = [await openRepo(), newFolder()]
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  const { refused } = await importPaths(repo, [folder])
  expect(refused).toEqual([])
  return repo
}

const FILES = {
  's1.jsonl': claude('s1'),
  // A fork: it repeats the history, then asks another model.
  's2.jsonl': claude('s2', ...call('s2', 'b', 'a1', '2026-03-02T09:00:00.000Z', 'claude-new-model')),
  'rollout-2026-03-02T10-00-00-c1.jsonl': codex,
}

describe('usage', () => {
  it('counts each model call once, with its cost by the list price of its model', async () => {
    const repo = await stored(FILES)
    const { rows, total } = await usageBy(repo, 'model')
    const shown = rows.map(({ key, sessions, calls, cost, computed, unpriced, tokens }) => [
      ...[key, sessions, calls, cost, computed, unpriced, tokens?.total],
    ])
    expect(shown).toEqual([
      ['claude-sonnet-4-5-20250929', 1, 1, 18.3, 18.3, 0, 3e6],
      ['gpt-5-codex', 1, 1, 11.375, 11.375, 0, 3e6],
      ['claude-new-model', 1, 1, null, 0, 3e6, 3e6],
    ])
    expect(total).toMatchObject({ sessions: 3, calls: 3, cost: 18.3 + 11.375, unpriced: 3e6 })
    expect(total.tokens?.total).toBe(9e6)
  })

  it('is the same in all, however it is grouped', async () => {
    const repo = await stored(FILES)
    const { total } = await usageBy(repo, 'model')
    const keys: unknown[] = []
    for (const by of USAGE_GROUPS) {
      const usage = await usageBy(repo, by)
      expect(usage.total).toEqual(total)
      expect(usage.rows.reduce((sum, { tokens }) => sum + (tokens?.total ?? 0), 0)).toBe(9e6)
      keys.push(usage.rows.map(({ key }) => key))
    }
    expect(keys).toEqual([
      ['2026-03-01', '2026-03-02'],
      ['/w/tides', '/w/reef'],
      ['claude-code', 'codex'],
      ['claude-sonnet-4-5-20250929', 'gpt-5-codex', 'claude-new-model'],
      [null],
    ])
    const local = await usageBy(repo, 'day', { zone: () => 60 })
    expect(local.rows.map(({ key }) => key)).toEqual(['2026-03-02'])
  })

  it('takes prices that are given, and shows costs in lists as computed', async () => {
    const repo = await stored(FILES)
    const priceOf = (model: string) =>
      model === 'claude-new-model' ? { input: 1, cached: 1, output: 1 } : undefined
    expect((await usageBy(repo, 'model', { priceOf })).total).toMatchObject({ cost: 3, unpriced: 6e6 })
    const listed = [...(await listSessions(repo)).rows()].map(({ id, cost, costComputed }) => [
      id,
      cost,
      costComputed,
    ])
    expect(listed.toSorted(([a], [b]) => `${a}`.localeCompare(`${b}`))).toEqual([
      ['c1', 11.375, true],
      ['s1', 18.3, true],
      ['s2', 18.3, true],
    ])
  })

  it('has no winner by cost where no cost is known, and none that lacks the cost of a call', async () => {
    const repo = await stored(FILES)
    const none = await compare(repo, ['s1', 's2'], { whole: true, priceOf: () => undefined })
    expect([none.winner, none.sides.map(({ cost }) => cost)]).toEqual([null, [null, null]])
    const some = await compare(repo, ['s1', 's2'], { whole: true })
    expect(some.sides.map(({ cost, unpriced }) => [cost, unpriced])).toEqual([
      [18.3, 0],
      [18.3, 3e6],
    ])
    expect(some.winner).toBe('s1')
    expect(some.differences[0]).toMatchObject({ metric: 'cost', diff: null })
  })
})

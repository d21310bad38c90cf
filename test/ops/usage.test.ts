import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { EntryInput } from '../../src/library/session.ts'
import { pricesWith } from '../../src/model/prices.ts'
import { addedCost, addedTokens } from '../../src/model/usage.ts'
import { branchList } from '../../src/ops/branchlist.ts'
import { compare } from '../../src/ops/compare.ts'
import { exportSession } from '../../src/ops/export/export.ts'
import { fork } from '../../src/ops/fork.ts'
import { gc } from '../../src/ops/gc.ts'
import { importPaths } from '../../src/ops/import/import.ts'
import { listSessions, sessionInfo } from '../../src/ops/list.ts'
import { log } from '../../src/ops/log.ts'
import { select } from '../../src/ops/revset/run.ts'
import { show } from '../../src/ops/show.ts'
import { usageBy } from '../../src/ops/stats.ts'
import { rebuildDatabase } from '../../src/repo/rebuilddatabase.ts'
import type { Repo } from '../../src/repo/repo.ts'
import { newFolder } from '../support/folder.ts'
import { answers, thread } from '../support/spending.ts'
import { openRepo } from '../support/store.ts'
import { talk } from '../support/tree.ts'

const priceOf = pricesWith()

async function stored(files: Readonly<Record<string, readonly string[]>>, repo?: Repo): Promise<Repo> {
  const [into, folder] = [repo ?? (await openRepo()), newFolder()]
  for (const [name, lines] of Object.entries(files)) writeFileSync(join(folder, name), lines.join(''))
  expect((await importPaths(into, [folder])).refused).toEqual([])
  return into
}

/** Returns the tokens of each entry of a path that has usage, the first one first. */
async function tokensOn(repo: Repo, revision: string): Promise<(number | undefined)[]> {
  const found: (number | undefined)[] = []
  for await (const { added } of log(repo, revision, { reverse: true, usage: true }))
    if (added) found.push(addedTokens(added))
  return found
}

const totalOf = async (repo: Repo): Promise<number | undefined> =>
  (await usageBy(repo, 'day')).total.tokens?.total

const THREAD = 'rollout-2026-03-02T10-00-00-c1.jsonl'
const PROMPTS = ['Count the reefs.', 'Name them.', 'Draw them.']

describe('the usage that later records report', () => {
  it('belongs to the entry before them', async () => {
    const repo = await stored({ [THREAD]: thread('c1', PROMPTS) })
    expect(await tokensOn(repo, 'c1')).toEqual([110, 110, 110])
    expect(await tokensOn(repo, 'c1~2')).toEqual([110, 110])
    const { view, added } = await show(repo, 'c1')
    expect(view.usage).toEqual({ input: 100, output: 10 })
    expect(added?.model).toBe('gpt-5-codex')
    expect(added && addedCost(added, priceOf)).toBeCloseTo((100 * 1.25 + 10 * 10) / 1e6, 12)
  })

  it('is the same of a file that grows as of the whole file', async () => {
    const [repo, folder, lines] = [await openRepo(), newFolder(), thread('c1', PROMPTS)]
    for (const line of lines) {
      appendFileSync(join(folder, THREAD), line)
      await importPaths(repo, [folder])
    }
    expect(await tokensOn(repo, 'c1')).toEqual([110, 110, 110])
    expect([(await sessionInfo(repo, 'c1')).tokens?.total, await totalOf(repo)]).toEqual([330, 330])
  })

  it('is kept by a fork, by gc and by a rebuild, and is written for other agents', async () => {
    const dir = newFolder()
    const repo = await stored({ [THREAD]: thread('c1', PROMPTS) }, await openRepo(dir))
    const { session } = await fork(repo, 'c1~2')
    expect(await tokensOn(repo, session)).toEqual([110, 110])
    expect((await sessionInfo(repo, session)).tokens).toBeNull()
    const parts: Uint8Array[] = []
    for await (const part of exportSession(repo, 'c1', { format: 'pi' })) parts.push(part)
    expect(
      Buffer.concat(parts)
        .toString()
        .match(/"input":100/g),
    ).toHaveLength(3)
    await gc(repo, { operations: 0, grace: 0 })
    expect(await tokensOn(repo, 'c1')).toEqual([110, 110, 110])
    await repo.close()
    await rebuildDatabase(dir, Date.now())
    const again = await openRepo(dir)
    expect([await tokensOn(again, 'c1'), await totalOf(again)]).toEqual([[110, 110, 110], 330])
  })

  it('has the model of the path, not of the file', async () => {
    const setting = (model: string): string =>
      `${JSON.stringify({ timestamp: '2026-03-02T10:00:09.000Z', type: 'turn_context', payload: { model } })}\n`
    const back = `${JSON.stringify({ timestamp: '2026-03-02T10:00:09.000Z', type: 'event_msg', payload: { type: 'thread_rolled_back', num_turns: 1 } })}\n`
    const [one, two, three] = [
      thread('c1', PROMPTS.slice(0, 1)),
      thread('c1', PROMPTS.slice(0, 2)),
      thread('c1', PROMPTS),
    ]
    const lines = [
      ...one,
      setting('gpt-5.1-codex'),
      ...two.slice(one.length),
      back,
      ...three.slice(two.length),
    ]
    const repo = await stored({ [THREAD]: lines })
    const { rows } = await usageBy(repo, 'model')
    expect(rows.map(({ key, tokens }) => [key, tokens?.total])).toEqual([
      ['gpt-5-codex', 220],
      ['gpt-5.1-codex', 110],
    ])
    const { cost, tokens } = await sessionInfo(repo, 'c1')
    expect([cost, tokens?.total]).toEqual([rows.reduce((sum, row) => sum + (row.cost ?? 0), 0), 330])
  })
})

describe('a model call in several entries', () => {
  it('counts once, with what is kept for an hour', async () => {
    const repo = await stored({ 's1.jsonl': answers('s1', ['claude-opus-4-5', 'claude-haiku-4-5']) })
    expect(await tokensOn(repo, 's1')).toEqual([3310, 0, 3310, 0])
    const { tokens, cost } = await sessionInfo(repo, 's1')
    expect(tokens).toEqual({
      ...{ input: 20, output: 200, cacheRead: 2000, cacheWrite: 4400, cacheWriteLong: 400, total: 6620 },
    })
    const perInput = 10 + 100 * 5 + 1000 * 0.1 + 2000 * 1.25 + 200 * 2
    expect(cost).toBeCloseTo((perInput * (5 + 1)) / 1e6, 12)
  })

  it('counts once where those of another call come between', async () => {
    const { repo, session } = await talk(1)
    const part = (call: string, output: number): EntryInput => ({
      body: {
        role: 'assistant',
        content: call,
        usage: { input: 10, output, call },
      },
    })
    await session.appendAll([part('a', 1), part('b', 5), part('a', 3)])
    // Another operation goes on with the totals of the log.
    await session.appendAll([part('b', 7), part('a', 2)])
    expect(await tokensOn(repo, session.id)).toEqual([11, 15, 2, 2, 0])
    const { branches } = await branchList(repo, session.id, { figures: true })
    expect(branches.map(({ figures }) => figures?.tokens?.total)).toEqual([30])
    expect([(await sessionInfo(repo, session.id)).tokens?.total, await totalOf(repo)]).toEqual([30, 30])
  })

  it('adds nothing on a branch that begins within it', async () => {
    const repo = await stored({ 's1.jsonl': answers('s1', ['claude-opus-4-5']) })
    const { total, sides } = await compare(repo, ['s1', 's1~1'])
    expect([total.tokens, sides.map(({ tokens }) => tokens?.total ?? null)]).toEqual([
      expect.objectContaining({ total: 0 }),
      [0, null],
    ])
  })
})

describe('entries are selected', () => {
  const FILES = {
    's1.jsonl': answers('s1', ['claude-opus-4-5', 'claude-haiku-4-5']),
    [THREAD]: thread('c1', PROMPTS),
  }
  it.each([
    ['tokens > 3000', 2],
    ['tokens>=110 & tokens<200', 3],
    ['tokens <= 0', 2],
    ['cost > 0.01', 1],
    ['cost<0.01 & agent(claude)', 3],
    ['cost > 1 | tokens > 3309.5', 2],
    ['~(tokens >= 0) & role(assistant)', 0],
  ])('by %s', async (expression, count) => {
    const repo = await stored(FILES)
    let found = 0
    for await (const _ of select(repo, expression, { everywhere: true })) found++
    expect(found).toBe(count)
  })
})

describe('the cost that an agent reports', () => {
  const state = (cost: number, more: object = {}): string =>
    `${JSON.stringify({ type: 'cost-state', sessionId: 's1', totalCostUSD: cost, startTime: 5, ...more })}\n`
  const models = {
    modelUsage: { 'claude-opus-4-5': { costUSD: 0.5 }, 'claude-haiku-4-5': { costUSD: 0.25 } },
  }

  it('is the last one, beside the one that is computed', async () => {
    const lines = [...answers('s1', ['claude-opus-4-5']), state(0.25), state(0.75, models)]
    const repo = await stored({ 's1.jsonl': lines })
    const { cost, reportedCost, costComputed } = await sessionInfo(repo, 's1')
    expect([cost, costComputed, reportedCost]).toEqual([expect.closeTo(0.01755, 9), true, 0.75])
    expect((await show(repo, 's1')).reportedCost).toBe(0.75)
    const { rows, total } = await usageBy(repo, 'model')
    expect(rows.map(({ key, reported }) => [key, reported])).toEqual([
      ['claude-opus-4-5', 0.5],
      ['claude-haiku-4-5', 0.25],
    ])
    expect([total.reported, total.cost]).toEqual([0.75, expect.closeTo(0.01755, 9)])
  })

  it('counts once where a copy goes on with the tally, and for each tally where it does not', async () => {
    const lines = [...answers('s1', ['claude-opus-4-5']), state(0.25)]
    const copy = (more: object): string[] => [
      ...lines.map((line) => line.replaceAll('"s1"', '"s2"')),
      state(0.75, more),
    ]
    const reported = async (files: Readonly<Record<string, string[]>>): Promise<number | null> =>
      (await usageBy(await stored(files), 'project')).total.reported
    expect(await reported({ 's1.jsonl': lines, 's2.jsonl': copy({}) })).toBe(0.75)
    expect(await reported({ 's1.jsonl': lines, 's2.jsonl': copy({ startTime: undefined }) })).toBe(0.75)
    expect(await reported({ 's1.jsonl': lines, 's2.jsonl': copy({ startTime: 6 }) })).toBe(1)
    // Sessions that share nothing have nothing to do with each other.
    const other = [...answers('s3', ['claude-opus-4-5'], 5), state(2)]
    expect(await reported({ 's1.jsonl': lines, 's3.jsonl': other })).toBe(2.25)
  })

  it.each([
    ['nothing', {}, null],
    ['no number', { totalCostUSD: '1' }, null],
    ['less than nothing', { totalCostUSD: -1 }, null],
    ['more than there is', { totalCostUSD: 1e300 }, null],
    ['nothing spent', { totalCostUSD: 0 }, 0],
    ['only parts', { modelUsage: { a: { costUSD: 1 }, b: { costUSD: '2' }, __proto__: { costUSD: 4 } } }, 1],
  ])('is read from a record with %s', async (_, record, cost) => {
    const lines = [
      ...answers('s1', ['x']),
      `${JSON.stringify({ type: 'cost-state', sessionId: 's1', ...record })}\n`,
    ]
    const repo = await stored({ 's1.jsonl': lines })
    expect([...(await listSessions(repo)).map('reportedCost', (one) => one)]).toEqual([cost])
  })
})

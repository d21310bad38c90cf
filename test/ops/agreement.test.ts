import { readdirSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { importPaths } from '../../src/ops/import/import.ts'
import { type SaidOfSession, type Spent, said, sumOf } from '../support/agreement.ts'
import { CORPUS, SAMPLE, SKIPPED } from '../support/corpus.ts'
import { newFolder } from '../support/folder.ts'
import { answers, thread } from '../support/spending.ts'
import { openRepo } from '../support/store.ts'

const FIXTURES = fileURLToPath(new URL('../fixtures', import.meta.url))

const fixtures = readdirSync(FIXTURES, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => relative(FIXTURES, join(entry.parentPath, entry.name)))
  .sort()

async function saidOf(...paths: readonly string[]): ReturnType<typeof said> {
  const repo = await openRepo()
  await importPaths(repo, paths)
  return said(repo)
}

function expectSame(one: Spent, other: Spent): void {
  expect(one.tokens).toBe(other.tokens)
  expect(one.cost).toBeCloseTo(other.cost, 6)
}

/** A session with one branch has all its usage on it. Of some agents only sums are known, which no entry has. */
function expectAgreement({ ls, log, branches, count }: SaidOfSession): void {
  if (count === 1 && log.tokens + log.cost > 0) for (const one of [log, branches]) expectSame(one, ls)
}

/** Returns what entries and model calls took that sessions share with older ones, which a sum over all counts once. */
function sharedIn(sessions: readonly SaidOfSession[]): Spent {
  const seen = new Set<string | undefined>()
  const shared: Spent[] = []
  for (const { entries } of sessions) {
    shared.push(...entries.filter(({ oid, call }) => seen.has(oid) || (call !== undefined && seen.has(call))))
    for (const { oid, call } of entries) seen.add(oid).add(call)
  }
  return sumOf(shared)
}

describe('ls, branch -v, log -T and stats agree', () => {
  it.each(fixtures)('about %s', async (file) => {
    const { sessions, stats } = await saidOf(join(FIXTURES, file))
    sessions.forEach(expectAgreement)
    const [only, ...others] = sessions
    if (only && others.length === 0) expectSame(stats, only.ls)
    expect(stats.tokens).toBeLessThanOrEqual(sumOf(sessions.map(({ ls }) => ls)).tokens)
  })

  it('about sessions that share entries, which count once together', async () => {
    const first = answers('s1', ['claude-opus-4-5', 'claude-sonnet-4-5', 'claude-opus-4-5'])
    const [fork, rollout, turns] = [
      newFolder(),
      newFolder(),
      ['Count the reefs.', 'Name them.', 'Draw them.'],
    ]
    writeFileSync(join(fork, 's1.jsonl'), first.join(''))
    const copied = [
      ...first.slice(0, -2).map((line) => line.replaceAll('"s1"', '"s2"')),
      ...answers('s2', ['claude-haiku-4-5'], 9),
    ]
    writeFileSync(join(fork, 's2.jsonl'), copied.join(''))
    writeFileSync(join(rollout, 'rollout-2026-03-02T10-00-00-c1.jsonl'), thread('c1', turns).join(''))
    writeFileSync(
      join(rollout, 'rollout-2026-03-03T10-00-00-c2.jsonl'),
      thread('c2', turns.slice(0, 2), 1).join(''),
    )
    const { sessions, stats } = await saidOf(fork, rollout)
    expect(sessions).toHaveLength(4)
    sessions.forEach(expectAgreement)
    const [all, shared] = [sumOf(sessions.map(({ ls }) => ls)), sharedIn(sessions)]
    expect(shared.tokens).toBe(2 * 3310 + 2 * 110)
    expectSame(stats, { tokens: all.tokens - shared.tokens, cost: all.cost - shared.cost })
  })

  it.skipIf(SAMPLE.length === 0).each(SAMPLE)(`about %s of the corpus ${SKIPPED}`, async (file) => {
    const { sessions, stats } = await saidOf(join(CORPUS, file))
    sessions.forEach(expectAgreement)
    const [only, ...others] = sessions
    if (only && others.length === 0) expectSame(stats, only.ls)
    expect(stats.tokens).toBeLessThanOrEqual(sumOf(sessions.map(({ ls }) => ls)).tokens)
  })
})

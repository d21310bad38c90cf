import { readdirSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { importPaths } from '../../src/ops/import/import.ts'
import { type SaidOfSession, type Spent, said, sumOf } from '../support/agreement.ts'
import { CORPUS, SAMPLE, SKIPPED } from '../support/corpus.ts'
import { newFolder } from '../support/folder.ts'
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

/** The lines of a session of Claude Code: for each model a prompt and an answer in two records, which repeat its usage. */
const answers = (sessionId: string, models: readonly string[], from = 0): string[] =>
  models.flatMap((model, i) => {
    const [id, timestamp] = [`${from + i}`, `2026-03-01T10:00:0${i}.000Z`]
    const usage = {
      input_tokens: 10,
      output_tokens: 100,
      cache_read_input_tokens: 1000,
      cache_creation_input_tokens: 2200,
    }
    const message = {
      id: `msg_${id}`,
      role: 'assistant',
      model,
      usage: { ...usage, cache_creation: { ephemeral_1h_input_tokens: 200 } },
    }
    const records = [
      { type: 'user', uuid: `u${id}`, message: { role: 'user', content: `Question ${id}` } },
      {
        type: 'assistant',
        uuid: `a${id}`,
        message: { ...message, content: [{ type: 'text', text: 'One' }] },
      },
      {
        type: 'assistant',
        uuid: `b${id}`,
        message: { ...message, content: [{ type: 'text', text: 'Two' }] },
      },
    ]
    const parents = [from + i === 0 ? null : `b${from > 0 && i === 0 ? 1 : from + i - 1}`, `u${id}`, `a${id}`]
    return records.map(
      (record, n) => `${JSON.stringify({ ...record, parentUuid: parents[n], sessionId, timestamp })}\n`,
    )
  })

/** The lines of a thread of Codex, of which each turn adds 110 tokens to its counter. */
const thread = (id: string, prompts: readonly string[], before = 0): string[] => {
  const item = (role: string, text: string): object => ({
    ...{ type: 'message', role, content: [{ type: role === 'user' ? 'input_text' : 'output_text', text }] },
  })
  const records = prompts.flatMap((prompt, i): [string, object][] => {
    const tokens = { input_tokens: 100 * (i + 1), cached_input_tokens: 0, output_tokens: 10 * (i + 1) }
    return [
      ['response_item', item('user', prompt)],
      ['response_item', item('assistant', `Done: ${prompt}`)],
      ['event_msg', { type: 'token_count', info: { total_token_usage: tokens } }],
      ['event_msg', { type: 'token_count', info: { total_token_usage: tokens } }],
    ]
  })
  const day = `2026-03-0${2 + before}T10:00:0`
  const header: [string, object] = ['session_meta', { id, cwd: '/w/reef', timestamp: `${day}0.000Z` }]
  const model: [string, object] = ['turn_context', { cwd: '/w/reef', model: 'gpt-5-codex' }]
  return [header, model, ...records].map(
    ([type, payload], i) => `${JSON.stringify({ timestamp: `${day}${i % 10}.000Z`, type, payload })}\n`,
  )
}

describe('ls, branch -v, log -T and stats agree', () => {
  it.each(fixtures)('about %s', async (file) => {
    const { sessions, stats } = await saidOf(join(FIXTURES, file))
    sessions.forEach(expectAgreement)
    if (sessions.length === 1) expectSame(stats, sessions[0]?.ls as Spent)
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
    if (sessions.length === 1) expectSame(stats, sessions[0]?.ls as Spent)
  })
})

import { expect, test } from 'vitest'
import { RolloutHeader } from '../../../src/formats/codex/read.ts'
import type { JsonObject } from '../../../src/model/json.ts'
import { context, event, ID, meta } from './rollout.ts'

const NAME = `rollout-2026-01-02T03-04-05-${ID}.jsonl`
const factsOf = (name: string, lines: readonly unknown[], time?: number) => {
  const header = new RolloutHeader(name)
  for (const line of lines) header.take(line as JsonObject, time)
  return header.facts()
}

test('the first header is the own one, the second came with copied history', () => {
  const facts = factsOf('x.jsonl', [meta('own'), meta('parent')])
  expect(facts).toEqual({ id: 'own', cwd: '/w', created: 1767323045678 })
})

test('without a header the id is in the name', () => {
  expect(factsOf(NAME, [])).toEqual({ id: ID })
  expect(factsOf('x.jsonl', [])).toEqual({})
})

test('without a header the folder is that of the first turn and the time that of the first line', () => {
  expect(factsOf('x.jsonl', [context('m')], 5)).toEqual({ cwd: '/w', created: 5 })
})

test('a bare header counts, a bare item with an id does not', () => {
  const bare = { id: 'own', timestamp: '2025-07-01T00:00:00.000Z', instructions: null, git: {} }
  const items = [
    { type: 'reasoning', id: 'rs_1', summary: [] },
    { id: 'm_1', role: 'user', content: 'hi' },
    { record_type: 'state', id: 'st_1' },
  ]
  expect(factsOf('x.jsonl', [...items, bare])).toEqual({ id: 'own', created: 1751328000000 })
})

test('the title is the last name of the own thread', () => {
  const named = (thread_id: string, thread_name: string) =>
    event({ type: 'thread_name_updated', thread_id, thread_name })
  const lines = [meta('own'), named('own', 'first'), named('own', 'second'), named('parent', 'other')]
  expect(factsOf('x.jsonl', lines).title).toBe('second')
  expect(factsOf('x.jsonl', [meta('own'), named('parent', 'other')])).not.toHaveProperty('title')
  expect(
    factsOf('x.jsonl', [meta('own'), event({ type: 'thread_name_updated', thread_name: 'n' })]).title,
  ).toBe('n')
})

test('the folder is that of the last turn, with all folders in order', () => {
  const turn = (cwd: string) => ({ type: 'turn_context', payload: { cwd, model: 'm' } })
  expect(factsOf('x.jsonl', [meta('own'), turn('/w'), turn('/tree'), turn('/w/src')])).toMatchObject({
    cwd: '/w/src',
    folders: ['/w', '/tree', '/w/src'],
  })
})

test('the state of git is that of the last own header', () => {
  const git = (branch: string, commit_hash: string, id = 'own') => ({
    type: 'session_meta',
    payload: { id, git: { branch, commit_hash, repository_url: 'https://example.org/lamp.git' } },
  })
  expect(factsOf('x.jsonl', [git('main', 'a1'), git('old', 'c3', 'parent'), git('fix', 'b2')]).git).toEqual({
    branch: 'fix',
    commit: 'b2',
    repository: 'https://example.org/lamp.git',
    branches: ['main', 'fix'],
    commits: ['a1', 'b2'],
  })
  expect(factsOf('x.jsonl', [{ type: 'session_meta', payload: { id: 'own', git: null } }])).toEqual({
    id: 'own',
  })
})

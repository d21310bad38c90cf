import { expect, it } from 'vitest'
import { type Claim, compareBegun, compareClaims, layoutOf, stemOf } from '../../../src/formats/core/claim.ts'

const claim = (about: Partial<Claim> = {}): Claim => ({
  silent: false,
  subagent: false,
  name: 'rollout-a',
  base: undefined,
  layout: 'lines',
  began: 1,
  ...about,
})

const orders: readonly (readonly [why: string, better: Claim, worse: Claim])[] = [
  ['conversation', claim({ subagent: true }), claim({ silent: true })],
  ['main', claim({ layout: 'document' }), claim({ subagent: true })],
  ['continues', claim({ name: 'rollout-b', base: 'a' }), claim()],
  // The base of a file that was cut inside of what its own base inherited is named by the grandparent.
  [
    'continues',
    claim({ name: 'rollout-c', base: 'gone', began: 3 }),
    claim({ name: 'rollout-b', base: 'a', began: 2 }),
  ],
  [
    'continues',
    claim({ name: 'rollout-b', base: 'a', began: 2 }),
    claim({ name: 'rollout-a', base: 'z', began: 9 }),
  ],
  ['layout', claim(), claim({ layout: 'document' })],
  ['layout', claim({ layout: 'rows' }), claim()],
]

it.each(orders)('compares claims to an id by rules: %s', (why, better, worse) => {
  expect(compareClaims(better, worse)).toEqual({ better: 'first', why })
  expect(compareClaims(worse, better)).toEqual({ better: 'second', why })
})

it('leaves files that no rule tells apart to when they began', () => {
  expect(compareClaims(claim(), claim({ name: 'other', began: 2 }))).toBeUndefined()
  expect(compareBegun(claim(), claim({ began: 2 }))).toEqual({ better: 'first', why: 'older' })
  expect(compareBegun(claim({ began: null }), claim())).toEqual({ better: 'second', why: 'older' })
  expect(compareBegun(claim(), claim())).toBeUndefined()
})

it('tells from a path how a file keeps a session', () => {
  expect(layoutOf('/a/b.jsonl', false)).toBe('lines')
  expect(layoutOf('/a/b.jsonl.zst', false)).toBe('lines')
  expect(layoutOf('/a/b.json', false)).toBe('document')
  expect(layoutOf('/a/state.db#ses_1', false)).toBe('rows')
  expect(layoutOf('/a/storage#ses_1', true)).toBe('document')
  expect(layoutOf('/a#b/c.jsonl', false)).toBe('lines')
  expect(['/a/b.jsonl', 'b.json.gz', '/a.b/rollout-1_2.jsonl.zst', '/a/b'].map(stemOf)).toEqual([
    ...['b', 'b', 'rollout-1_2', 'b'],
  ])
})

import { expect, test } from 'vitest'
import { RolloutPath } from '../../../src/formats/codex/read.ts'

test('each entry continues the one before', () => {
  const chain = new RolloutPath()
  expect(chain.tip).toBeNull()
  expect([chain.extend(3, 'prompt'), chain.extend(5, 'other'), chain.extend(9, 'other')]).toEqual([
    null,
    3,
    5,
  ])
  expect(chain.tip).toBe(9)
})

test('a rollback goes back to where the turn began, context updates included', () => {
  const chain = new RolloutPath()
  chain.extend(0, 'update')
  chain.extend(1, 'prompt')
  chain.extend(2, 'other')
  chain.extend(3, 'update')
  chain.extend(4, 'update', 'm')
  chain.extend(5, 'prompt')
  chain.extend(6, 'other')
  expect(chain.setting).toBe('m')
  chain.rollBack(1)
  expect([chain.tip, chain.setting]).toEqual([2, ''])
})

test('what precedes the first prompt is never rolled back', () => {
  const chain = new RolloutPath()
  chain.extend(0, 'update', 'm')
  chain.extend(1, 'prompt')
  chain.extend(2, 'prompt')
  chain.rollBack(7)
  expect([chain.tip, chain.setting]).toEqual([0, 'm'])
})

test('an update that is followed by something else belongs to no later prompt', () => {
  const chain = new RolloutPath()
  chain.extend(0, 'prompt')
  chain.extend(1, 'update')
  chain.extend(2, 'other')
  chain.extend(3, 'prompt')
  chain.rollBack(1)
  expect(chain.tip).toBe(2)
})

test('rollbacks add up', () => {
  const chain = new RolloutPath()
  for (let i = 0; i < 5; i++) chain.extend(i, 'prompt')
  chain.rollBack(1)
  expect(chain.tip).toBe(3)
  chain.rollBack(2)
  expect(chain.tip).toBe(1)
})

test('a rollback of no turns, or with none to leave, changes nothing', () => {
  const chain = new RolloutPath()
  chain.extend(0, 'update')
  chain.rollBack(1)
  expect(chain.tip).toBe(0)
  chain.extend(1, 'prompt')
  for (const turns of [0, -1]) chain.rollBack(turns)
  expect(chain.tip).toBe(1)
})

test('updates on a path that was left belong to no prompt after the rollback', () => {
  const chain = new RolloutPath()
  chain.extend(0, 'prompt')
  chain.extend(1, 'prompt')
  chain.extend(2, 'update')
  chain.rollBack(1)
  chain.extend(3, 'prompt')
  chain.rollBack(1)
  expect(chain.tip).toBe(0)
})

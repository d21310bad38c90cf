import { expect, it } from 'vitest'
import { pairs } from '../../../src/cli/render/pairs.ts'
import type { Oid } from '../../../src/model/oid.ts'
import type { Role } from '../../../src/model/view.ts'
import type { LogEntry } from '../../../src/ops/log.ts'

const entry = (name: string): LogEntry => {
  const role =
    ({ u: 'user', a: 'assistant', c: 'assistant', t: 'tool' } as Record<string, Role>)[name[0] as string] ??
    null
  return {
    oid: name as Oid,
    parents: [],
    type: `x/${name}`,
    role,
    time: null,
    text: /^[ua]/.test(name) ? name : null,
    session: null,
    native: null,
    view: { role, blocks: [] },
  }
}

const paired = (left: string, right: string): string =>
  pairs(left.split(' ').filter(Boolean).map(entry), right.split(' ').filter(Boolean).map(entry))
    .map((pair) => `${pair.left?.oid ?? ''}|${pair.right?.oid ?? ''}`)
    .join(' ')

it.each([
  ['u1 a1', 'u2 a2', 'u1|u2 a1|a2'],
  ['u1 c1 t1 a2', 'u2 a3', 'u1|u2 c1| t1| a2|a3'],
  ['u1 c1 t1 a2', 'u2 c3 t3 c4 t4 a5', 'u1|u2 c1|c3 t1|t3 |c4 |t4 a2|a5'],
  ['u1', '', 'u1|'],
  ['', 'u1 a1', '|u1 |a1'],
  ['m1', 'm2', 'm1| |m2'],
])('of %j and %j gives %j', (left, right, expected) => {
  expect(paired(left, right)).toBe(expected)
})

it('pairs by place what is too far apart to compare', () => {
  const left = Array.from({ length: 3000 }, (_, i) => `m${i}`).join(' ')
  const right = Array.from({ length: 3001 }, (_, i) => `n${i}`).join(' ')
  const all = paired(left, right).split(' ')
  expect([all.length, all[0], all.at(-1)]).toEqual([3001, 'm0|n0', '|n3000'])
})

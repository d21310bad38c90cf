import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Oid } from '../../src/model/encoding/oid.ts'
import type { Role, View } from '../../src/model/view.ts'
import { pairsOf } from '../../src/ops/diff.ts'
import type { LogEntry } from '../../src/ops/entries.ts'

/** An entry of the role that its name begins with; behind a colon what it says. */
const entry = (name: string): { entry: LogEntry; digest: string } => {
  const [id = '', said = ''] = name.split(':')
  const role =
    ({ u: 'user', a: 'assistant', c: 'assistant', t: 'tool' } as Record<string, Role>)[id[0] as string] ??
    null
  const words = said.replaceAll('_', ' ')
  const view: View = { role, blocks: words === '' ? [] : [{ kind: 'text', text: words }] }
  const told = { time: null, session: null, native: null }
  const text = /^[ua]/.test(id) ? words : null
  return { entry: { oid: id as Oid, parents: [], type: `x/${id}`, role, text, view, ...told }, digest: id }
}

const paired = (left: string, right: string, related = true): string =>
  pairsOf(left.split(' ').filter(Boolean).map(entry), right.split(' ').filter(Boolean).map(entry), related)
    .map((pair) => `${pair.left?.oid ?? ''}${pair.same ? '=' : '|'}${pair.right?.oid ?? ''}`)
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

it.each([
  ['u1 a1', 'u1 a1', 'u1=u1 a1=a1'],
  ['u1:go a1 u2:more', 'u9 a1 u8:more', 'u1| |u9 a1=a1 u2=u8'],
  ['u1:go_on', 'u2:go_on', 'u1=u2'],
  ['u1:go_on_and_on', 'u2:go_on_then', 'u1|u2'],
  ['u1:fix_the_clock u2:go', 'u3:say_hello u4:please_fix_the_clock', '|u3 u1|u4 u2|'],
  ['u1:one', 'u2:other', 'u1| |u2'],
])('of unrelated %j and %j gives %j', (left, right, expected) => {
  expect(paired(left, right, false)).toBe(expected)
})

it('gives each entry once, whatever corresponds, and pairs a side with itself', () => {
  const some = fc.array(fc.constantFrom('u1:a', 'u2:a_b', 'u3:b', 'a1:a', 'a2', 'c1', 't1:x', 't2:y', 'm1'), {
    maxLength: 8,
  })
  fc.assert(
    fc.property(some, some, fc.boolean(), (left, right, related) => {
      const all = pairsOf(left.map(entry), right.map(entry), related)
      expect(all.flatMap((pair) => pair.left?.oid ?? [])).toEqual(left.map((name) => name.split(':')[0]))
      expect(all.flatMap((pair) => pair.right?.oid ?? [])).toEqual(right.map((name) => name.split(':')[0]))
      expect(pairsOf(left.map(entry), left.map(entry), related).every(({ same }) => same)).toBe(true)
    }),
  )
})

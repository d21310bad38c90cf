import { expect, it } from 'vitest'
import { originIn } from '../../src/text/show.ts'

const [a, b] = ['a'.repeat(64), 'b'.repeat(64)]

it('reads where an entry comes from, and nothing out of what says something else', () => {
  expect(originIn({ body: null, origin: { verb: 'rebase', oid: a, also: [b, 'c'], session: 's' } })).toEqual({
    verb: 'rebase',
    oid: a,
    also: [b],
    session: 's',
  })
  expect(originIn({ origin: { verb: 'rebase', oid: a } })).toEqual({
    verb: 'rebase',
    oid: a,
    also: [],
    session: undefined,
  })
  for (const other of [
    null,
    'text',
    {},
    { origin: 'there' },
    { origin: { verb: 'rebase', oid: 'a' } },
    { origin: { oid: a } },
  ])
    expect(originIn(other)).toBeUndefined()
})

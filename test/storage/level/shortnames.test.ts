import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { RefName } from '../../../src/model/refname.ts'
import { fullNames, shortNames } from '../../../src/storage/level/shortnames.ts'

const names = (texts: readonly string[]): RefName[] => texts as RefName[]

it('leaves out the session of the name before', () => {
  const full = names([
    'sessions/a/meta',
    'sessions/a/branches/main',
    'sessions/b/meta',
    'tags/x',
    'sessions/b/HEAD',
  ])
  expect(shortNames(full)).toEqual([
    'sessions/a/meta',
    '/branches/main',
    'sessions/b/meta',
    'tags/x',
    'sessions/b/HEAD',
  ])
  expect(fullNames(shortNames(full))).toEqual(full)
})

it('gives any names back', () => {
  const part = fc.constantFrom('a', 'b', 'sessions', 'c d')
  const name = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'))
  fc.assert(
    fc.property(fc.array(name), (all) => {
      expect(fullNames(shortNames(names(all)))).toEqual(all)
    }),
  )
})

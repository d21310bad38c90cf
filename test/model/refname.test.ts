import fc from 'fast-check'
import { expect, it, test } from 'vitest'
import * as names from '../../src/model/refname.ts'
import { anyText } from '../support/json.ts'

const { branchRef, checkName, headRef, labelRef, metaRef, parseSessionRef, sessionPrefix } = names

test('every session and branch name is one part, and comes back', () => {
  fc.assert(
    fc.property(anyText, anyText, (session, branch) => {
      const name = branchRef(session, branch)
      expect(name).toMatch(/^sessions\/[^/]*\/branches\/[^/]*$/)
      expect(parseSessionRef(name)).toEqual({
        session: session.toWellFormed(),
        kind: 'branches',
        name: branch.toWellFormed(),
      })
      expect(name.startsWith(sessionPrefix(session))).toBe(true)
    }),
  )
})

it('reads the refs of a session', () => {
  expect(parseSessionRef(metaRef('a/b'))).toEqual({ session: 'a/b', kind: 'meta' })
  expect(parseSessionRef(headRef('s'))).toEqual({ session: 's', kind: 'HEAD' })
  expect(parseSessionRef(labelRef('s', 'x y'))).toEqual({ session: 's', kind: 'labels', name: 'x y' })
  expect(parseSessionRef('tags/x')).toBeUndefined()
})

it('takes names that can be typed in a revision', () => {
  for (const name of ['main', 'fix/one', 'v1.0', 'été 2', 'a', 'at-0011aabb'])
    expect(checkName(name)).toBe(name)
  for (const name of [
    '',
    '-x',
    'a..b',
    'a//b',
    'HEAD',
    'a~1',
    'a^',
    'a:b',
    ' a',
    'a ',
    'a/',
    'x'.repeat(201),
  ])
    expect(() => checkName(name)).toThrow('cannot be a name')
})

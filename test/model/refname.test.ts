import fc from 'fast-check'
import { expect, it, test } from 'vitest'
import * as names from '../../src/model/refname.ts'
import { anyText } from '../support/json.ts'

const { branchRef, checkName, headRef, labelRef, metaRef, parseSessionRef, sessionPrefix, typedSessionRef } =
  names

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

it('reads the names of refs that somebody typed, and no others', () => {
  const name = labelRef('a/b', 'x y')
  expect(typedSessionRef(name)).toEqual({ session: 'a/b', kind: 'labels', name: 'x y', ref: name })
  expect(typedSessionRef('sessions/s/HEAD')).toEqual({ session: 's', kind: 'HEAD', ref: headRef('s') })
  for (const text of [
    'sessions/s',
    'sessions//HEAD',
    'sessions/s/other',
    'sessions/s/HEAD/x',
    'sessions/s/branches',
    'sessions/s/branches/',
    'sessions/s/branches/a/b',
    'sessions/s/branches/a b',
    'sessions/s/branches/%zz',
    'sessions/s/branches/%61',
    'tags/s/HEAD',
  ])
    expect(typedSessionRef(text)).toBeUndefined()
})

it('takes names that can be typed in a revision', () => {
  for (const name of ['main', 'fix/one', 'v1.0', 'été 2', 'a', 'at-0011aabb', 'हिन्दी', 'ภาษาไทย/ที่'])
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
    'e\u0301te\u0301', // looks like 'été'
    '\u0301a',
    'x'.repeat(201),
  ])
    expect(() => checkName(name)).toThrow('cannot be a name')
})

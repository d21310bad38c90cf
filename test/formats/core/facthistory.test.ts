import { describe, expect, it } from 'vitest'
import { FactHistory, GitHistory, PlaceHistory } from '../../../src/formats/core/facthistory.ts'

describe('the history of a fact', () => {
  it('has the last value, and all in the order of their first use where there are several', () => {
    const history = new FactHistory()
    expect([history.last, history.all, history.several]).toEqual([undefined, undefined, undefined])
    history.add('a')
    expect([history.last, history.all, history.several]).toEqual(['a', ['a'], undefined])
    for (const value of ['b', 'a', undefined, '', 7, null]) history.add(value)
    expect([history.last, history.several]).toEqual(['a', ['a', 'b']])
    expect(history.findLast((value) => value < 'b')).toBe('a')
  })

  it('keeps a bounded number of bounded values', () => {
    const history = new FactHistory()
    for (let i = 0; i < 1000; i++) history.add(`v${i}`)
    history.add('x'.repeat(1 << 20))
    expect([history.last, history.several?.length, history.several?.[0]]).toEqual(['v999', 100, 'v900'])
  })
})

describe('the history of a repository', () => {
  it('has no branch while HEAD is detached, and keeps the one before', () => {
    const git = new GitHistory()
    git.addBranch('HEAD')
    expect(git.facts()).toEqual({})
    git.add({ branch: 'main', commit: 'a1' })
    git.add({ branch: 'HEAD', commit: 'b2', repository: 'r' })
    expect(git.facts()).toEqual({
      git: { branch: 'main', commit: 'b2', repository: 'r', commits: ['a1', 'b2'] },
    })
  })
})

it('a place is that of the end, with all folders', () => {
  const place = new PlaceHistory()
  place.add({ cwd: '/one', git: { branch: 'main' } })
  place.add({ cwd: '/two' })
  expect(place.facts()).toEqual({ cwd: '/two', folders: ['/one', '/two'], git: { branch: 'main' } })
})

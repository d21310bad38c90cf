import { describe, expect, it } from 'vitest'
import { gitState, isCommit, isPullRequest, isRepository } from '../../src/model/gitfacts.ts'

describe('a commit', () => {
  it.each([
    ['8243e674473655f0', '8243e674473655f0', true],
    ['8243e674473655f0', '8243E674', true],
    ['8243e67', '8243e674473655f0', true],
    ['8243e674473655f0', '824', false],
    ['8243e674473655f0', 'e674', false],
    ['abc', 'abc', true],
    ['8243e674473655f0', '', false],
  ])('%s is named by %s: %s', (commit, asked, is) => {
    expect(isCommit(commit, asked)).toBe(is)
  })
})

describe('a repository', () => {
  it.each([
    ['https://github.com/ada/lamp.git', 'ada/lamp', true],
    ['https://github.com/ada/lamp.git', 'https://github.com/ada/lamp', true],
    ['git@github.com:ada/lamp.git', 'https://github.com/Ada/lamp/', true],
    ['ssh://git@github.com/ada/lamp', 'github.com/ada/lamp', true],
    ['ada/lamp', 'lamp', true],
    ['https://github.com/ada/lamp.git', 'da/lamp', false],
    ['https://github.com/ada/lamp.git', 'ada', false],
    ['https://github.com/ada/lamp.git', '', false],
  ])('%s is named by %s: %s', (repository, asked, is) => {
    expect(isRepository(repository, asked)).toBe(is)
  })
})

describe('a pull request', () => {
  it.each([
    ['https://github.com/ada/lamp/pull/42', '42', true],
    ['https://github.com/ada/lamp/pull/42', '#42', true],
    ['https://github.com/ada/lamp/pull/42', 'ada/lamp#42', true],
    ['https://github.com/ada/lamp/pull/42/files', 'https://github.com/ada/lamp/pull/42', true],
    ['https://gitlab.com/a/b/lamp/-/merge_requests/7', 'b/lamp#7', true],
    ['https://bitbucket.org/ada/lamp/pull-requests/7', '7', true],
    ['ada/lamp#42', 'https://github.com/ada/lamp/pull/42', false],
    ['ada/lamp#42', '42', true],
    ['https://github.com/ada/lamp/pull/42', '4', false],
    ['https://github.com/ada/lamp/pull/42', 'ada/moon#42', false],
    ['https://example.org/changes/42', 'https://example.org/changes/42', true],
    ['https://example.org/changes/42', '42', false],
  ])('%s is named by %s: %s', (request, asked, is) => {
    expect(isPullRequest(request, asked)).toBe(is)
  })
})

it('a state has all values in its lists, also where there is one', () => {
  expect(gitState(undefined)).toBeNull()
  expect(gitState({ branch: 'b', branches: ['a', 'b'], commit: 'c' })).toEqual({
    branch: 'b',
    commit: 'c',
    repository: null,
    branches: ['a', 'b'],
    commits: ['c'],
    repositories: [],
  })
})

import { expect, it } from 'vitest'
import { attemptsFor, fieldText } from '../../src/mcp/query.ts'

const queriesFor = (query: string): unknown[] =>
  attemptsFor(query).map(({ queries, matching }) => [matching, ...queries])

it('drops the common words of a question, then a word at a time', () => {
  expect(queriesFor('How did we fix the flaky login?')).toEqual([
    ['all', 'fix flaky login'],
    ['most', 'flaky login', 'fix login', 'fix flaky'],
    ['any', 'fix', 'flaky', 'login'],
  ])
  expect(queriesFor('flaky login')).toEqual([
    ['all', 'flaky login'],
    ['any', 'flaky', 'login'],
  ])
})

it('keeps common words where there are no others', () => {
  expect(queriesFor('what was it')).toEqual([
    ['all', 'what was it'],
    ['most', 'was it', 'what it', 'what was'],
    ['any', 'what', 'was', 'it'],
  ])
})

it('searches words with signs for what they are', () => {
  expect(queriesFor('src/app.ts:12')).toEqual([['all', '"src/app.ts:12"']])
})

it.each(['"flaky login"', 'login -flaky', 'flaky OR login', 'role:user login', 're:flak.', '-tool:Bash x'])(
  'searches %s as it is',
  (query) => {
    expect(queriesFor(query)).toEqual([['all', query]])
  },
)

it('does not take a query of many words apart', () => {
  expect(queriesFor('one two three four five six seven eight nine')).toHaveLength(1)
})

it('lets no quote end a condition', () => {
  expect(fieldText('project', 'a" OR role:user "b')).toBe('project:"a  OR role:user  b"')
})

import { expect, it } from 'vitest'
import { asString } from '../../src/model/json.ts'
import { Latest } from '../../src/model/latest.ts'

const of = (...values: string[]): Latest<string> => {
  const latest = new Latest<string>(3)
  for (const value of values) latest.add(value)
  return latest
}
const lines = (latest: Latest<string>): string[] => latest.lines((value, number) => `${number}. ${value}`)

it('keeps the newest and counts all', () => {
  expect(lines(of())).toEqual([])
  expect(lines(of('a', 'b'))).toEqual(['1. a', '2. b'])
  const many = of(...'abcdefghij')
  expect(many.count).toBe(10)
  expect(lines(many)).toEqual(['(7 before)', '8. h', '9. i', '10. j'])
  expect(many.json((value) => value)).toEqual({ count: 10, last: ['h', 'i', 'j'] })
})

it('takes what another counted before, and nothing of what is no such thing', () => {
  const after = of('k')
  after.take(
    of(...'abcdefghij').json((value) => value),
    asString,
  )
  expect(after.count).toBe(11)
  expect(lines(after)).toEqual(['(8 before)', '9. i', '10. j', '11. k'])
  for (const wrong of [undefined, null, 7, { count: -4, last: 'x' }, { count: 0.5 }])
    after.take(wrong, asString)
  expect(after.count).toBe(11)
  after.take({ count: 1, last: ['x', 7, 'y'] }, asString)
  expect(after.count).toBe(13)
})

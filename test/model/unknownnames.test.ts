import { expect, it } from 'vitest'
import { addNames } from '../../src/model/unknownnames.ts'

it('adds the counts of names, in the order of the names', () => {
  expect(
    addNames([
      [['b', 1]],
      [
        ['a', 2],
        ['b', 3],
      ],
      [],
    ]),
  ).toEqual([
    ['a', 2],
    ['b', 4],
  ])
})

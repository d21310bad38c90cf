import { expect, it } from 'vitest'
import { joined } from '../../src/model/bytes.ts'

it.each([
  [[], []],
  [[[1, 2]], [1, 2]],
  [
    [[1], [], [2, 3]],
    [1, 2, 3],
  ],
])('joins %j to %j', (pieces, bytes) => {
  expect([...joined(pieces.map((piece) => Uint8Array.from(piece)))]).toEqual(bytes)
})

it('gives bytes that are no piece', () => {
  const piece = Uint8Array.of(1)
  joined([piece])[0] = 2
  expect(piece[0]).toBe(1)
})

import { expect, it } from 'vitest'
import { BlobRef } from '../../../src/model/encoding/canonical.ts'
import { BlobMoves } from '../../../src/storage/rewrite/densepacker.ts'

it('places: stay for the items that a block had when it was copied, not for those that it got later', () => {
  const moves = new BlobMoves()
  moves.stay(8, 36)
  expect(moves.find(new BlobRef(8, 35))).toEqual(new BlobRef(8, 35))
  expect(moves.find(new BlobRef(8, 36))).toBeUndefined()
  moves.move(new BlobRef(8, 36), new BlobRef(20, 0))
  expect(moves.find(new BlobRef(8, 36))).toEqual(new BlobRef(20, 0))
})

import fc from 'fast-check'
import { expect, it, test } from 'vitest'
import {
  hasher,
  portableHasher,
  portableSha256,
  sha256,
  sha256Oid,
} from '../../../src/model/encoding/sha256.ts'
import { hexOf } from '../../support/json.ts'

const ABC = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
const abc = new TextEncoder().encode('abc')

it('is SHA-256', () => {
  expect(hexOf(sha256(abc))).toBe(ABC)
  expect(hexOf(portableSha256(abc))).toBe(ABC)
})

test('the native and the portable implementation agree', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (data) => {
      expect(hexOf(sha256(data))).toBe(hexOf(portableSha256(data)))
      expect(sha256Oid(data)).toBe(hexOf(portableSha256(data)))
    }),
  )
})

test('a hasher that is fed in pieces gives the hash of the whole', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat({ max: 300 }), (data, cut) => {
      const pieces = hasher()
      pieces.update(data.subarray(0, cut))
      pieces.update(data.subarray(cut))
      expect(hexOf(pieces.digest())).toBe(hexOf(portableSha256(data)))
    }),
  )
})

test.each([
  ['native', hasher],
  ['portable', portableHasher],
])('a copy of a %s hasher goes on by itself', (_, begin) => {
  const one = begin()
  one.update(abc.subarray(0, 1))
  const other = one.copy()
  one.update(abc)
  other.update(abc.subarray(1))
  expect(hexOf(other.digest())).toBe(ABC)
  expect(hexOf(one.digest())).toBe(hexOf(sha256(new TextEncoder().encode('aabc'))))
})

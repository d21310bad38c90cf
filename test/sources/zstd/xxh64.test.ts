import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Xxh64 } from '../../../src/sources/zstd/xxh64.ts'

const hashOf = (...chunks: readonly Uint8Array[]): string => {
  const hash = new Xxh64()
  for (const chunk of chunks) hash.update(chunk)
  return hash.digest().toString(16).padStart(16, '0')
}

// As `xxhsum -H64` gives them.
it.each([
  ['', 'ef46db3751d8e999'],
  ['a', 'd24ec4f1a98c6e5b'],
  ['abc', '44bc2cf5ad770999'],
  ['Nobody inspects the spammish repetition', 'fbcea83c8a378bf1'],
  ['0123456789abcdef0123456789abcdef', '642a94958e71e6c5'],
])('hashes %j', (text, hash) => {
  expect(hashOf(Buffer.from(text))).toBe(hash)
})

const [P1, P2, P3, P4] = [
  0x9e3779b185ebca87n,
  0xc2b2ae3d27d4eb4fn,
  0x165667b19e3779f9n,
  0x85ebca77c2b2ae63n,
] as const
const low = (value: bigint): bigint => BigInt.asUintN(64, value)
const turned = (value: bigint, by: number): bigint => low((value << BigInt(by)) | (value >> BigInt(64 - by)))
const round = (lane: bigint, input: bigint): bigint => low(turned(low(lane + input * P2), 31) * P1)

/** The same of whole stripes, as the specification has it. */
function plainly(bytes: Buffer): string {
  const lanes = [low(P1 + P2), P2, 0n, low(-P1)]
  for (let at = 0; at < bytes.length; at += 8)
    lanes[(at / 8) % 4] = round(lanes[(at / 8) % 4] as bigint, bytes.readBigUInt64LE(at))
  let hash = lanes.reduce((sum, lane, i) => low(sum + turned(lane, [1, 7, 12, 18][i] as number)), 0n)
  for (const lane of lanes) hash = low((hash ^ round(0n, lane)) * P1 + P4)
  hash = low(hash + BigInt(bytes.length))
  hash = low((hash ^ (hash >> 33n)) * P2)
  hash = low((hash ^ (hash >> 29n)) * P3)
  return (hash ^ (hash >> 32n)).toString(16).padStart(16, '0')
}

it('is that of the specification, however the bytes come', () => {
  const stripes = fc
    .uint8Array({ minLength: 32, maxLength: 640 })
    .map((bytes) => bytes.subarray(bytes.length % 32))
  const cuts = fc.array(fc.nat(640), { maxLength: 8 })
  // Halves of numbers that are all ones carry the most.
  const ones = fc.constantFrom(32, 64, 320).map((length) => new Uint8Array(length).fill(255))
  fc.assert(
    fc.property(fc.oneof(stripes, ones), cuts, (bytes, at) => {
      const ends = [...at.map((cut) => Math.min(cut, bytes.length)), bytes.length].sort((a, b) => a - b)
      const chunks = ends.map((end, i) => bytes.subarray(ends[i - 1] ?? 0, end))
      expect(hashOf(...chunks)).toBe(plainly(Buffer.from(bytes)))
    }),
  )
})

it('is the same however bytes of any length come', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(200), (bytes, cut) => {
      expect(hashOf(bytes.subarray(0, cut), bytes.subarray(cut))).toBe(hashOf(bytes))
    }),
  )
})

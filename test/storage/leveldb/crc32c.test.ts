import { expect, it } from 'vitest'
import { crc32c, masked } from '../../../src/storage/leveldb/crc32c.ts'

it('gives the checksums of RFC 3720, appendix B.4', () => {
  const sum = (bytes: readonly number[]): number => crc32c(Uint8Array.from(bytes))
  const counting = Array.from({ length: 32 }, (_, i) => i)
  expect(sum(Array.from({ length: 32 }, () => 0))).toBe(0x8a9136aa)
  expect(sum(Array.from({ length: 32 }, () => 0xff))).toBe(0x62a8ab43)
  expect(sum(counting)).toBe(0x46dd794e)
  expect(sum([...counting].reverse())).toBe(0x113fdb5c)
  expect(sum([...Buffer.from('123456789')])).toBe(0xe3069283)
  expect(crc32c(Uint8Array.from([7, ...Buffer.from('123456789'), 7]), 1, 10)).toBe(0xe3069283)
})

it('masks them as LevelDB does', () => {
  expect(masked(crc32c(Buffer.from('foo'))).toString(16)).toBe('febe8a61')
})

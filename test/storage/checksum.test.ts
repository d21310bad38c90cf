import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addChecksum, removeChecksum } from '../../src/storage/checksum.ts'
import { expectFailure } from '../support/errors.ts'

const key = Uint8Array.of(0x72, 1, 2)
const bytes = Uint8Array.from({ length: 300 }, (_, i) => i % 256)

describe('seal', () => {
  it('gives the bytes back', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.uint8Array(), (name, value) => {
        expect(removeChecksum(name, addChecksum(name, value), 'it')).toEqual(value)
      }),
    )
  })

  it('notices any flipped bit', async () => {
    const sealed = addChecksum(key, bytes)
    for (let i = 0; i < sealed.length; i++) {
      const hurt = sealed.slice()
      hurt[i]! ^= 1 << (i % 8)
      const { message } = await expectFailure('corrupt', () => removeChecksum(key, hurt, 'the thing'))
      expect(message).toBe('the store is damaged: the thing fails its checksum')
    }
  })

  it('notices a value that is cut or longer, and one under a wrong key', async () => {
    const sealed = addChecksum(key, bytes)
    for (const length of [0, 1, 7, 8, 9, 307])
      await expectFailure('corrupt', () => removeChecksum(key, sealed.subarray(0, length), 'it'))
    await expectFailure('corrupt', () => removeChecksum(key, Uint8Array.of(...sealed, 0), 'it'))
    await expectFailure('corrupt', () => removeChecksum(Uint8Array.of(0x72, 1, 3), sealed, 'it'))
    // The key and the value are told apart.
    await expectFailure('corrupt', () =>
      removeChecksum(Uint8Array.of(...key, 0), addChecksum(key, Uint8Array.of(0, 9)), 'it'),
    )
  })
})

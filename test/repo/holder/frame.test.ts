import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Json } from '../../../src/model/json.ts'
import { fromValue } from '../../../src/model/value.ts'
import { FrameReader, frameOf } from '../../../src/repo/holder/frame.ts'

it('gives messages back, in whatever pieces their bytes come', () => {
  fc.assert(
    fc.property(
      fc.array(fc.jsonValue({ noUnicodeString: false })),
      fc.integer({ min: 1, max: 40 }),
      (values, size) => {
        const messages = values.map((value) => ({ of: fromValue(value) as Json }))
        const bytes = Buffer.concat(messages.map(frameOf))
        const reader = new FrameReader()
        const read: Json[] = []
        for (let at = 0; at < bytes.length; at += size)
          read.push(...reader.push(bytes.subarray(at, at + size)))
        expect(read).toEqual(messages)
      },
    ),
  )
})

it('refuses what is no message', () => {
  expect(() => new FrameReader().push(Buffer.from('GET / HTTP/1.1\r\n'))).toThrow(RangeError)
})

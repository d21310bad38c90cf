import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Json } from '../../../src/model/json.ts'
import { fromValue, parseJson } from '../../../src/model/value.ts'
import { FrameReader, frameOf } from '../../../src/repo/lease/messages.ts'

it('decodes messages, as bytes or as text, in chunks of any sizes', () => {
  fc.assert(
    fc.property(
      fc.array(fc.jsonValue({ noUnicodeString: false })),
      fc.integer({ min: 1, max: 40 }),
      fc.boolean(),
      (values, size, asText) => {
        const messages = values.map((value) => ({ of: fromValue(value) as Json }))
        const bytes = Buffer.concat(messages.map((message) => frameOf(message, asText)))
        const reader = new FrameReader()
        const read: Json[] = []
        for (let at = 0; at < bytes.length; at += size)
          read.push(...reader.push(bytes.subarray(at, at + size)))
        expect(read).toEqual(messages)
      },
    ),
  )
})

it('sends as bytes what JSON text cannot represent', () => {
  for (const text of ['{"a":-0}', '{"a":1e400}', '{"__proto__":1}', '"\\ud800"', '{"a":1,"a":2}']) {
    const message = { of: parseJson(text)?.value as Json }
    const frame = frameOf(message, true)
    expect(frame).toEqual(frameOf(message))
    expect(new FrameReader().push(Buffer.from(frame))).toEqual([message])
  }
  const plain = { of: [1.5, 'a', null, { b: true }] }
  expect(Buffer.from(frameOf(plain, true)).subarray(4).toString()).toBe('{"of":[1.5,"a",null,{"b":true}]}')
})

it('refuses malformed messages', () => {
  expect(() => new FrameReader().push(Buffer.from('GET / HTTP/1.1\r\n'))).toThrow(RangeError)
})

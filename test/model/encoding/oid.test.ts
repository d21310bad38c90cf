import fc from 'fast-check'
import { expect, it, test } from 'vitest'
import { bytesOf, isOid, type Oid, oidOf, short } from '../../../src/model/encoding/oid.ts'

const OID = `00ff${'ab'.repeat(30)}` as Oid

test('oidOf and bytesOf are inverse', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
      expect(isOid(oidOf(bytes))).toBe(true)
      expect([...bytesOf(oidOf(bytes))]).toEqual([...bytes])
    }),
  )
})

it('takes 64 lowercase hex digits for an oid and nothing else', () => {
  expect(isOid(OID)).toBe(true)
  for (const text of ['', OID.slice(1), `${OID}0`, OID.toUpperCase(), `${OID}\n`, OID.replace('f', 'g')])
    expect(isOid(text)).toBe(false)
})

it('leaves out a last odd digit', () => {
  expect([...bytesOf('0aff1')]).toEqual([10, 255])
})

it('shortens to ten digits', () => {
  expect(short(OID)).toBe('00ffababab')
})

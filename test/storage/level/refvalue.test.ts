import { describe, expect, it } from 'vitest'
import { encode, encodeBriefly } from '../../../src/model/canonical.ts'
import type { Json } from '../../../src/model/json.ts'
import { decodeRef, encodedOnce, encodeRef } from '../../../src/storage/level/refvalue.ts'
import { hexOf } from '../../support/json.ts'

const OID = '0123456789abcdef'.repeat(4)

describe('the value of a ref', () => {
  it('keeps hashes as bytes, at any depth', () => {
    expect(hexOf(encodeRef(OID))).toBe(`5820${OID}`)
    expect(hexOf(encodeRef({ a: [OID] }))).toBe(`a16161815820${OID}`)
  })

  it('is laid out once, and stands so in a larger value', () => {
    const value = { oid: OID, count: 300 }
    const laid = encodedOnce(value)
    expect(encodedOnce(value)).toBe(laid)
    expect(encodedOnce({ ...value })).not.toBe(laid)
    expect(hexOf(encodeBriefly(['a', [laid]]))).toBe(hexOf(encodeBriefly(['a', [value]])))
    expect([OID, 1, null, [OID]].map(encodedOnce)).toEqual([OID, 1, null, [OID]])
  })

  it.each([
    OID,
    { oid: OID, more: [{ branches: { main: OID } }, [[OID]]] },
    [1, 'sessions/a/meta', [OID], 0],
    'main',
    null,
  ] as Json[])('comes back as it was: %j', (value) => {
    expect(decodeRef(encodeRef(value))).toEqual(value)
  })

  it.each([OID.toUpperCase(), OID.slice(1), `${OID}0`, `${OID.slice(1)}g`, { [OID]: 'a key' }] as Json[])(
    'keeps as it is what is no hash: %j',
    (value) => {
      expect(hexOf(encodeRef(value))).toBe(hexOf(encode(value)))
      expect(decodeRef(encodeRef(value))).toEqual(value)
    },
  )
})

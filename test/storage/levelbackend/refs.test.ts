import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encode } from '../../../src/model/encoding/canonical.ts'
import type { Json } from '../../../src/model/json.ts'
import type { RefName } from '../../../src/model/refname.ts'
import { decodeRef, encodeRef, fullNames, shortNames } from '../../../src/storage/levelbackend/refs.ts'
import { hexOf } from '../../support/json.ts'

const OID = '0123456789abcdef'.repeat(4)

describe('the value of a ref', () => {
  it('keeps hashes as bytes, at any depth', () => {
    expect(hexOf(encodeRef(OID))).toBe(`5820${OID}`)
    expect(hexOf(encodeRef({ a: [OID] }))).toBe(`a16161815820${OID}`)
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

const names = (texts: readonly string[]): RefName[] => texts as RefName[]

it('leaves out the session of the name before', () => {
  const full = names([
    'sessions/a/meta',
    'sessions/a/branches/main',
    'sessions/b/meta',
    'tags/x',
    'sessions/b/HEAD',
  ])
  expect(shortNames(full)).toEqual([
    'sessions/a/meta',
    '/branches/main',
    'sessions/b/meta',
    'tags/x',
    'sessions/b/HEAD',
  ])
  expect(fullNames(shortNames(full))).toEqual(full)
})

it('gives any names back', () => {
  const part = fc.constantFrom('a', 'b', 'sessions', 'c d')
  const name = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'))
  fc.assert(
    fc.property(fc.array(name), (all) => {
      expect(fullNames(shortNames(names(all)))).toEqual(all)
    }),
  )
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  completedZones,
  decodeZones,
  encodeZones,
  VALUE_ZONES,
  ZONE_RECORDS,
  type Zone,
  zoneOf,
} from '../../../src/storage/levelbackend/zonemap.ts'

const header = (row: number, tip = row) => ({ row, tip })

test('a zone covers the rows of entries and of tips whose usage is reported', () => {
  expect(zoneOf([])).toEqual([])
  expect(zoneOf([header(-1)])).toEqual([])
  expect(zoneOf([header(7), header(5), header(-1, 9)])).toEqual([[5, 7]])
  expect(zoneOf([header(7), { ...header(-1, 9), usage: { input: 1 } }])).toEqual([[7, 9]])
})

test('a zone is cut at its widest gaps', () => {
  const rows = [1, 2, 100, 5_000, 5_060, 90_000, 900_000, 900_100]
  expect(zoneOf(rows.map((row) => header(row)))).toEqual([
    [1, 100],
    [5_000, 5_060],
    [90_000, 90_000],
    [900_000, 900_100],
  ])
})

test('zones are decoded as they were encoded', () => {
  const rows = fc.array(fc.nat(1 << 30), { maxLength: 20 })
  const zone: fc.Arbitrary<Zone> = fc.option(
    rows.map((some) => zoneOf(some.map((row) => header(row)))),
    { nil: undefined },
  )
  fc.assert(
    fc.property(fc.array(zone, { maxLength: VALUE_ZONES }), (zones) => {
      expect(decodeZones(encodeZones(zones))).toEqual(zones)
    }),
  )
})

test('zones that are too many or cut off are refused', () => {
  const bytes = encodeZones([[[1, 2]]])
  expect(() => decodeZones(bytes.subarray(0, 2))).toThrow('the bytes end too early')
  expect(() => decodeZones(new Uint8Array(VALUE_ZONES + 1))).toThrow(RangeError)
  expect(() => decodeZones(Uint8Array.of(9))).toThrow(RangeError)
})

test('records complete the zones that end among them', async () => {
  const headers = Array.from({ length: 2 * ZONE_RECORDS }, (_, i) => header(i))
  const earlier = (from: number, to: number) => Promise.resolve(headers.slice(from, to))
  expect(await completedZones(10, headers.slice(10, 500), earlier)).toEqual({ first: 0, zones: [] })
  expect(await completedZones(500, headers.slice(500), earlier)).toEqual({
    first: 0,
    zones: [[[0, 511]], [[512, 1023]]],
  })
  const none = () => Promise.resolve(undefined)
  expect(await completedZones(500, headers.slice(500), none)).toEqual({
    first: 0,
    zones: [undefined, [[512, 1023]]],
  })
})
